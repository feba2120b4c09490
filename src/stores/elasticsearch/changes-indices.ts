import type { estypes } from '@elastic/elasticsearch';
import { isTidemarkError } from '../../core/errors.ts';
import type { Cluster } from '../../lib/elasticsearch/cluster.ts';
import type { IndexNames } from './index-names.ts';
import { makeChangesIndex } from './index-schema.ts';

/** A shard can have some 50 GB; documents of changes take some 200 bytes on disk. */
const MOST_CHANGES = 200_000_000;
/** A shard cannot have more than 2,147,483,519 documents. */
const MOST_DOCUMENTS = 2_000_000_000;
/** Number of commits between two checks of the size of the newest index. */
const MEASURE_AFTER = 1_000;

/**
 * The indices of changes. New changes go to the newest one, until it is large and a new one is created; if the cluster
 * refuses to create it, that is tried again after more commits.
 */
export class ChangesIndices {
  readonly #cluster: Cluster;
  readonly #names: IndexNames;
  readonly #most: number;
  #current: Promise<string> | undefined;
  #asked = 0;

  constructor(cluster: Cluster, names: IndexNames, most = MOST_CHANGES) {
    this.#cluster = cluster;
    this.#names = names;
    this.#most = most;
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
    const [indices, counts] = await Promise.all([this.#indices(), this.#counts()]);
    const newest = indices.toSorted().at(-1)!;
    const count = counts[newest]?.primaries?.docs?.count ?? 0;
    if (count < this.#most) return newest;
    const number = Number(newest.slice(this.#names.changes.length + 1)) + 1;
    try {
      await makeChangesIndex(this.#cluster, this.#names, number);
    } catch (error) {
      // A cluster that refuses another shard still takes changes into the newest index, which is only larger then.
      if (count < MOST_DOCUMENTS && isTidemarkError(error)) return newest;
      throw error;
    }
    return this.#names.changesIndex(number);
  }

  async #indices(): Promise<readonly string[]> {
    const indices = await this.#cluster.ask((client) => client.indices.getAlias({ index: this.#names.changes }));
    return Object.keys(indices);
  }

  /** The statistics of the indices whose shards respond: an index that another process has just created may not yet. */
  async #counts(): Promise<Readonly<Record<string, estypes.IndicesStatsIndicesStats>>> {
    const { indices = {} } = await this.#cluster.ask((client) =>
      client.indices.stats({
        index: this.#names.changes,
        metric: 'docs',
        filter_path: 'indices.*.primaries.docs.count',
      }),
    );
    return indices;
  }
}
