import type { Cluster } from './cluster.ts';
import { type IndexNames, makeChangesIndex } from './schema.ts';

/** A shard is good for some 50 GB; change documents take some 200 bytes on disk. */
const MOST_CHANGES = 200_000_000;
/** Commits between two looks at how large the newest index is. */
const LOOK_AFTER = 1_000;

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

  /** The name of the index for the next commit. It is written into the commit, so it does not matter when two processes disagree. */
  current(): Promise<string> {
    if (this.#asked++ % LOOK_AFTER === 0) this.#current = undefined;
    if (this.#current === undefined) {
      this.#current = this.#look();
      this.#current.catch(() => {
        this.#current = undefined;
      });
    }
    return this.#current;
  }

  async #look(): Promise<string> {
    const { body } = await this.#cluster.ask<{
      indices: Readonly<Record<string, { primaries: { docs: { count: number } } }>>;
    }>({
      method: 'GET',
      path: `/${this.#names.changes}/_stats/docs`,
      query: { filter_path: 'indices.*.primaries.docs.count' },
    });
    const newest = Object.keys(body.indices).sort().at(-1)!;
    if (body.indices[newest]!.primaries.docs.count < this.#most) return newest;
    const number = Number(newest.slice(this.#names.changes.length + 1)) + 1;
    await makeChangesIndex(this.#cluster, this.#names, number);
    return this.#names.changesIndex(number);
  }
}
