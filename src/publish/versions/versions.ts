import type { Readable } from 'node:stream';
import { parseKey } from '../../artifacts/artifact-key.ts';
import type { ArtifactStore, ListedObject, ObjectRange } from '../../artifacts/artifact-store.ts';
import { VERSIONS_FOLDER, versionsFolder } from '../../artifacts/keys/set-keys.ts';
import { readPack } from '../../artifacts/version-pack.ts';
import type { Change } from '../../core/change.ts';
import { isTidemarkError, TidemarkError } from '../../core/errors.ts';
import type { ResourceKey } from '../../core/key.ts';
import type { ResourceState } from '../../core/resource.ts';
import type { ResourceSet, SetId } from '../../core/resource-set.ts';
import { boundaryAfter, boundaryBefore, type Stamp } from '../../core/stamp.ts';
import { prunedBefore } from '../../core/version-prunes.ts';
import { mapInOrder } from '../../lib/calls/map-in-order.ts';
import type { SetRegistry } from '../../sets/set-registry.ts';
import type { SetStatistics } from '../../stores/set-statistics.ts';
import { openStored, placesOf } from './stored-version.ts';

/** The version of a resource after a change, whose bytes can be read. */
export interface Version {
  readonly stamp: Stamp;
  readonly key: ResourceKey;
  readonly state: ResourceState;
}

interface VersionsParts {
  readonly index: Pick<SetStatistics, 'history' | 'latest'>;
  readonly artifacts: ArtifactStore;
}

interface Page {
  /** Newest first. */
  readonly versions: readonly Version[];
  /** The boundary below the oldest of them, when there may be older ones. */
  readonly next: Stamp | undefined;
}

/** Number of changes of a resource that are read at a time: the store lists no more. */
const MOST_CHANGES = 1_000;
/** Number of versions that are checked at a time. */
const CHECKED_AT_ONCE = 16;

/** The kept versions of resources. A change in the log is a version if its bytes exist. */
export class Versions {
  readonly #parts: VersionsParts;

  constructor(parts: VersionsParts) {
    this.#parts = parts;
  }

