import { isTidemarkError } from '../../../core/errors.ts';
import type { Cluster } from '../../../lib/elasticsearch/cluster.ts';
import type { IndexNames } from '../index-names.ts';
import { makeChangesIndex } from './later-indices.ts';

/** Size of a shard at which an index is full: a larger one takes long to move to another node. */
const FULL_SHARD = { documents: 100_000_000, bytes: 50e9 };
/** A shard cannot have more than 2,147,483,519 documents. */
const MOST_DOCUMENTS = 2_000_000_000;
/** Number of commits between two checks of the size of the newest index. */
const MEASURE_AFTER = 1_000;

interface ShardSize {
  readonly documents: number;
  readonly bytes: number;
}

/**
 * The indices of changes. New changes go to the newest one, until it is large and a new one is created; if the cluster
 * refuses to create it, that is tried again after more commits.
 */
export class ChangesIndices {
  readonly #cluster: Cluster;
  readonly #names: IndexNames;
  readonly #full: ShardSize;
  #current: Promise<string> | undefined;
  #asked = 0;

  constructor(cluster: Cluster, names: IndexNames, full: ShardSize = FULL_SHARD) {
    this.#cluster = cluster;
    this.#names = names;
    this.#full = full;
  }

  /** The name of the index for the next commit. The commit stores it, so two processes may choose different ones. */
  current(): Promise<string> {
    if (this.#asked++ % MEASURE_AFTER === 0) this.#current = undefined;
    if (this.#current === undefined) {
      this.#current = this.#newest();
      this.#current.catch(() => {
        this.#current = undefined;
      });
    }
    return this.#current;
  }

  async #newest(): Promise<string> {
    const newest = (await this.#indices()).toSorted().at(-1)!;
    const { documents, bytes } = await this.#largestShard(newest);
    if (documents < this.#full.documents && bytes < this.#full.bytes) return newest;
    const number = Number(newest.slice(this.#names.changes.length + 1)) + 1;
    try {
      await makeChangesIndex(this.#cluster, this.#names, number);
    } catch (error) {
      // A cluster that refuses another shard still takes changes into the newest index, which is only larger then.
      if (documents < MOST_DOCUMENTS && isTidemarkError(error)) return newest;
      throw error;
    }
    return this.#names.changesIndex(number);
  }

  async #indices(): Promise<readonly string[]> {
    const indices = await this.#cluster.ask((client) => client.indices.getAlias({ index: this.#names.changes }));
    return Object.keys(indices);
  }

  /** Of the shards that respond: those of an index that another process has just created may not yet. */
  async #largestShard(index: string): Promise<ShardSize> {
    const { indices = {} } = await this.#cluster.ask((client) =>
      client.indices.stats({
        index,
        metric: ['docs', 'store'],
        level: 'shards',
        filter_path: 'indices.*.shards.*.docs.count,indices.*.shards.*.store.size_in_bytes',
      }),
    );
    const shards = Object.values(indices[index]?.shards ?? {}).flat();
    return {
      documents: Math.max(0, ...shards.map(({ docs }) => docs?.count ?? 0)),
      bytes: Math.max(0, ...shards.map(({ store }) => store?.size_in_bytes ?? 0)),
    };
  }
}
