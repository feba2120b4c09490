import type { estypes } from '@elastic/elasticsearch';
import { TidemarkError } from '../../../core/errors.ts';
import type { Stamp } from '../../../core/stamp.ts';
import type { Cluster } from '../../../lib/elasticsearch/cluster.ts';
import { failpoint } from '../../../lib/failpoint.ts';
import type { DropOptions, DroppedCommits } from '../../log-maintenance.ts';
import { ITEM_ERRORS, refusalIn } from '../bulk.ts';
import type { LogHead } from '../commit-log.ts';
import { type CommitHead, withoutChanges } from '../commit-record.ts';
import type { IndexNames } from '../index-names.ts';
import type { IndicesIdentity } from '../indices-identity.ts';
import { externalVersion, readPointer } from '../pointer.ts';
import { openSegments, removeSegment } from './segment-indices.ts';

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
const HEAD_FIELDS = ['uuid', 'after', 'stamp', 'timestamp', 'changes_index', 'changes.dropped', 'changes.seal'];

type Found = estypes.GetGetResult<CommitHead> & { readonly _source: CommitHead };

interface DropperParts {
  readonly cluster: Cluster;
  readonly names: IndexNames;
  readonly identity: IndicesIdentity;
}

/** How far commits were dropped: the number of the last one, and the segment of the next one. */
type Dropped = Pick<LogHead, 'number' | 'segment'>;

interface StoredDropped {
  readonly commit: number;
  /** Absent in documents of schema 6: the first one. */
  readonly segment?: number;
}

/**
 * Removes the changes from old commits; the index of changes has them, too. The documents stay, with their uuids: their
 * numbers fence off late writers, and must never become free. A segment of which all commits may be dropped is removed
 * whole: its name is the fence. See docs/internals/elasticsearch.md.
 */
export class CommitDropper {
  readonly #cluster: Cluster;
  readonly #names: IndexNames;
  readonly #identity: IndicesIdentity;

  constructor({ cluster, names, identity }: DropperParts) {
    this.#cluster = cluster;
    this.#names = names;
    this.#identity = identity;
  }

