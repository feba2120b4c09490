import type { estypes } from '@elastic/elasticsearch';
import type { Cluster } from '../../lib/elasticsearch/cluster.ts';
import type { IndexNames } from './index-names.ts';
import { makeChangesIndex } from './schema.ts';

/** A shard is good for some 50 GB; change documents take some 200 bytes on disk. */
const MOST_CHANGES = 200_000_000;
/** Commits between two checks of the size of the newest index. */
const MEASURE_AFTER = 1_000;

/** The indices of changes: the newest takes what is appended, and is followed by another when it is large. */
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

  /**
   * The name of the index for the next commit. It is written into the commit, so it does not matter when two processes
   * disagree.
   */
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
    if ((counts[newest]?.primaries?.docs?.count ?? 0) < this.#most) return newest;
    const number = Number(newest.slice(this.#names.changes.length + 1)) + 1;
    await makeChangesIndex(this.#cluster, this.#names, number);
    return this.#names.changesIndex(number);
  }

  async #indices(): Promise<readonly string[]> {
    const indices = await this.#cluster.ask((client) => client.indices.getAlias({ index: this.#names.changes }));
    return Object.keys(indices);
  }

  /** Of the indices whose shards answer: one that another process has just made does not yet. */
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
