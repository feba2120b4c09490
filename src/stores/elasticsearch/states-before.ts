import { TidemarkError } from '../../core/errors.ts';
import type { Cluster } from '../../lib/elasticsearch/cluster.ts';
import type { LogHead } from './commit-log.ts';
import { decodeCommit, type StateBefore } from './commit-record.ts';
import type { IndexNames } from './index-names.ts';

type CommitBody = Parameters<typeof decodeCommit>[1];

/** The state of keys at a commit, for keys that changed after it: the log contains the state before each change. */
export class StatesBefore {
  readonly #cluster: Cluster;
  readonly #log: string;
  readonly #states = new Map<string, StateBefore>();
  #read: number;

  constructor({ cluster, names }: { readonly cluster: Cluster; readonly names: IndexNames }, head: LogHead) {
    this.#cluster = cluster;
    this.#log = names.log;
    this.#read = head.number;
  }

  /** Reads further in the log until it finds a change of the key. */
  async of(sortKey: string): Promise<StateBefore> {
    for (;;) {
      const known = this.#states.get(sortKey);
      if (known !== undefined) return known;
      await this.#readOn();
    }
  }

  async #readOn(): Promise<void> {
    const number = this.#read + 1;
    // The commit exists: the changed state that was read comes from it, or from a later one.
    const { _source } = await this.#cluster.ask((client) =>
      client.get<CommitBody>({ index: this.#log, id: String(number) }),
    );
    const commit = _source!;
    if (commit.changes.dropped) throw isDropped(number);
    for (const { sortKey, before } of decodeCommit(number, commit).changes) {
      if (!this.#states.has(sortKey)) this.#states.set(sortKey, before);
    }
    this.#read = number;
  }
}

/** Commits are dropped a day after they were made. Only a reader that was paused for a day meets this. */
function isDropped(number: number): TidemarkError {
  return new TidemarkError('unavailable', `commit ${number} was dropped from the log meanwhile: try again`);
}
