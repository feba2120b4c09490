import { setImmediate, setTimeout as wait } from 'node:timers/promises';
import { TidemarkError } from '../../core/errors.ts';
import { retry } from '../../lib/calls/retry.ts';
import { withTimeout } from '../../lib/calls/with-timeout.ts';
import type { Cluster } from '../../lib/elasticsearch/cluster.ts';
import { isOverloaded } from '../../lib/elasticsearch/faults.ts';
import { failpoint } from '../../lib/failpoint.ts';
import type { SlowStoreOptions } from '../slow-store.ts';
import type { StoreObserver } from '../store-observer.ts';
import { bulksOf, ITEM_ERRORS, type Refusal, refusalIn } from './bulk.ts';
import type { CommitLog } from './commit-log.ts';
import { type CommitRecord, segmentAfter } from './commit-record.ts';
import type { CurrentStateReader } from './current-state-reader.ts';
import type { IndexNames } from './index-names.ts';
import type { IndicesIdentity } from './indices-identity.ts';
import { movePointer, readPointer } from './pointer.ts';

/** Milliseconds that a commit of another process may wait before this process applies it. */
const TAKE_OVER_AFTER_MS = 1_000;
/** Milliseconds between two reads of the pointer while another process applies a commit. */
const POLL_AFTER_MS = 20;
const APPLY_BACKOFF = { firstMs: 100, longestMs: 2_000 };
/**
 * Milliseconds that a reader waits until a commit is applied, if a person waits for it, and that any caller waits while
 * applying fails.
 */
const THROUGH_TIMEOUT_MS = { working: 10_000, failing: 2_000 };

interface ApplierParts extends SlowStoreOptions {
  readonly cluster: Cluster;
  readonly names: IndexNames;
  readonly log: CommitLog;
  readonly currentStates: Pick<CurrentStateReader, 'wholeLedgers'>;
  readonly identity: IndicesIdentity;
  readonly observer: StoreObserver;
}

/** Applies commits to the indices of states, changes and ledgers, and then moves the pointer. */
export class Applier {
  readonly #cluster: Cluster;
  readonly #names: IndexNames;
  readonly #log: CommitLog;
  readonly #currentStates: Pick<CurrentStateReader, 'wholeLedgers'>;
  readonly #identity: IndicesIdentity;
  readonly #observer: StoreObserver;
  readonly #onSlow: ((message: string) => void) | undefined;
  /** Commits that this process applies, by number. The promise of a finished one is resolved. */
  readonly #applying = new Map<number, Promise<void>>();
  readonly #done = new Set<number>();
  #advancing: Promise<void> | undefined;
  #progress = Promise.withResolvers<void>();
  /** The last failure since the pointer moved, and when the first one was, in milliseconds since 1970. */
  #fault: { readonly error: unknown; readonly since: number } | undefined;
  #closed = false;

  constructor({ cluster, names, log, currentStates, identity, observer, onSlow }: ApplierParts) {
    this.#cluster = cluster;
    this.#names = names;
    this.#log = log;
    this.#currentStates = currentStates;
    this.#identity = identity;
    this.#observer = observer;
    this.#onSlow = onSlow;
  }