  async drop(
    below: Stamp,
    { olderThan = OLDER_THAN_MS, signal, onProgress }: DropOptions = {},
  ): Promise<DroppedCommits> {
    const [pointer, before] = await Promise.all([readPointer(this.#cluster, this.#names), this.#droppedSoFar()]);
    const youngest = Date.now() - olderThan;
    const mayGo = ({ stamp, timestamp }: CommitHead) => stamp < below && Date.parse(timestamp) <= youngest;
    // Commits below the pointer are applied, by some process.
    const high = (pointer?.commit ?? 0) - KEPT;
    const last = await greatest(before.number, high, async (number) => mayGo((await this.#find(number))._source));
    const commits = last - before.number;
    let reached = before;
    if (commits > 0) {
      const place = await this.#find(last);
      for (reached = await this.#skipWhole(before, last, place.segment); reached.number < last; ) {
        signal?.throwIfAborted();
        reached = await this.#dropUpTo(Math.min(reached.number + PER_BULK, last), reached);
        onProgress?.(reached.number - before.number, commits);
      }
    }
    const removedSegments = await this.#removeBelow(reached.segment, signal);
    if (commits > 0) await this.#makeRoom(reached.segment);
    return { dropped: commits, total: last, removedSegments };
  }

  /**
   * Segments below that of the last commit are removed whole, so their commits need not be dropped. Records that all of
   * them may go.
   */
  async #skipWhole(before: Dropped, last: number, segment: number): Promise<Dropped> {
    if (segment === before.segment) return before;
    const isBelow = async (number: number) => (await this.#find(number)).segment < segment;
    const reached = { number: await greatest(before.number, last - 1, isBelow), segment };
    await this.#record(reached);
    return reached;
  }

  /** Drops the commits after `reached`, which are in its segment. */
  async #dropUpTo(to: number, { number, segment }: Dropped): Promise<Dropped> {
    const isSeal = await this.#dropRange(number + 1, to, segment);
    const reached = { number: to, segment: isSeal ? segment + 1 : segment };
    await this.#record(reached);
    return reached;
  }

  /** Removes the segments of which all commits may go. Returns how many. */
  async #removeBelow(segment: number, signal: AbortSignal | undefined): Promise<number> {
    const whole = (await openSegments(this.#cluster, this.#names)).filter(({ number }) => number < segment);
    for (const old of whole) {
      signal?.throwIfAborted();
      failpoint('segment.removing');
      // Another store may have the name of the index meanwhile.
      await this.#identity.require();
      await removeSegment(this.#cluster, this.#names, old);
      failpoint('segment.removed');
    }
    return whole.length;
  }

  /** Returns whether the last commit is a seal. */
  async #dropRange(from: number, to: number, segment: number): Promise<boolean> {
    for (;;) {
      const heads = await this.#heads(from, to, segment);
      const full = heads.filter(({ _source }) => _source.changes?.dropped !== true);
      if (full.length === 0) return heads.at(-1)!._source.changes?.seal === true;
      await this.#replace(full, segment);
    }
  }

  /** Leaves out documents that another process has written meanwhile, such as the process that made the commit. */
  async #replace(commits: readonly Found[], segment: number): Promise<void> {
    const index = this.#names.logSegment(segment);
    const lines = commits.map(({ _id, _seq_no, _primary_term, _source }) => {
      const action = { _index: index, _id, if_seq_no: _seq_no, if_primary_term: _primary_term };
      return `${JSON.stringify({ index: { ...action, require_alias: true } })}\n${JSON.stringify(withoutChanges(_source))}\n`;
    });
    const refusal = refusalIn(await this.#cluster.bulk(lines.join(''), { filter_path: ITEM_ERRORS }));
    if (refusal === undefined) return;
    throw new TidemarkError(
      'unavailable',
      `Elasticsearch at ${this.#cluster.name} did not drop a commit: ${refusal.type}: ${refusal.reason}`,
    );
  }

  async #heads(from: number, to: number, segment: number): Promise<readonly Found[]> {
    const ids = Array.from({ length: to - from + 1 }, (_, at) => String(from + at));
    const { docs } = await this.#cluster.ask((client) =>
      client.mget<CommitHead>({ index: this.#names.logSegment(segment), ids, _source_includes: HEAD_FIELDS }),
    );
    return docs.map((document) => (isFound(document) ? document : throwUnreadable(this.#names, document._id)));
  }

  /** A commit in whichever segment it is. */
  async #find(number: number): Promise<Found & { readonly segment: number }> {
    const segments = await openSegments(this.#cluster, this.#names);
    const wanted = segments.map((segment) => ({ _index: this.#names.logSegment(segment.number), _id: String(number) }));
    const { docs } = await this.#cluster.ask((client) =>
      client.mget<CommitHead>({ docs: wanted, _source_includes: HEAD_FIELDS }),
    );
    const at = docs.findIndex(isFound);
    if (at < 0) return throwUnreadable(this.#names, String(number));
    return { ...(docs[at] as Found), segment: segments[at]!.number };
  }

  async #droppedSoFar(): Promise<Dropped> {
    const { _source } = await this.#cluster.ask((client) =>
      client.get<StoredDropped>({ index: this.#names.ledgers, id: DROPPED }, { ignore: [404] }),
    );
    return { number: _source?.commit ?? 0, segment: _source?.segment ?? 1 };
  }

  async #record({ number: commit, segment }: Dropped): Promise<void> {
    await this.#identity.require();
    const document = { doc_type: 'dropped', commit, segment };
    await this.#cluster.ask((client) =>
      client.index(
        { index: this.#names.ledgers, id: DROPPED, document, ...externalVersion(commit) },
        { ignore: [409] },
      ),
    );
  }

  /**
   * Elasticsearch frees the space of replaced documents when it merges its segments. This requests a merge without
   * waiting for it.
   */
  async #makeRoom(segment: number): Promise<void> {
    await this.#cluster.ask((client) =>
      client.indices.forcemerge({
        index: this.#names.logSegment(segment),
        only_expunge_deletes: true,
        wait_for_completion: false,
      }),
    );
  }
}

/**
 * The greatest number above `low`, and at most `high`, that is in order; `low` if there is none. Binary search: of what
 * is below such a number, everything is in order, as stamps and segments ascend with the numbers.
 */
async function greatest(low: number, high: number, isInOrder: (number: number) => Promise<boolean>): Promise<number> {
  let [least, most] = [low, Math.max(low, high)];
  while (least < most) {
    const middle = Math.floor((least + most + 1) / 2);
    if (await isInOrder(middle)) least = middle;
    else most = middle - 1;
  }
  return least;
}

function isFound(document: estypes.MgetResponseItem<CommitHead>): document is Found {
  return '_source' in document;
}

function throwUnreadable({ log }: IndexNames, number: string): never {
  const message = `commit ${number} in ${log} cannot be read: it was not dropped; another process may have dropped it`;
  throw new TidemarkError('unavailable', message);
}
