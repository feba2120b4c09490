import type { TransportRequestOptionsWithMeta } from '@elastic/elasticsearch';
import { isTidemarkError, TidemarkError } from '../../core/errors.ts';
import type { SetId } from '../../core/resource-set.ts';
import type { Stamp } from '../../core/stamp.ts';
import { Mutex } from '../../lib/calls/mutex.ts';
import { pauseAfter, retry } from '../../lib/calls/retry.ts';
import type { Cluster } from '../../lib/elasticsearch/cluster.ts';
import { isMissingIndex, isOverloaded } from '../../lib/elasticsearch/faults.ts';
import { CommitReader, isApplied, type ReadCommit } from './commit-reader.ts';
import {
  type CommitDocument,
  type CommitPlace,
  type CommitRecord,
  decodeCommit,
  encodeCommit,
  type LedgerEntry,
  ledgerAfter,
  segmentAfter,
} from './commit-record.ts';
import { FenceHead } from './fence/fence-head.ts';
import type { IndexNames } from './index-names.ts';
import type { IndicesIdentity } from './indices-identity.ts';
import { KnownKeys } from './known-keys.ts';
import { Overlay } from './overlay.ts';
import type { Pointer } from './pointer.ts';

/** The newest known commit. */
export interface LogHead {
  readonly number: number;
  readonly uuid: string;
  readonly stamp: Stamp;
  /** The log segment of the next number. */
  readonly segment: number;
}

/** A commit that reserves the next number for the process that made it. */
interface Reservation {
  readonly uuid: string;
  /** When this process read it, by `performance.now()`. */
  readonly since: number;
}

interface LogParts {
  readonly cluster: Cluster;
  readonly names: IndexNames;
  readonly identity: IndicesIdentity;
}

/** How often a commit may be read and not be on all copies, or be written anew by another process meanwhile. */
const MOST_DISAGREEMENTS = 12;
const DISAGREEMENT_BACKOFF = { firstMs: 20, longestMs: 200 };
/** A process that is more commits behind continues from the pointer instead of reading them. */
const MOST_COMMITS_TO_READ = 16;
/** Milliseconds after which a commit without a response is given up; it may be in the log. */
const APPEND_TIMEOUT_MS = 20_000;
const APPEND_BACKOFF = { firstMs: 100, longestMs: 100 };
/** The client would send bytes as text/plain. */
const JSON_TYPE = 'application/vnd.elasticsearch+json; compatible-with=8';
const WRITE: TransportRequestOptionsWithMeta = {
  ignore: [409],
  headers: { 'content-type': JSON_TYPE, accept: JSON_TYPE },
  meta: true,
  // The client does not report what became of a request that it repeats: see `#appendUntilKnown`.
  maxRetries: 0,
};

/** This process's view of the log. Its methods must be called one at a time: see `exclusive`. */
export class CommitLog {
  readonly #cluster: Cluster;
  readonly #names: IndexNames;
  readonly #identity: IndicesIdentity;
  readonly #reader: CommitReader;
  #head: LogHead = { number: 0, uuid: '', stamp: 0, segment: 1 };
  #reservation: Reservation | undefined;
  #applied = 0;
  #appliedStamp: Stamp = 0;
  #pending: CommitRecord[] = [];
  readonly #mutex = new Mutex();
  /** Whether the head fences the store. */
  readonly fence = new FenceHead();
  readonly overlay = new Overlay();
  /** The keys of changes up to the head. */
  readonly knownKeys = new KnownKeys();
  /**
   * Ledgers after the head, with the positions of all sources. For a set that is not in the map, the stored document
   * and the pending commits are current.
   */
  readonly ledgers = new Map<SetId, LedgerEntry>();

  constructor({ cluster, names, identity }: LogParts) {
    this.#cluster = cluster;
    this.#names = names;
    this.#identity = identity;
    this.#reader = new CommitReader(cluster, names);
  }

  get head(): LogHead {
    return this.#head;
  }

  /** The head, if it is a reservation. */
  get reservation(): Reservation | undefined {
    return this.#reservation;
  }

  /** The number up to which all commits are known to be applied. */
  get applied(): number {
    return this.#applied;
  }

  /** The stamp of that commit; 0 while it is unknown. */
  get appliedStamp(): Stamp {
    return this.#appliedStamp;
  }

  /** The commits above `applied`, in order. */
  get pending(): readonly CommitRecord[] {
    return this.#pending;
  }

