import type { ArtifactStore } from '../../artifacts/artifact-store.ts';
import { TidemarkError } from '../../core/errors.ts';
import type { Stamp } from '../../core/stamp.ts';
import type { Catalog } from '../../stores/catalog.ts';
import { latestPages } from '../../stores/latest-pages.ts';
import { uploadsOf } from '../arrivals/upload.ts';
import type { UploadState } from '../arrivals/upload-state.ts';
import type { Organization } from '../organization.ts';
import { type StreamName, streamText } from '../stream-set-names.ts';
import { REMOVED_AFTER_MS } from './remove-unused-files.ts';
import type { StoredDumps } from './stored-dumps.ts';
import { isListed, type StreamDump } from './stored-stream-dump.ts';

interface Parts {
  readonly catalog: Pick<Catalog, 'get' | 'latest'>;
  readonly artifacts: Pick<ArtifactStore, 'delete'>;
  readonly stored: StoredDumps;
}

/** Number of upload states that are read at a time. */
const PAGE = 200;

/** Withdraws dumps that may have records of removed uploads. */
export class DumpWithdrawal {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * Removes the dumps that may have records of removed uploads, with their files, when a full dump without these takes
   * their place.
   * @param made by the caller just now
   * @throws TidemarkError `conflict` when an upload was removed while these were made: then they are withdrawn, too
   */
  async withdraw(name: StreamName, made: readonly StreamDump[]): Promise<void> {
    const before = await this.#lastRemoval(name);
    if (before === undefined) return;
    const { stored } = this.#parts;
    const all = await stored.all(name);
    const isReplaced = all.some(({ body }) => isListed(body) && body.kind === 'full' && body.until > before);
    const isLate = made.some(({ until }) => until <= before);
    const last = Date.now() - REMOVED_AFTER_MS;
    for (const dump of all) {
      const { until, number, removed = last } = dump.body;
      if (until > before || !(isReplaced || made.some((one) => one.number === number))) continue;
      if (isListed(dump.body)) await stored.remove(dump);
      // The files of dumps that were removed earlier are deleted already.
      if (isListed(dump.body) || removed > last) await this.#deleteFiles(dump.body);
    }
    if (!isLate) return;
    const message = `an upload was removed while the dump of ${streamText(name)} was made: it is made again`;
    throw new TidemarkError('conflict', message, { ...name });
  }

  async #deleteFiles({ files }: StreamDump): Promise<void> {
    for (const { artifact } of files) await this.#parts.artifacts.delete(artifact);
  }

  /** A stamp: dumps up to a boundary above it have nothing of removed uploads. Undefined when none was removed. */
  async #lastRemoval(name: StreamName): Promise<Stamp | undefined> {
    let last: Stamp | undefined;
    for (const stream of await this.#streamsOf(name)) {
      const stamp = await this.#lastRemovalOf({ organization: name.organization, stream });
      if (stamp !== undefined) last = Math.max(last ?? 0, stamp);
    }
    return last;
  }

  /** The default stream may have been each of them. */
  async #streamsOf({ organization, stream }: StreamName): Promise<readonly string[]> {
    if (stream !== undefined) return [stream];
    const found = await this.#parts.catalog.get<Organization>('organization', organization);
    return found?.body.streams.map(({ id }) => id) ?? [];
  }

  async #lastRemovalOf({ organization, stream }: Required<StreamName>): Promise<Stamp | undefined> {
    const prefix = uploadsOf(organization, stream!);
    const deliveries = new Set<number>();
    const stamps = new Map<number, Stamp>();
    const wanted = { kind: 'upload-state', prefix, limit: PAGE } as const;
    for await (const { documents } of latestPages<UploadState>(this.#parts.catalog, wanted)) {
      for (const { id, body } of documents) {
        if (body.removed !== undefined && body.applied !== undefined) deliveries.add(body.removed.delivery);
        // Dumps up to a boundary that is not above it do not have the upload.
        if (body.errataAt !== undefined) stamps.set(Number(id.slice(prefix.length)), body.errataAt);
      }
    }
    const applied = [...deliveries].flatMap((number) => stamps.get(number) ?? []);
    return applied.length === 0 ? undefined : Math.max(...applied);
  }
}
