import { TidemarkError } from '../../core/errors.ts';
import type { Cluster } from '../../lib/elasticsearch/cluster.ts';
import { isMissingIndex } from '../../lib/elasticsearch/faults.ts';
import type { LogHead } from './commit-log.ts';
import {
  type CommitDocument,
  type CommitPlace,
  decodeCommit,
  type StateBefore,
  segmentAfter,
} from './commit-record.ts';
import type { IndexNames } from './index-names.ts';

/** The state of keys at a commit, for keys that changed after it: the log contains the state before each change. */
export class StatesBefore {
  readonly #cluster: Cluster;
  readonly #names: IndexNames;
  readonly #states = new Map<string, StateBefore>();
  /** The number up to which the log was read, and the segment of the next one. */
  #read: Pick<LogHead, 'number' | 'segment'>;

  constructor({ cluster, names }: { readonly cluster: Cluster; readonly names: IndexNames }, head: LogHead) {
    this.#cluster = cluster;
    this.#names = names;
    this.#read = head;
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
    const place = { number: this.#read.number + 1, segment: this.#read.segment };
    // The commit exists: the changed state that was read comes from it, or from a later one.
    const commit = await this.#get(place);
    if (commit.changes.dropped) throw isDropped(place.number);
    const record = decodeCommit(place, commit);
    for (const { sortKey, before } of record.changes) {
      if (!this.#states.has(sortKey)) this.#states.set(sortKey, before);
    }
    this.#read = { number: record.number, segment: segmentAfter(record) };
  }

  async #get({ number, segment }: CommitPlace): Promise<CommitDocument> {
    try {
      const place = { index: this.#names.logSegment(segment), id: String(number) };
      const { _source } = await this.#cluster.ask((client) => client.get<CommitDocument>(place));
      return _source!;
    } catch (error) {
      throw isMissingIndex(error) ? isDropped(number) : error;
    }
  }
}

/** Commits are dropped a day after they were made. Only a reader that was paused for a day meets this. */
function isDropped(number: number): TidemarkError {
  return new TidemarkError('unavailable', `commit ${number} was dropped from the log meanwhile: try again`);
}