  /** Runs tasks one at a time. */
  exclusive<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#mutex.run(work);
  }

  /**
   * Reads the log up to the first number without a commit. Returns whether there were new commits.
   * @throws TidemarkError `unavailable` when nodes do not agree about the log
   */
  async catchUp(): Promise<boolean> {
    const before = this.#head.number;
    await this.#untilAgreed(() => this.#readOn());
    return this.#head.number > before;
  }

  /** Repeats a read of the log until it returns true. @throws TidemarkError `unavailable` after a second */
  async #untilAgreed(read: () => Promise<boolean>): Promise<void> {
    for (let failures = 1; !(await read()); failures++) {
      if (failures === MOST_DISAGREEMENTS) throw this.#disagreement();
      await pauseAfter(failures, DISAGREEMENT_BACKOFF);
    }
  }

  #disagreement(): TidemarkError {
    return new TidemarkError(
      'unavailable',
      `nodes of Elasticsearch at ${this.#cluster.name} do not agree about the log: one may be cut off; try again in a few seconds`,
    );
  }

  /** Takes the commits after the head. Returns false when what was read may be on one copy only. */
  async #readOn(): Promise<boolean> {
    let read: ReadCommit[] = [];
    for (;;) {
      const last = read.at(-1);
      const next = placeAfter(last?.record ?? this.#head);
      const { pointer, commit } = await this.#reader.read(next);
      const isFar = pointer !== undefined && pointer.commit > this.#head.number + MOST_COMMITS_TO_READ;
      // A dropped commit, or one in a removed segment, is far below the pointer.
      if (isFar || commit === 'removed' || commit?._source.changes.dropped) {
        // A node that was cut off may show an old pointer.
        if (pointer === undefined || pointer.commit <= this.#head.number) return false;
        if (!(await this.#leap(pointer))) return false;
        read = [];
        continue;
      }
      const record = commit && decodeCommit(next, commit._source);
      if (last === undefined && record === undefined) return true;
      if (record !== undefined && (last === undefined || record.after === last.record.uuid)) {
        read.push({ record, stored: commit! });
        continue;
      }
      if (!(isApplied(last!.record, pointer) || (await this.#reader.isOnAllCopies(last!)))) return false;
      for (const { record } of read) this.#take(record);
      if (record === undefined) return true;
      // It does not follow the commit before: it is read again.
      read = [];
    }
  }

  /**
   * Whether the head is still the newest commit, in the indices that were opened: for a response that appends nothing,
   * and so meets no conflict (409) that would reveal a newer commit.
   */
  async isNewest(): Promise<boolean> {
    if (await this.catchUp()) return false;
    await this.#identity.require();
    return true;
  }

  /**
   * Appends a commit with the number after the head. Returns whether it is in the log; if not, another process has
   * appended a commit, and the head is further.
   * @throws TidemarkError `unavailable` when the result is unknown: it may be in the log, or appear there. When
   * Elasticsearch is overloaded (`isOverloaded`), it is not in the log
   */
  async append(record: CommitRecord): Promise<boolean> {
    if (this.fence.isClosedTo(record)) await this.requireOpen();
    if (record.number !== this.#head.number + 1) return false;
    await this.#identity.require();
    const isLogged = await this.#appendUntilKnown(record);
    // The process may have been paused meanwhile.
    await this.#identity.require().catch((error: unknown) => Promise.reject(resultUnknown(error)));
    // Callers repeat without a pause: a copy that lags may not show yet what was refused.
    if (!isLogged) await this.#untilAgreed(() => this.catchUp());
    return isLogged;
  }

  /** @throws TidemarkError when the newest commit fences the store: see `FenceHead` */
  async requireOpen(): Promise<void> {
    if (!this.fence.isClosed) return;
    await this.catchUp();
    this.fence.require();
  }

  async #appendUntilKnown(record: CommitRecord): Promise<boolean> {
    const body = await encodeCommit(record);
    const deadline = Date.now() + APPEND_TIMEOUT_MS;
    /** Whether an earlier request may have been executed. */
    let mayBeLogged = false;
    const isTemporary = (error: unknown) => {
      // The caller waits, while others may read the log.
      if (isOverloaded(error) && !mayBeLogged) return false;
      mayBeLogged = true;
      return isTidemarkError(error, 'unavailable') && !isRefusal(error) && Date.now() <= deadline;
    };
    const createOnce = () =>
      this.#create(record, body).catch((error: unknown) => {
        // The segment was removed: it had ended. After a lost response that does not say whether the commit was in it.
        if (isMissingIndex(error) && !mayBeLogged) return false;
        throw error;
      });
    const createUntilKnown = () =>
      retry(createOnce, { ...APPEND_BACKOFF, isTemporary }).catch((error: unknown) => {
        throw mayBeLogged ? resultUnknown(error) : error;
      });
    for (;;) {
      const isLogged = await createUntilKnown();
      if (isLogged !== undefined) return isLogged;
      if (Date.now() > deadline) throw this.#disagreement();
      await pauseAfter(1, APPEND_BACKOFF);
    }
  }

  /** Records that every commit up to a number is applied, and forgets the changes of these commits. */
  markApplied(number: number): void {
    this.#applied = Math.max(this.#applied, number);
    while (this.#pending.length > 0 && this.#pending[0]!.number <= number) {
      const record = this.#pending.shift()!;
      this.#appliedStamp = record.stamp;
      this.overlay.forget(record);
    }
  }

  /**
   * True: the commit is stored. False: another commit is stored. Undefined: it was overwritten meanwhile; check
   * again.
   */
  async #create(record: CommitRecord, body: Buffer): Promise<boolean | undefined> {
    const { number, uuid, segment } = record;
    // Not an alias of several segments: the newest one has no document of an older number.
    const place = { index: this.#names.logSegment(segment), id: String(number) };
    // A deleted log must not be created anew: it would begin in the middle.
    const write = { ...place, document: body, require_alias: true };
    const created = await this.#cluster.ask((client) => client.create(write, WRITE));
    if (created.statusCode !== 409) {
      this.#take(record);
      return true;
    }
    const { _source, _seq_no, _primary_term } = await this.#cluster.ask((client) =>
      client.get<CommitDocument>(place, { ignore: [404] }),
    );
    // A copy that lags does not have it yet; or only a node that was cut off had it.
    if (_source === undefined) return undefined;
    if (_source.uuid !== uuid) return false;
    // The response was lost. The document may be on one shard copy only: an acknowledged write is on all of them.
    const known = { if_seq_no: _seq_no!, if_primary_term: _primary_term! };
    const confirmed = await this.#cluster.ask((client) => client.index({ ...write, ...known }, WRITE));
    if (confirmed.statusCode === 409) return undefined;
    this.#take(record);
    return true;
  }

  #take(record: CommitRecord): void {
    if (record.after !== this.#head.uuid && this.#head.number > 0) {
      throw new TidemarkError(
        'incompatible',
        `commit ${record.number} in ${this.#names.log} does not follow commit ${this.#head.number}: the log has a hole, or was mixed with another one; restore it from a snapshot`,
      );
    }
    const { number, uuid, stamp } = record;
    this.#head = { number, uuid, stamp, segment: segmentAfter(record) };
    this.#reservation = record.isReservation && { uuid, since: performance.now() };
    this.fence.take(record);
    this.#pending.push(record);
    this.overlay.apply(record);
    this.knownKeys.add(record.changes);
    this.knownKeys.add(record.raised);
    for (const { set } of record.ledgers) {
      const known = this.ledgers.get(set);
      if (known !== undefined) this.ledgers.set(set, ledgerAfter(known, record));
    }
    // The pointer may be further than the commits read.
    this.markApplied(this.#applied);
  }

  /**
   * Continues at the pointer. It is right even if only one copy has it: the process that moved it had applied the
   * commit, which was on all copies. Returns false when a node shows another commit in its place.
   */
  async #leap({ commit, uuid, stamp, segment = 1 }: Pointer): Promise<boolean> {
    // A seal is in the segment before. It has no fence.
    const place = { number: commit, segment };
    const { commit: found } = await this.#reader.read(place);
    const head = found === undefined || found === 'removed' ? undefined : decodeCommit(place, found._source);
    if (head !== undefined && head.uuid !== uuid) return false;
    this.#head = { number: commit, uuid, stamp, segment };
    this.#reservation = undefined;
    this.fence.take(head);
    this.markApplied(commit);
    this.#appliedStamp = stamp;
    this.ledgers.clear();
    this.knownKeys.clear();
    return true;
  }
}

/** Where the commit after a commit is. */
function placeAfter(commit: Pick<CommitRecord, 'number' | 'segment' | 'isSeal'>): CommitPlace {
  return { number: commit.number + 1, segment: segmentAfter(commit) };
}

/** After a commit that may be in the log, an overload must not look as if nothing had been executed. */
function resultUnknown(error: unknown): unknown {
  if (!isOverloaded(error)) return error;
  return new TidemarkError('unavailable', `${error.message}; the events may be stored: post them again`, {}, error);
}

/** Whether the response is an error that is not temporary. */
function isRefusal({ details }: TidemarkError): boolean {
  const lasts = ['cluster_block_exception', 'index_not_found_exception'].includes(String(details.type));
  return lasts || details.status === 401 || details.status === 403;
}
