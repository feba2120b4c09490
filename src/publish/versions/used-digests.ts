import { setImmediate } from 'node:timers/promises';
import type { ResourceKey } from '../../core/key.ts';
import type { ResourceState } from '../../core/resource.ts';
import type { SetId } from '../../core/resource-set.ts';
import type { Stamp } from '../../core/stamp.ts';
import { mapInOrder } from '../../lib/calls/map-in-order.ts';
import { ScratchDatabase } from '../../lib/sqlite/scratch-database.ts';
import type { ChangeLog } from '../../stores/change-log.ts';
import type { ResourceStates } from '../../stores/resource-states.ts';
import type { SetStatistics } from '../../stores/set-statistics.ts';

export type UsedIndex = Pick<ChangeLog, 'changes'> & Pick<ResourceStates, 'read'> & Pick<SetStatistics, 'history'>;

interface UsedOptions {
  /** A boundary: states that were current at it, or later, are used. */
  readonly since: Stamp;
  readonly signal?: AbortSignal | undefined;
  /** Called with the number of resources or changes that were read. */
  readonly onRead?: ((what: 'resources' | 'changes', read: number) => void) | undefined;
}

/** Bytes in memory; the rest is on disk, about 50 bytes for each digest. */
const CACHE = 16 * 1024 * 1024;
const SCHEMA = `
  CREATE TABLE used (digest BLOB PRIMARY KEY) WITHOUT ROWID;
  CREATE TABLE changed (key TEXT PRIMARY KEY, is_new INTEGER) WITHOUT ROWID`;
/** Number of resources whose earlier state is looked up at a time. */
const LOOKED_UP_AT_ONCE = 16;
const BATCH = 1_000;
/** Number of rows that are written at a time: a server runs other code in between. */
const GROUP = 500;

/** The digests of the versions of a set that must be kept, in a scratch database. */
export class UsedDigests {
  readonly #database: ScratchDatabase;
  readonly #statements;

  /** @throws TidemarkError `unavailable` when the folder cannot be written */
  constructor(folder: string) {
    this.#database = new ScratchDatabase({ folder, schema: SCHEMA, cacheBytes: CACHE });
    this.#statements = {
      use: this.#database.prepare('INSERT OR IGNORE INTO used VALUES (?)'),
      find: this.#database.prepare('SELECT 1 FROM used WHERE digest = ?'),
      change: this.#database.prepare('INSERT OR IGNORE INTO changed VALUES (?, ?)'),
      changed: this.#database.prepare(
        `SELECT key FROM changed WHERE key > ? AND is_new = 0 ORDER BY key LIMIT ${BATCH}`,
      ),
    };
  }

  /**
   * Reads the used digests: first the current states, then the log. For a resource that changes meanwhile, the former
   * state is in the first, and the change in the second.
   */
  async read(index: UsedIndex, set: SetId, { since, signal, onRead }: UsedOptions): Promise<void> {
    let resources = 0;
    for await (const batch of index.read(set, {})) {
      signal?.throwIfAborted();
      for await (const { state } of inGroups(batch)) this.#use(state);
      resources += batch.length;
      onRead?.('resources', resources);
    }
    let changes = 0;
    for await (const batch of index.changes(set, { after: since })) {
      signal?.throwIfAborted();
      for await (const { key, kind, state } of inGroups(batch)) {
        this.#use(state);
        // A resource whose first change since then created it did not exist before.
        this.#statements.change.run(key, kind === 'created' ? 1 : 0);
      }
      changes += batch.length;
      onRead?.('changes', changes);
    }
    const stateBefore = async (key: ResourceKey) => (await index.history(set, key, { before: since, limit: 1 }))[0];
    for await (const change of mapInOrder(this.#changedKeys(), LOOKED_UP_AT_ONCE, stateBefore)) {
      signal?.throwIfAborted();
      this.#use(change?.state);
    }
  }

  has(digest: string): boolean {
    return this.#statements.find.get(Buffer.from(digest, 'hex')) !== undefined;
  }

  close(): void {
    this.#database.close();
  }

  #use(state: ResourceState | undefined): void {
    const digest = state?.hashes?.['sha-256'];
    if (digest !== undefined) this.#statements.use.run(Buffer.from(digest, 'hex'));
  }

  *#changedKeys(): Generator<ResourceKey> {
    for (let last = ''; ; ) {
      const rows = this.#statements.changed.all(last);
      for (const [key] of rows) yield key as ResourceKey;
      if (rows.length < BATCH) return;
      last = rows.at(-1)![0] as string;
    }
  }
}

async function* inGroups<Item>(items: readonly Item[]): AsyncGenerator<Item> {
  for (let from = 0; from < items.length; from += GROUP) {
    if (from > 0) await setImmediate();
    yield* items.slice(from, from + GROUP);
  }
}
