import type { estypes } from '@elastic/elasticsearch';
import { TidemarkError } from '../../core/errors.ts';
import type { Stamp } from '../../core/stamp.ts';
import type { Cluster } from '../../lib/elasticsearch/cluster.ts';
import type { DropOptions, DroppedCommits } from '../log-maintenance.ts';
import { ITEM_ERRORS, refusalIn } from './bulk.ts';
import { type CommitDocument, type CommitHead, withoutChanges } from './commit-record.ts';
import type { IndexNames } from './index-names.ts';
import { externalVersion, readPointer } from './pointer.ts';

/** The `_id`, in the index of ledgers, of the number up to which commits were dropped. */
const DROPPED = 'dropped';
/** Default age in milliseconds of commits that may be dropped: no reader takes as long for a range of keys. */
const OLDER_THAN_MS = 24 * 60 * 60 * 1000;
/**
 * The last commits are kept whatever their age. A process that is more than 16 commits behind continues from the
 * pointer, and reads none of them.
 */
const KEPT = 64;
const PER_BULK = 500;

/** A commit document without its changes. */
type Head = CommitHead & Pick<CommitDocument, 'changes'>;
type Found = estypes.GetGetResult<Head> & { readonly _source: Head };

/**
 * Removes the changes from old commits; the index of changes has them, too. The documents stay, with their uuids: their
 * numbers fence off late writers, and must never become free. See docs/internals/elasticsearch.md.
 */
export class CommitDropper {
  readonly #cluster: Cluster;
  readonly #names: IndexNames;

  constructor(cluster: Cluster, names: IndexNames) {
    this.#cluster = cluster;
    this.#names = names;
  }

  async drop(
    below: Stamp,
    { olderThan = OLDER_THAN_MS, signal, onProgress }: DropOptions = {},
  ): Promise<DroppedCommits> {
    const [pointer, before] = await Promise.all([readPointer(this.#cluster, this.#names), this.#droppedSoFar()]);
    const youngest = Date.now() - olderThan;
    const mayGo = ({ stamp, timestamp }: CommitHead) => stamp < below && Date.parse(timestamp) <= youngest;
    // Commits below the pointer are applied, by some process.
    const last = await this.#lastOf(before, (pointer?.commit ?? 0) - KEPT, mayGo);
    for (let done = before; done < last; ) {
      signal?.throwIfAborted();
      const to = Math.min(done + PER_BULK, last);
      await this.#dropRange(done + 1, to);
      await this.#record(to);
      done = to;
      onProgress?.(done - before, last - before);
    }
    if (last > before) await this.#makeRoom();
    return { dropped: last - before, total: last };
  }

  /**
   * The greatest number above `low`, and at most `high`, whose commit may be dropped; `low` if there is none. Binary
   * search: stamps ascend with the numbers.
   */
  async #lastOf(low: number, high: number, mayGo: (commit: CommitHead) => boolean): Promise<number> {
    let [least, most] = [low, Math.max(low, high)];
    while (least < most) {
      const middle = (least + most + 1) >> 1;
      const [commit] = await this.#heads(middle, middle);
      if (mayGo(commit!._source)) least = middle;
      else most = middle - 1;
    }
    return least;
  }

  async #dropRange(from: number, to: number): Promise<void> {
    for (;;) {
      const full = (await this.#heads(from, to)).filter(({ _source }) => _source.changes?.dropped !== true);
      if (full.length === 0) return;
      await this.#replace(full);
    }
  }

  /** Leaves out documents that another process has written meanwhile, such as the process that made the commit. */
  async #replace(commits: readonly Found[]): Promise<void> {
    const lines = commits.map(({ _id, _seq_no, _primary_term, _source }) => {
      const action = { _index: this.#names.log, _id, if_seq_no: _seq_no, if_primary_term: _primary_term };
      return `${JSON.stringify({ index: { ...action, require_alias: true } })}\n${JSON.stringify(withoutChanges(_source))}\n`;
    });
    const refusal = refusalIn(await this.#cluster.bulk(lines.join(''), { filter_path: ITEM_ERRORS }));
    if (refusal === undefined) return;
    throw new TidemarkError(
      'unavailable',
      `Elasticsearch at ${this.#cluster.name} did not drop a commit: ${refusal.type}: ${refusal.reason}`,
    );
  }

  async #heads(from: number, to: number): Promise<readonly Found[]> {
    const ids = Array.from({ length: to - from + 1 }, (_, at) => String(from + at));
    const { docs } = await this.#cluster.ask((client) =>
      client.mget<Head>({
        index: this.#names.log,
        ids,
        _source_includes: 'uuid,after,stamp,timestamp,changes_index,changes.dropped',
      }),
    );
    return docs.map((document) => {
      if ('_source' in document) return document as Found;
      throw new TidemarkError(
        'unavailable',
        `commit ${document._id} in ${this.#names.log} cannot be read: nothing was dropped`,
      );
    });
  }

  async #droppedSoFar(): Promise<number> {
    const { _source } = await this.#cluster.ask((client) =>
      client.get<{ readonly commit: number }>({ index: this.#names.ledgers, id: DROPPED }, { ignore: [404] }),
    );
    return _source?.commit ?? 0;
  }

  async #record(commit: number): Promise<void> {
    const document = { doc_type: 'dropped', commit };
    await this.#cluster.ask((client) =>
      client.index(
        { index: this.#names.ledgers, id: DROPPED, document, ...externalVersion(commit) },
        { ignore: [409] },
      ),
    );
  }

  /**
   * Elasticsearch frees the space of replaced documents when it merges segments. This requests a merge without waiting
   * for it.
   */
  async #makeRoom(): Promise<void> {
    await this.#cluster.ask((client) =>
      client.indices.forcemerge({
        index: this.#names.log,
        only_expunge_deletes: true,
        wait_for_completion: false,
      }),
    );
  }
}
