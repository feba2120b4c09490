import type { Catalog, CatalogDocument } from '../../stores/catalog.ts';
import { CatalogFollower } from '../../stores/catalog-follower.ts';
import { type NamedUpload, parseUploadId, type Sender, type Upload } from '../arrivals/upload.ts';
import { statusOf, type UploadState } from '../arrivals/upload-state.ts';
import type { StreamDump } from '../dumps/stored-stream-dump.ts';

/** Days of the line of uploads, including the current one; also those in which a failure counts. */
export const DAYS = 30;
const DAY_MS = 86_400_000;
/** Documents that are read at a time: a state contains the names of up to a thousand files. */
const PAGE = 500;

/** What an organization has delivered, over all of its streams. Times are milliseconds since 1970. */
export interface Deliveries {
  readonly lastUpload: LastUpload | undefined;
  /** Uploads that have failed within the last 30 days, and were not processed since. */
  readonly failed: number;
  /** Uploads that are not processed yet. */
  readonly waiting: number;
  /** Bytes of all originals, and of the dumps that are listed. */
  readonly bytes: number;
  /** The number of uploads of each of the last 30 days (UTC), oldest first. */
  readonly days: readonly number[];
  /** When the last full dump, and the last delta, of the default stream were made. */
  readonly lastFull: number | undefined;
  readonly lastDelta: number | undefined;
}

interface LastUpload extends NamedUpload {
  readonly received: number;
  readonly by?: Sender | undefined;
}

/** The figures of one organization as they are kept, by the ids of documents. */
class Tally {
  lastUpload: LastUpload | undefined;
  bytes = 0;
  /** The highest number of each stream that was read. */
  readonly highest = new Map<string, number>();
  readonly open = new Set<string>();
  /** States that were read before their upload. */
  readonly ahead = new Set<string>();
  /** When each failed. */
  readonly failed = new Map<string, number>();
  /** By the number of days since 1970. */
  readonly uploads = new Map<number, number>();
  readonly dumps = new Map<string, number>();
  readonly lastDump = new Map<StreamDump['kind'], number>();
}

/**
 * Counts uploads and dumps of all organizations. All documents are read once by a process, then only new ones, so that
 * a page over hundreds of organizations costs as much as what has happened since the last one.
 */
export class DeliveryFigures {
  readonly #tallies = new Map<string, Tally>();
  readonly #uploads: CatalogFollower<Upload>;
  readonly #states: CatalogFollower<UploadState>;
  readonly #dumps: CatalogFollower<StreamDump>;

  constructor(catalog: Pick<Catalog, 'head' | 'list'>) {
    const pageSize = PAGE;
    this.#uploads = new CatalogFollower(catalog, { kind: 'upload', pageSize, onPut: (one) => this.#takeUpload(one) });
    this.#states = new CatalogFollower(catalog, {
      ...{ kind: 'upload-state', pageSize },
      onPut: (one) => this.#takeState(one),
    });
    this.#dumps = new CatalogFollower(catalog, { kind: 'stream-dump', pageSize, onPut: (one) => this.#takeDump(one) });
  }

  /** The deliveries of the organizations that have any, by id. @throws TidemarkError `unavailable` */
  async read(now: number): Promise<ReadonlyMap<string, Deliveries>> {
    await Promise.all([this.#uploads.load().then(() => this.#states.load()), this.#dumps.load()]);
    return new Map([...this.#tallies].map(([id, tally]) => [id, deliveriesOf(tally, now)]));
  }

  #takeUpload({ id, body }: CatalogDocument<Upload>): void {
    const { organization, stream, number, received, by, files } = body;
    const tally = this.#tallyOf(organization);
    // The document was put again, by a version that changes it.
    if (number <= (tally.highest.get(stream) ?? 0)) return;
    tally.highest.set(stream, number);
    if (received >= (tally.lastUpload?.received ?? 0))
      tally.lastUpload = { organization, stream, number, received, by };
    tally.bytes += bytesOf(files);
    const day = Math.floor(received / DAY_MS);
    tally.uploads.set(day, (tally.uploads.get(day) ?? 0) + 1);
    if (!tally.ahead.delete(id)) tally.open.add(id);
  }

  #takeState({ id, body }: CatalogDocument<UploadState>): void {
    const { organization, stream, number } = parseUploadId(id);
    const tally = this.#tallyOf(organization);
    const status = statusOf(body);
    const isSettled = status === 'processed' || status === 'failed';
    if (number > (tally.highest.get(stream) ?? 0)) {
      if (isSettled) tally.ahead.add(id);
    } else if (!isSettled) tally.open.add(id);
    else if (tally.open.delete(id) && status === 'processed') tally.bytes += bytesOf(body.fetched ?? []);
    if (status === 'failed') tally.failed.set(id, body.failure!.at);
    else tally.failed.delete(id);
  }

  #takeDump({ id, body }: CatalogDocument<StreamDump>): void {
    const { organization, stream, kind, at, files, removed } = body;
    const tally = this.#tallyOf(organization);
    if (removed === undefined) tally.dumps.set(id, bytesOf(files));
    else tally.dumps.delete(id);
    if (stream === undefined) tally.lastDump.set(kind, Math.max(at, tally.lastDump.get(kind) ?? 0));
  }

  #tallyOf(organization: string): Tally {
    const known = this.#tallies.get(organization) ?? new Tally();
    this.#tallies.set(organization, known);
    return known;
  }
}

function deliveriesOf(tally: Tally, now: number): Deliveries {
  const today = Math.floor(now / DAY_MS);
  for (const day of tally.uploads.keys()) if (day <= today - DAYS) tally.uploads.delete(day);
  for (const [id, at] of tally.failed) if (at <= now - DAYS * DAY_MS) tally.failed.delete(id);
  return {
    lastUpload: tally.lastUpload,
    failed: tally.failed.size,
    waiting: tally.open.size,
    bytes: tally.bytes + [...tally.dumps.values()].reduce((sum, bytes) => sum + bytes, 0),
    days: Array.from({ length: DAYS }, (_, at) => tally.uploads.get(today - DAYS + 1 + at) ?? 0),
    lastFull: tally.lastDump.get('full'),
    lastDelta: tally.lastDump.get('delta'),
  };
}

function bytesOf(files: readonly { readonly length: number }[]): number {
  return files.reduce((sum, { length }) => sum + length, 0);
}
