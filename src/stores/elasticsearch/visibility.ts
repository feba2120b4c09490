import { TidemarkError } from '../../core/errors.ts';
import type { SetId } from '../../core/resource-set.ts';
import type { Stamp } from '../../core/stamp.ts';
import { CoalescedRead } from '../../lib/calls/coalesced-read.ts';
import { waitWithinBudget } from '../../lib/calls/wait-budget.ts';
import type { Cluster } from '../../lib/elasticsearch/cluster.ts';
import { failpoint } from '../../lib/failpoint.ts';
import type { Applier } from './applier.ts';
import type { CommitLog, LogHead } from './commit-log.ts';
import type { IndexNames } from './index-names.ts';
import type { IndicesIdentity } from './indices-identity.ts';
import type { StoredSets } from './stored-sets.ts';

/** Milliseconds after which a reader checks again that the indices are those that were opened. */
const CHECK_IDENTITY_AFTER_MS = 1_000;
/** Milliseconds for which a person waits: for a read that began before theirs, and for their own. */
const TIMEOUT_MS = 10_000;

interface Parts {
  readonly cluster: Cluster;
  readonly names: IndexNames;
  readonly log: CommitLog;
  readonly identity: IndicesIdentity;
  readonly applier: Applier;
  readonly sets: StoredSets;
  /** Whether reads take as long as they need, because no person waits for them. */
  readonly isPatient: boolean;
}

/** Makes commits visible to searches that begin later: see docs/internals/elasticsearch.md. */
export class Visibility {
  readonly #parts: Parts;
  readonly #committed = new CoalescedRead(() => this.#catchUp());
  readonly #settled = new CoalescedRead(() => this.#settle());
  #visible = 0;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Returns the last commit, which need not be visible yet. */
  committed(): Promise<LogHead> {
    return this.#inTime(this.#committed.read());
  }

  /**
   * Resolves when every earlier commit is applied, so that documents of one set can be read by id, which is realtime.
   * @throws TidemarkError `not-found`
   */
  async appliedFor(set: SetId): Promise<void> {
    await Promise.all([this.#inTime(this.#applied()), this.#parts.sets.require(set)]);
  }

  /** Resolves when every earlier commit is visible. Returns the last of these commits. */
  settled(): Promise<LogHead> {
    return this.#inTime(this.#settled.read());
  }

  /**
   * As `settled`, for readers of one set.
   * @throws TidemarkError `not-found`
   */
  async settledFor(set: SetId): Promise<LogHead> {
    const [head] = await Promise.all([this.settled(), this.#parts.sets.require(set)]);
    return head;
  }

  /**
   * Refreshes indices. Ledgers need no refresh, because they are read by id, which is realtime: so no reader waits for
   * a new segment of their index.
   */
  refresh(...indices: readonly string[]): Promise<void> {
    return this.#parts.cluster.refresh(...indices);
  }

  /** Requests to Elasticsearch have longer timeouts, and several of them may be needed. */
  #inTime<Result>(read: Promise<Result>): Promise<Result> {
    if (this.#parts.isPatient) return read;
    return waitWithinBudget(read, TIMEOUT_MS, () => {
      const { name } = this.#parts.cluster;
      throw new TidemarkError('unavailable', `Elasticsearch at ${name} is slow: try again in a few seconds`);
    });
  }

  async #catchUp(): Promise<LogHead> {
    const { log, identity } = this.#parts;
    const caughtUp = log.exclusive(async () => {
      await log.catchUp();
      return log.head;
    });
    const [head] = await Promise.all([caughtUp, identity.require(CHECK_IDENTITY_AFTER_MS)]);
    return head;
  }

  async #applied(): Promise<LogHead> {
    const head = await this.#committed.read();
    if (head.number > this.#visible) await this.#parts.applier.through(head.number);
    return head;
  }

  async #settle(): Promise<LogHead> {
    const { names } = this.#parts;
    const head = await this.#applied();
    if (head.number > this.#visible) {
      failpoint('refresh.begun');
      await this.refresh(names.resources, names.changes);
      failpoint('refresh.done');
      this.#visible = head.number;
    }
    return head;
  }
}

/**
 * The lower one of a boundary and the watermark of a head. Above that, a search may find a later commit while an
 * earlier one is still being applied: a reader that goes on after what it has read would never get the earlier one.
 */
export function notAbove({ stamp }: LogHead, boundary: Stamp | undefined): Stamp {
  return Math.min(boundary ?? Number.POSITIVE_INFINITY, stamp + 1);
}