  /**
   * The version after a change; undefined when there was no such change, or its bytes are not kept.
   * @throws TidemarkError `gone` when it was removed because it had ended long ago
   */
  async at(set: ResourceSet, key: ResourceKey, stamp: Stamp): Promise<Version | undefined> {
    const [change] = await this.#parts.index.history(set.id, key, { before: boundaryAfter(stamp), limit: 1 });
    if (change?.stamp !== stamp || change.state === undefined) return undefined;
    if (stamp >= (await this.#firstKept(set, change))) return this.#versionOf(change);
    const message = `that version of ${key} was removed: the TimeMap lists those that are kept`;
    throw new TidemarkError('gone', message, { set: set.slug, key });
  }

  /** The newest version below a boundary; the oldest one when all are above it. */
  async nearest(set: ResourceSet, key: ResourceKey, before?: Stamp): Promise<Version | undefined> {
    for await (const { versions } of this.#pages(set, key, before)) if (versions.length > 0) return versions[0];
    let oldest: Version | undefined;
    if (before !== undefined)
      for await (const { versions } of this.#pages(set, key)) oldest = versions.at(-1) ?? oldest;
    return oldest;
  }

  /** The versions among the newest 1,000 changes below a boundary. */
  async list(set: ResourceSet, key: ResourceKey, before?: Stamp): Promise<Page> {
    const changes = await this.#parts.index.history(set.id, key, { before, limit: MOST_CHANGES });
    const oldest = changes.at(-1);
    const firstKept = oldest === undefined ? 0 : await this.#firstKept(set, oldest);
    const versions = await this.#among(changes, firstKept);
    const hasMore = oldest !== undefined && changes.length === MOST_CHANGES && oldest.stamp > firstKept;
    return { versions, next: hasMore ? boundaryBefore(oldest.stamp) : undefined };
  }

  /** The versions among some changes of one resource, newest first. */
  async among(set: ResourceSet, changes: readonly Change[]): Promise<readonly Version[]> {
    const oldest = changes.at(-1);
    return oldest === undefined ? [] : this.#among(changes, await this.#firstKept(set, oldest));
  }

  /** The versions of a set, or of one of its resources, newest first. */
  async *newest(set: ResourceSet, key?: ResourceKey): AsyncGenerator<Version> {
    const { id } = set;
    const { index } = this.#parts;
    const keptVersionOf = async (change: Change) =>
      change.stamp < (await this.#firstKept(set, change)) ? undefined : this.#versionOf(change);
    const limit = MOST_CHANGES;
    for (let before: Stamp | undefined; ; ) {
      const range = { before, limit };
      const changes = await (key === undefined ? index.latest(id, range) : index.history(id, key, range));
      for await (const version of mapInOrder(changes, CHECKED_AT_ONCE, keptVersionOf)) {
        if (version !== undefined) yield version;
      }
      if (changes.length < limit) return;
      before = boundaryBefore(changes.at(-1)!.stamp);
    }
  }

  /** Bytes of a version of a file. @throws TidemarkError `not-found` when it was removed */
  async open({ id }: ResourceSet, { state }: Version, range: ObjectRange): Promise<Readable> {
    return (await openStored(this.#parts.artifacts, placesOf(id, state), range)).body;
  }

  /** Removes the versions of sets that were removed. Returns how many. */
  async removeOfRemovedSets(sets: Pick<SetRegistry, 'byId'>): Promise<number> {
    let removed = 0;
    for (const folder of await this.#parts.artifacts.folders(VERSIONS_FOLDER)) {
      const set = await sets.byId(Number(folder));
      // The set of an unknown id may belong to another store.
      if (set?.removed !== undefined) removed += await this.removeAll(set.id);
    }
    return removed;
  }

  /** Removes the versions of a set that was removed. Returns how many. */
  async removeAll(set: SetId): Promise<number> {
    const { artifacts } = this.#parts;
    let removed = 0;
    for await (const objects of artifacts.list(versionsFolder(set))) {
      for (const object of objects) {
        removed += await this.#versionsIn(object);
        await artifacts.delete(object.key);
      }
    }
    return removed;
  }

  async #versionsIn(object: ListedObject): Promise<number> {
    if (parseKey(object.key)?.kind !== 'version-pack') return 1;
    try {
      return (await readPack(this.#parts.artifacts, object)).length;
    } catch (error) {
      // It is damaged, or another process has just removed it.
      if (isTidemarkError(error, 'invalid') || isTidemarkError(error, 'not-found')) return 0;
      throw error;
    }
  }

  async #among(changes: readonly Change[], firstKept: Stamp): Promise<readonly Version[]> {
    const kept = changes.filter(({ stamp }) => stamp >= firstKept);
    const versions: Version[] = [];
    for await (const version of mapInOrder(kept, CHECKED_AT_ONCE, (change) => this.#versionOf(change))) {
      if (version !== undefined) versions.push(version);
    }
    return versions;
  }

  async *#pages(set: ResourceSet, key: ResourceKey, before?: Stamp): AsyncGenerator<Page> {
    for (let from = before; ; ) {
      const page = await this.list(set, key, from);
      yield page;
      if (page.next === undefined) return;
      from = page.next;
    }
  }

  /**
   * The stamp of the oldest change of a resource whose version is not removed: the change that was current at the
   * boundary of the last prune. Returns 0 for a change after that boundary, which need not be compared.
   */
  async #firstKept(set: ResourceSet, { key, stamp }: Pick<Change, 'key' | 'stamp'>): Promise<Stamp> {
    const before = prunedBefore(set);
    if (stamp > before) return 0;
    const [current] = await this.#parts.index.history(set.id, key, { before, limit: 1 });
    return current?.stamp ?? 0;
  }

  async #versionOf({ set, key, stamp, state }: Change): Promise<Version | undefined> {
    if (state === undefined) return undefined;
    // An artifact contains its records as long as it exists.
    const places = state.record === undefined ? placesOf(set, state) : [{ key: state.record.artifact }];
    for (const place of places) {
      if ((await this.#parts.artifacts.head(place.key)) !== undefined) return { key, stamp, state };
    }
    return undefined;
  }
}
