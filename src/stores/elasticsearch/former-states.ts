import { TidemarkError } from '../../core/errors.ts';
import type { Cluster } from '../../lib/elasticsearch/cluster.ts';
import type { LogHead } from './commit-log.ts';
import { decodeCommit, type Former } from './commit-record.ts';
import type { IndexNames } from './index-names.ts';

type CommitBody = Parameters<typeof decodeCommit>[1];

/** How keys were at a commit, when they changed after it: the log contains the former state of each change. */
export class FormerStates {
  readonly #cluster: Cluster;
  readonly #log: string;
  readonly #states = new Map<string, Former>();
  #read: number;

  constructor({ cluster, names }: { readonly cluster: Cluster; readonly names: IndexNames }, head: LogHead) {
    this.#cluster = cluster;
    this.#log = names.log;
    this.#read = head.number;
  }

  /** Reads the log on until it has met the key. */
  async of(sortKey: string): Promise<Former> {
    for (;;) {
      const known = this.#states.get(sortKey);
      if (known !== undefined) return known;
      await this.#readOn();
    }
  }

  async #readOn(): Promise<void> {
    const number = this.#read + 1;
    // It is there: what was seen came of it, or of a later one.
    const { _source } = await this.#cluster.ask((client) =>
      client.get<CommitBody>({ index: this.#log, id: String(number) }),
    );
    const commit = _source!;
    if (commit.changes.dropped) throw isDropped(number);
    for (const { sortKey, was } of decodeCommit(number, commit).changes) {
      if (!this.#states.has(sortKey)) this.#states.set(sortKey, was);
    }
    this.#read = number;
  }
}

/** Commits are dropped a day after they were made: a reader that began before that was paused meanwhile. */
function isDropped(number: number): TidemarkError {
  return new TidemarkError('unavailable', `commit ${number} was dropped from the log meanwhile: try again`);
}
