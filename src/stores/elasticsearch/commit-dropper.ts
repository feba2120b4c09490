import type { estypes } from '@elastic/elasticsearch';
import { TidemarkError } from '../../core/errors.ts';
import type { Stamp } from '../../core/stamp.ts';
import type { Cluster } from '../../lib/elasticsearch/cluster.ts';
import type { DropOptions, DroppedCommits } from '../log-maintenance.ts';
import { ITEM_ERRORS, refusalIn } from './bulk.ts';
import { type CommitDocument, type CommitHead, withoutChanges } from './commit-record.ts';
import type { IndexNames } from './index-names.ts';
import { externalVersion, readPointer } from './pointer.ts';

/** The `_id` of the number, in the index of ledgers, up to which commits have no changes any more. */
const DROPPED = 'dropped';
/** Milliseconds that a commit stays at least, by default: no reader takes so long for a range of keys. */
const OLDER_THAN = 24 * 60 * 60 * 1000;
/**
 * The last commits stay whatever their age. A process that is more than 16 commits behind goes on from the pointer and
 * reads none of them.
 */
const KEPT = 64;
const PER_BULK = 500;

/** A commit without its changes. */
type Head = CommitHead & Pick<CommitDocument, 'changes'>;
type Found = estypes.GetGetResult<Head> & { readonly _source: Head };

/**
 * Takes the changes out of old commits, which the index of changes has, too. The documents stay, with their uuids: a
 * number fences off late writers, and must never be free again. See docs/elasticsearch.md.
 */
export class CommitDropper {
  readonly #cluster: Cluster;
  readonly #names: IndexNames;

  constructor(cluster: Cluster, names: IndexNames) {
    this.#cluster = cluster;
    this.#names = names;
  }

  async drop(below: Stamp, { olderThan = OLDER_THAN, signal, onProgress }: DropOptions = {}): Promise<DroppedCommits> {
    const [pointer, before] = await Promise.all([readPointer(this.#cluster, this.#names), this.#droppedSoFar()]);
    const youngest = Date.now() - olderThan;
    const mayGo = ({ stamp, timestamp }: CommitHead) => stamp < below && Date.parse(timestamp) <= youngest;
    // Below the pointer, and so applied, by whichever process.
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
   * The greatest number above `low` up to `high` whose commit may go; `low` when there is none. Stamps ascend with the
   * numbers.
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

  /** Those that another process has written meanwhile, perhaps the one that made it, are left as they are. */
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

  /** Elasticsearch frees the room of what was replaced when it merges; this asks for it, and does not wait. */
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
