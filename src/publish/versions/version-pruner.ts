import { parseKey } from '../../artifacts/artifact-key.ts';
import type { ArtifactStore, ListedObject } from '../../artifacts/artifact-store.ts';
import { packsFolder, versionsFolder } from '../../artifacts/keys/set-keys.ts';
import { isTidemarkError, TidemarkError } from '../../core/errors.ts';
import { traitsOf } from '../../core/origin.ts';
import { publishesNone } from '../../core/publishes-none.ts';
import { keptSince, type ResourceSet } from '../../core/resource-set.ts';
import { boundaryAfter, boundaryBefore, clockStamp, type Stamp } from '../../core/stamp.ts';
import { prunedBefore } from '../../core/version-prunes.ts';
import { mapInOrder } from '../../lib/calls/map-in-order.ts';
import { failpoint } from '../../lib/failpoint.ts';
import type { SetRegistry } from '../../sets/set-registry.ts';
import type { Catalog } from '../../stores/catalog.ts';
import type { ChangeLog } from '../../stores/change-log.ts';
import type { SetStatistics } from '../../stores/set-statistics.ts';
import { prunePack } from './prune-pack.ts';
import { inReservedPeriod } from './removals.ts';
import { UsedDigests, type UsedIndex } from './used-digests.ts';

interface VersionPrunerParts {
  readonly catalog: Pick<Catalog, 'get' | 'put'>;
  readonly sets: SetRegistry;
  readonly index: UsedIndex & Pick<ChangeLog, 'mark'> & Pick<SetStatistics, 'latest' | 'summary' | 'windows'>;
  readonly artifacts: ArtifactStore;
  readonly changeDumps: {
    /** A boundary: the next build of a continued dump needs the version of every change after it. */
    needsSince(set: ResourceSet): Promise<Stamp | undefined>;
  };
  /** The folder of a scratch database. */
  readonly scratchFolder: string;
}

interface PruneOptions {
  /** Only reports what would be removed. */
  readonly dryRun?: boolean;
  /**
   * Milliseconds since 1970; bytes stored since then are not removed. By default a day ago: a scan may be about to
   * record a change that relies on them.
   */
  readonly storedBefore?: number;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: PruneProgress) => void) | undefined;
}

export interface PruneProgress {
  readonly step: 'resources' | 'changes' | 'versions';
  readonly done: number;
  readonly total: number;
}

export interface PrunedVersions {
  /** The boundary: versions that had ended before it are not kept. 0 when no version has ended. */
  readonly before: Stamp;
  /** A boundary: a Change Dump needs all versions after it. Absent when it needs no more than is kept anyway. */
  readonly neededSince?: Stamp;
  /** Number of removed files of versions. */
  readonly versions: number;
  readonly bytes: number;
  /** Whether files of versions, or packs, were stored within the last day: they stay until a later run. */
  readonly hasRecent: boolean;
  /** For each pack that is damaged, what is wrong with it: all its bytes stay. */
  readonly damaged: readonly string[];
}

const DAY_MS = 24 * 60 * 60 * 1000;
const DAY = DAY_MS * 1000;
const REMOVED_AT_ONCE = 16;
/** Number of files that wait to be removed. */
const MOST_WAITING = 1_000;
/** Folders of a set's versions, and of its packs: the first two digits of their names. */
const FOLDERS = 256;

/** Removes versions that ended long ago. docs/dumps.md describes which ones are removed, and which are kept. */
export class VersionPruner {
  readonly #parts: VersionPrunerParts;

  constructor(parts: VersionPrunerParts) {
    this.#parts = parts;
  }

  /**
   * Removes versions that were replaced, or ended with their resource, before a time (microseconds since 1970), and
   * bytes that no change names. It is recorded that they may be missing before anything is removed; so a run after a
   * killed one continues.
   * @throws TidemarkError `invalid` for a set that publishes no versions of files; `conflict` when another process is
   *   removing versions of the set
   */
  async prune(slug: string, before: Stamp, options: PruneOptions = {}): Promise<PrunedVersions> {
    const set = await this.#parts.sets.bySlug(slug);
    requireVersions(set);
    const needed = await this.#parts.changeDumps.needsSince(set);
    const boundary = await this.#boundaryOf(set, Math.min(boundaryBefore(before), needed ?? before));
    if (!options.dryRun && boundary > prunedBefore(set)) await this.#record(set, boundary);
    failpoint('prune.recorded');
    const removed = await this.#removeUnused(set, boundary, options);
    return { before: boundary, ...(needed !== undefined && needed < before && { neededSince: needed }), ...removed };
  }

  /** Same as `prune`, for every set with the setting `versionsDays`. */
  async pruneOld({
    onPruned,
    ...options
  }: PruneOptions & { readonly onPruned: (set: string, pruned: PrunedVersions) => void }): Promise<void> {
    for (const set of await this.#parts.sets.list()) {
      const { slug, versionsDays } = set;
      if (versionsDays === undefined || keptSince(set) === undefined) continue;
      onPruned(slug, await this.prune(slug, clockStamp() - versionsDays * DAY, options));
    }
  }

