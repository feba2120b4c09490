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

/**
 * What an organization has delivered, over all of its streams that were not removed. Times are milliseconds since 1970.
 */
export interface Deliveries {
  readonly lastUpload: LastUpload | undefined;
  /** Uploads that have failed within the last 30 days, and were not processed since. */
  readonly failed: number;
  /** Uploads that are not processed yet. */
  readonly waiting: number;
  /** Bytes of the originals that are kept, and of the dumps that are listed. */
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

/** The figures of one stream as they are kept, by the numbers of its uploads. */
class StreamTally {
  lastUpload: LastUpload | undefined;
  bytes = 0;
  /** The highest number that was read. */
  highest = 0;
  readonly open = new Set<number>();
  /** States that were read before their upload. */
  readonly ahead = new Set<number>();
  /** When each failed. */
  readonly failed = new Map<number, number>();
  /** By the number of days since 1970. */
  readonly days = new Map<number, number>();
  /** Bytes of the files that came with each, and of those that are stored now where these are others. */
  readonly #files: number[] = [];
  readonly #stored: number[] = [];

  countFiles(number: number, bytes: number): void {
    if (this.#stored[number] === undefined) this.bytes += bytes - (this.#files[number] ?? 0);
    this.#files[number] = bytes;
  }

  countStored(number: number, bytes: number): void {
    this.bytes += bytes - (this.#stored[number] ?? this.#files[number] ?? 0);
    this.#stored[number] = bytes;
  }
}

/** The figures of one organization as they are kept. */
class Tally {
  /** Without those that were removed. */
  readonly streams = new Map<string, StreamTally>();
  readonly removedStreams = new Set<string>();
  readonly dumps = new Map<string, number>();
  readonly lastDump = new Map<StreamDump['kind'], number>();

  /** Undefined for one that was removed. */
  streamOf(stream: string): StreamTally | undefined {
    if (this.removedStreams.has(stream)) return undefined;
    const known = this.streams.get(stream) ?? new StreamTally();
    this.streams.set(stream, known);
    return known;
  }
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

  #takeUpload({ body }: CatalogDocument<Upload>): void {
    const { organization, stream, number, received, by, files, readsAgain } = body;
    const tally = this.#tallyOf(organization);
    if (body.ofRemovedStream) {
      tally.removedStreams.add(stream);
      tally.streams.delete(stream);
    }
    const uploads = tally.streamOf(stream);
    // The document was put again, by a version that changes it.
    if (uploads === undefined || number <= uploads.highest) return;
    uploads.highest = number;
    uploads.countFiles(number, bytesOf(files));
    if (!uploads.ahead.delete(number)) uploads.open.add(number);
    // It was not sent.
    if (readsAgain !== undefined) return;
    uploads.lastUpload = { organization, stream, number, received, by };
    const day = Math.floor(received / DAY_MS);
    uploads.days.set(day, (uploads.days.get(day) ?? 0) + 1);
  }

  #takeState({ id, body }: CatalogDocument<UploadState>): void {
    const { organization, stream, number } = parseUploadId(id);
    const uploads = this.#tallyOf(organization).streamOf(stream);
    if (uploads === undefined) return;
    const status = statusOf(body);
    const isSettled = status !== 'waiting' && status !== 'processing';
    if (number > uploads.highest) {
      if (isSettled) uploads.ahead.add(number);
    } else if (isSettled) uploads.open.delete(number);
    else uploads.open.add(number);
    if (status === 'removed' || body.originalsRemoved !== undefined) uploads.countStored(number, 0);
    else if (body.fetched !== undefined) uploads.countStored(number, bytesOf(body.fetched));
    if (status === 'failed') uploads.failed.set(number, body.failure!.at);
    else uploads.failed.delete(number);
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

function deliveriesOf({ streams, dumps, lastDump }: Tally, now: number): Deliveries {
  const today = Math.floor(now / DAY_MS);
  const uploads = [...streams.values()];
  for (const { days, failed } of uploads) {
    for (const day of days.keys()) if (day <= today - DAYS) days.delete(day);
    for (const [number, at] of failed) if (at <= now - DAYS * DAY_MS) failed.delete(number);
  }
  const sum = (numbers: Iterable<number>) => [...numbers].reduce((one, other) => one + other, 0);
  const last = uploads.flatMap(({ lastUpload }) => lastUpload ?? []);
  return {
    lastUpload: last.sort((one, other) => other.received - one.received)[0],
    failed: sum(uploads.map(({ failed }) => failed.size)),
    waiting: sum(uploads.map(({ open }) => open.size)),
    bytes: sum(uploads.map(({ bytes }) => bytes)) + sum(dumps.values()),
    days: Array.from({ length: DAYS }, (_, at) => {
      return sum(uploads.map(({ days }) => days.get(today - DAYS + 1 + at) ?? 0));
    }),
    lastFull: lastDump.get('full'),
    lastDelta: lastDump.get('delta'),
  };
}

function bytesOf(files: readonly { readonly length: number }[]): number {
  return files.reduce((sum, { length }) => sum + length, 0);
}