  /** Starts to apply a commit. */
  start(record: CommitRecord): void {
    const { number } = record;
    if (number <= this.#log.applied || this.#applying.has(number)) return;
    const began = performance.now();
    const applying = this.#applyUntilDone(record).then(() => {
      this.#observer.applied?.((performance.now() - began) / 1000);
      this.#done.add(number);
      this.#applying.delete(number);
    });
    // After closing, the commit is left to the next process.
    applying.catch(() => {});
    this.#applying.set(number, applying);
    this.#advance();
  }

  /**
   * Resolves when every commit up to a number is applied, by any process.
   * @throws TidemarkError `unavailable` when applying fails, or takes too long for a person who waits
   */
  through(number: number): Promise<void> {
    return this.#waitFor(number, this.#onSlow ?? (() => throwNotApplied(number)));
  }

  /**
   * As `through`, for a commit that needs room: however long, so that a stream of posts is read more slowly.
   * @throws TidemarkError `unavailable` when applying fails
   */
  makeRoom(number: number): Promise<void> {
    return this.#waitFor(number, this.#onSlow ?? (() => {}));
  }

  /** @param onSlow called once when that takes long */
  async #waitFor(number: number, onSlow: (message: string) => void): Promise<void> {
    const begin = Date.now();
    let isSlow = false;
    while (this.#log.applied < number) {
      if (this.#closed) throwNotApplied(number);
      this.#advance();
      const now = Date.now();
      if (this.#fault !== undefined && now - Math.max(begin, this.#fault.since) > THROUGH_TIMEOUT_MS.failing) {
        throw this.#fault.error;
      }
      if (!isSlow && now - begin > THROUGH_TIMEOUT_MS.working) {
        isSlow = true;
        onSlow(`Waits for Elasticsearch at ${this.#cluster.name}, which is slow: commit ${number} is being applied`);
      }
      await withTimeout(this.#progress.promise, POLL_AFTER_MS * 10, () => {});
    }
  }

  /**
   * Reads which commits are applied now, by any process. Starts to apply those that no process applies, without waiting
   * for them.
   */
  async readProgress(): Promise<void> {
    await this.#readPointer();
    this.#advance();
  }

  /** Resolves when the commits of this process are applied, or given up. */
  async close(): Promise<void> {
    const { number } = this.#log.head;
    await this.#waitFor(number, () => throwNotApplied(number)).catch(() => {});
    this.#closed = true;
    await this.#advancing;
  }

  #advance(): void {
    this.#advancing ??= this.#advanceAll()
      .catch((error: unknown) => this.#fail(error))
      .finally(() => {
        this.#advancing = undefined;
      });
  }

  async #advanceAll(): Promise<void> {
    let waitedFor = 0;
    let since = 0;
    while (!this.#closed) {
      const next = this.#log.applied + 1;
      const record = this.#log.pending.find(({ number }) => number >= next);
      if (record === undefined) {
        this.#fault = undefined;
        return;
      }
      if (this.#done.has(next)) await this.#movePointer();
      else if (this.#applying.has(next)) await this.#applying.get(next);
      else {
        if (waitedFor !== next) {
          waitedFor = next;
          since = Date.now();
        }
        await this.#readPointer();
        if (this.#log.applied >= next) continue;
        if (record.number === next && Date.now() - since > TAKE_OVER_AFTER_MS) this.start(record);
        else await wait(POLL_AFTER_MS);
      }
    }
  }

  /** Moves the pointer to the last commit up to which all commits are applied. */
  async #movePointer(): Promise<void> {
    let to: CommitRecord | undefined;
    for (const record of this.#log.pending) {
      if (record.number <= this.#log.applied) continue;
      if (!this.#done.has(record.number)) break;
      to = record;
    }
    if (to === undefined) return;
    const { number, uuid, stamp } = to;
    await movePointer(this.#cluster, this.#names, { commit: number, uuid, stamp, segment: segmentAfter(to) });
    failpoint('applied.moved');
    this.#settle(number);
  }

  async #readPointer(): Promise<void> {
    const pointer = await readPointer(this.#cluster, this.#names);
    if (pointer !== undefined && pointer.commit > this.#log.applied) this.#settle(pointer.commit);
  }

  /** An Elasticsearch that is too busy is slow: only that is waited for. */
  #fail(error: unknown): void {
    if (isOverloaded(error)) this.#fault = undefined;
    else this.#fault = { error, since: this.#fault?.since ?? Date.now() };
  }

  #settle(number: number): void {
    this.#fault = undefined;
    for (const done of this.#done) if (done <= number) this.#done.delete(done);
    this.#log.markApplied(number);
    this.#progress.resolve();
    this.#progress = Promise.withResolvers();
  }

  async #applyUntilDone(record: CommitRecord): Promise<void> {
    const isTemporary = (error: unknown) => {
      this.#fail(error);
      return !this.#closed;
    };
    const applyOnce = async () => {
      failpoint('apply.begun');
      await this.#identity.require();
      await this.#apply(record);
      failpoint('apply.written');
    };
    await retry(applyOnce, { ...APPLY_BACKOFF, isTemporary });
  }

  async #apply(record: CommitRecord): Promise<void> {
    const whole = { ...record, ledgers: await this.#currentStates.wholeLedgers(record) };
    const underWay: Promise<void>[] = [];
    try {
      for (const lines of bulksOf(whole, this.#names)) {
        // Two requests at a time: while one is indexed, the next is prepared and sent.
        if (underWay.length >= 2) await underWay.shift();
        const sent = this.#send(lines, record);
        sent.catch(() => {});
        underWay.push(sent);
        failpoint('apply.sent');
        await setImmediate();
      }
    } finally {
      await Promise.all(underWay);
    }
  }

  async #send(lines: Buffer, record: CommitRecord): Promise<void> {
    const { errors } = await this.#cluster.bulk(lines, { filter_path: 'errors' });
    // Which documents failed is requested only on errors, because filtering each response would cost Elasticsearch a
    // part of its work. In the repeated request, documents that were accepted before are rejected as conflicts: they
    // are stored.
    if (errors) await this.#requireTaken(lines, record);
  }

  async #requireTaken(lines: Buffer, record: CommitRecord): Promise<void> {
    // A conflict means that the same or a newer version was applied before.
    const refusal = refusalIn(await this.#cluster.bulk(lines, { filter_path: ITEM_ERRORS }));
    if (refusal === undefined) return;
    throw refused(refusal, record, this.#cluster.name);
  }
}

function refused({ _index, _id, status, type, reason }: Refusal, record: CommitRecord, server: string): TidemarkError {
  const { changes, raised, ledgers, number } = record;
  const of =
    changes.find(({ id, stamp }) => id === _id || String(stamp) === _id) ?? raised.find(({ id }) => id === _id);
  const slug = ledgers.find(({ set }) => set === of?.set)?.slug;
  const forOperators = `${of === undefined ? _id : `${of.key.replace(/^\//, '')} of ${slug ?? of.set}`}: ${reason}`;
  // The document is wrong for its index.
  const isPermanent = status === 400;
  const advice = `: commit ${number} and those after it are not published until it does; see "Documents that Elasticsearch refuses" in docs/protocol.md`;
  return new TidemarkError(
    'unavailable',
    `Elasticsearch at ${server} did not take a document into ${_index}: ${type} (${forOperators})${isPermanent ? advice : ''}`,
    { forOperators, type },
  );
}

function throwNotApplied(number: number): never {
  throw new TidemarkError('unavailable', `commit ${number} is being applied: try again in a few seconds`);
}