  /** The boundary right after the last change before a time: while no change follows it, documents do not change. */
  async #boundaryOf(set: ResourceSet, before: Stamp): Promise<Stamp> {
    const [last] = await this.#parts.index.latest(set.id, { before: boundaryBefore(before), limit: 1 });
    return Math.max(prunedBefore(set), last === undefined ? 0 : boundaryAfter(last.stamp));
  }

  async #record({ id, slug, epochStart }: ResourceSet, before: Stamp): Promise<void> {
    const { index, sets } = this.#parts;
    const at = await index.mark();
    const windows = await index.windows(id, epochStart);
    const closed = windows.slice(0, -1).map(({ from }, at) => ({ from, until: windows[at + 1]!.from }));
    await sets.recordPrune(slug, { before, at }, closed);
  }

  async #removeUnused(set: ResourceSet, since: Stamp, options: PruneOptions) {
    const { index, scratchFolder } = this.#parts;
    const { signal, onProgress } = options;
    const used = new UsedDigests(scratchFolder);
    try {
      const { resources } = await index.summary(set.id);
      await used.read(index, set.id, {
        since,
        signal,
        onRead: (step, done) => onProgress?.({ step, done, total: step === 'resources' ? resources : done }),
      });
      return await this.#removeAllBut(used, set, options);
    } finally {
      used.close();
    }
  }

  async #removeAllBut(used: UsedDigests, set: ResourceSet, options: PruneOptions) {
    const { dryRun = false, signal, onProgress, storedBefore = Date.now() - DAY_MS } = options;
    const total = { versions: 0, bytes: 0 };
    const count = ({ length }: { readonly length: number }): void => {
      total.versions += 1;
      total.bytes += length;
    };
    const { artifacts } = this.#parts;
    const damaged: string[] = [];
    let hasRecent = false;
    const prune = (pack: ListedObject) =>
      prunePack(pack, { artifacts, set: set.id, used, dryRun }).catch((error: unknown) => {
        if (!isTidemarkError(error, 'invalid')) throw error;
        damaged.push(error.message);
        return [];
      });
    const waiting: ListedObject[] = [];
    const remove = async (): Promise<void> => {
      for (const found of await this.#remove(set, waiting.splice(0), { storedBefore, signal })) count(found);
    };
    for await (const objects of artifacts.list(versionsFolder(set.id))) {
      signal?.throwIfAborted();
      const packs: ListedObject[] = [];
      for (const object of objects) {
        const key = parseKey(object.key);
        const isUnused = key?.kind === 'version' && !used.has(key.digest);
        if (object.modified >= storedBefore) {
          hasRecent ||= isUnused || key?.kind === 'version-pack';
          continue;
        }
        if (key?.kind === 'version-pack') packs.push(object);
        if (!isUnused) continue;
        if (dryRun) count(object);
        else waiting.push(object);
      }
      for await (const removed of mapInOrder(packs, REMOVED_AT_ONCE, prune)) {
        signal?.throwIfAborted();
        for (const version of removed) count(version);
      }
      if (waiting.length >= MOST_WAITING) await remove();
      onProgress?.({ step: 'versions', done: folderOf(set, objects.at(-1)!) + 1, total: FOLDERS * 2 });
    }
    await remove();
    return { ...total, hasRecent, damaged };
  }

  /** Returns the removed files, without those that a scan has stored again. */
  async #remove(
    set: ResourceSet,
    objects: readonly ListedObject[],
    { storedBefore, signal }: { readonly storedBefore: number; readonly signal: AbortSignal | undefined },
  ): Promise<readonly ListedObject[]> {
    const { artifacts, catalog } = this.#parts;
    const removed: ListedObject[] = [];
    for (let at = 0; at < objects.length; ) {
      signal?.throwIfAborted();
      await inReservedPeriod({ catalog, set }, async (isOver) => {
        const items = function* (): Generator<ListedObject> {
          while (at < objects.length && !isOver()) yield objects[at++]!;
        };
        const removeOne = async (object: ListedObject) =>
          (await artifacts.deleteOlder(object.key, storedBefore)) ? object : undefined;
        for await (const object of mapInOrder(items(), REMOVED_AT_ONCE, removeOne)) {
          if (object !== undefined) removed.push(object);
          failpoint('prune.removed');
        }
      });
    }
    return removed;
  }
}

/** The number of an object's folder, from 0. */
function folderOf({ id }: ResourceSet, { key }: ListedObject): number {
  const isPack = key.startsWith(packsFolder(id));
  const under = isPack ? packsFolder(id) : versionsFolder(id);
  return (isPack ? FOLDERS : 0) + Number.parseInt(key.slice(under.length), 16);
}

function hasFiles({ origin }: ResourceSet): boolean {
  return traitsOf(origin).keepsVersions !== true;
}

function requireVersions(set: ResourceSet): void {
  const { slug } = set;
  if (!hasFiles(set)) {
    const message = `the versions of "${slug}" are records of artifacts, which keep them as long as they exist: there is nothing to prune`;
    throw new TidemarkError('invalid', message, { set: slug });
  }
  if (keptSince(set) === undefined) throw new TidemarkError('invalid', publishesNone(set), { set: slug });
}
