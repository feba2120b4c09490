import { clockIsBehind, isAhead } from '../../core/accepted-clock.ts';
import type { PostableEvent, ReplayedChange } from '../../core/change.ts';
import {
  type BatchEvent,
  type BatchSet,
  type CurrentState,
  type DecidedChange,
  type DecidedSet,
  decideBatch,
  type RaisedOrder,
} from '../../core/decide-batch.ts';
import { decodedState, encodedState } from '../../core/resource.ts';
import type { SetId } from '../../core/resource-set.ts';
import { clockStamp, type Stamp } from '../../core/stamp.ts';
import type { Overload } from '../../lib/elasticsearch/overload.ts';
import { failpoint } from '../../lib/failpoint.ts';
import type { Catalog } from '../catalog.ts';
import { type CommitResult, stampsOf, toResult } from '../commit-result.ts';
import { readAcceptedClock } from '../store-clock.ts';
import type { Applier } from './applier.ts';
import type { ClockCheck } from './clock-check.ts';
import type { CommitLog } from './commit-log.ts';
import {
  type CommitRecord,
  emptyRecord,
  type LedgerEntry,
  type LoggedChange,
  type LoggedOrder,
  type StateBefore,
} from './commit-record.ts';
import type { CurrentStateReader, EventKeys } from './current-state-reader.ts';
import { Reservations } from './reservation.ts';
import type { LogSegments } from './segments/log-segments.ts';
import type { StoredSets } from './stored-sets.ts';

/**
 * Most commits that may wait to be applied, and most changes in them: the garbage collector copies and marks waiting
 * changes repeatedly.
 */
const MOST_PENDING = { commits: 8, changes: 25_000 };
/** How many races a commit may lose before it reserves the next number. */
const MOST_LOST = 3;

interface CommitterParts {
  readonly log: CommitLog;
  readonly applier: Applier;
  readonly segments: LogSegments;
  readonly sets: StoredSets;
  readonly currentStates: CurrentStateReader;
  readonly clock: ClockCheck;
  readonly catalog: Catalog;
  readonly overload: Overload;
  /** The concrete index for the changes of the next commit. */
  changesIndex(): Promise<string>;
}

interface Decision {
  readonly results: readonly CommitResult[];
  /** Undefined when nothing is to be appended. */
  readonly record: CommitRecord | undefined;
}

/** Decides events against the state of the log, and appends the resulting commits. */
export class Committer {
  readonly #parts: CommitterParts;
  readonly #reservations: Reservations;

  constructor(parts: CommitterParts) {
    this.#parts = parts;
    this.#reservations = new Reservations(parts);
  }

  async commit(events: readonly (PostableEvent | ReplayedChange)[]): Promise<readonly CommitResult[]> {
    for (let lost = 0; ; lost++) {
      await this.#room();
      const tryOnce = () =>
        this.#reservations.letPass(async () => {
          await this.#parts.segments.endIfFull();
          if (lost >= MOST_LOST && !(await this.#reservations.reserve())) return undefined;
          return this.#try(events);
        });
      // Nothing was appended when it is overloaded: see `CommitLog.append`.
      const results = await this.#parts.overload.waitFor(tryOnce);
      if (results !== undefined) return results;
    }
  }

  /** Appends an empty commit. Every later commit has a greater stamp. */
  mark(): Promise<Stamp> {
    const { log, overload } = this.#parts;
    return overload.waitFor(() => log.exclusive(() => this.#appendMark()));
  }

  async #appendMark(): Promise<Stamp> {
    const { log, applier, clock, changesIndex } = this.#parts;
    for (;;) {
      const index = await changesIndex();
      const stamp = Math.max(log.head.stamp, clockStamp(await clock.now()));
      const record = emptyRecord(log.head, { stamp, changesIndex: index });
      if (!(await this.#append(record))) continue;
      applier.start(record);
      return stamp + 1;
    }
  }

  /** Undefined when the log has grown meanwhile. */
  async #try(events: readonly (PostableEvent | ReplayedChange)[]): Promise<readonly CommitResult[] | undefined> {
    const { log, applier, sets, currentStates, changesIndex } = this.#parts;
    failpoint('commit.begun');
    const [, index] = await Promise.all([sets.load(), changesIndex()]);
    await currentStates.readLedgers(events.filter(({ set }) => sets.get(set) !== undefined));
    const eventKeys = await currentStates.read(events);
    const { results, record } = this.#decide(events, { eventKeys, changesIndex: index, now: await this.#now() });
    failpoint('commit.decided');
    if (record === undefined) {
      if (!(await log.isNewest())) return undefined;
      await log.requireOpen();
      return results;
    }
    if (!(await this.#append(record))) return undefined;
    failpoint('commit.logged');
    applier.start(record);
    failpoint('commit.acknowledged');
    return results;
  }

  /**
   * The time of the clock.
   * @throws TidemarkError `unavailable` when a clock is wrong, or was wrong when the last stamp was given
   */
  async #now(): Promise<number> {
    const { log, clock, catalog } = this.#parts;
    const now = await clock.now();
    const { stamp } = log.head;
    if (isAhead(stamp, undefined, now) && isAhead(stamp, await readAcceptedClock(catalog), now)) {
      throw clockIsBehind(stamp, now);
    }
    return now;
  }

  #decide(
    events: readonly (PostableEvent | ReplayedChange)[],
    {
      eventKeys,
      changesIndex,
      now,
    }: { readonly eventKeys: EventKeys; readonly changesIndex: string; readonly now: number },
  ): Decision {
    const { log } = this.#parts;
    const decisions = decideBatch({
      events: events.map((event, at) => toBatchEvent(event, eventKeys.ofEvents[at]!)),
      sets: this.#batchSets(events),
      keys: eventKeys.keys.map(({ current }) => current),
      last: log.head.stamp,
      now,
    });
    const stamps = stampsOf(decisions);
    const results = events.map(({ set }, at) => toResult(decisions.outcomes[at]!, set, stamps[at]!));
    if (decisions.sets.length === 0) return { results, record: undefined };
    const record = {
      ...emptyRecord(log.head, { stamp: decisions.last, changesIndex }),
      time: now,
      changes: decisions.changes.map((change) => toLogged(change, events[change.event]!, eventKeys)),
      raised: decisions.raised.map((raised) => toLoggedOrder(raised, events[raised.event]!, eventKeys)),
      ledgers: decisions.sets.map((decided) => this.#ledgerAfter(decided)),
      closed: decisions.sets.flatMap(({ set, closed }) => closed.map((window) => ({ ...window, set }))),
    };
    return { results, record };
  }

  /** The existing sets of events, by id. */
  #batchSets(events: readonly PostableEvent[]): ReadonlyMap<SetId, BatchSet> {
    const { log, sets } = this.#parts;
    const positions = new Map<SetId, Map<string, number>>();
    for (const { set, source, position } of events) {
      let ofSet = positions.get(set);
      if (ofSet === undefined) {
        ofSet = new Map();
        positions.set(set, ofSet);
      }
      if (source === undefined || position === undefined) continue;
      const reached = log.ledgers.get(set)?.positions ?? {};
      // A source may have any name, including that of a property of every object.
      if (Object.hasOwn(reached, source)) ofSet.set(source, reached[source]!);
    }
    const found = new Map<SetId, BatchSet>();
    for (const [id, ofSet] of positions) {
      const [set, ledger] = [sets.get(id), log.ledgers.get(id)];
      if (set === undefined || ledger === undefined) continue;
      found.set(id, { set, ledger, positions: ofSet, sources: Object.keys(ledger.positions).length });
    }
    return found;
  }

  #ledgerAfter({ set, ledger, positions }: DecidedSet): LedgerEntry {
    const { slug } = this.#parts.sets.get(set)!;
    return { ...ledger, set, slug, positions: Object.fromEntries(positions) };
  }

  /** Returns whether the commit is in the log. If not, the commit in its place is known afterwards. */
  async #append(record: CommitRecord): Promise<boolean> {
    const { log } = this.#parts;
    const isLogged = await log.append(record);
    // A process that is far behind would otherwise conflict with old commits one by one.
    if (!isLogged) await log.catchUp();
    return isLogged;
  }

  /** Waits while too many commits wait to be applied, to limit memory. */
  async #room(): Promise<void> {
    const { log, applier } = this.#parts;
    while (!hasRoom(log.pending)) await applier.makeRoom(log.pending[0]!.number);
  }
}

function hasRoom(pending: readonly CommitRecord[]): boolean {
  if (pending.length >= MOST_PENDING.commits) return false;
  return pending.reduce((sum, { changes }) => sum + changes.length, 0) < MOST_PENDING.changes;
}

function toBatchEvent(event: PostableEvent | ReplayedChange, key: number): BatchEvent {
  const { set, state, weight, urlPrefix, source, position, sharesPosition, time, order, basedOn } = event;
  const window = 'window' in event ? event.window : undefined;
  const encoded = state === undefined ? undefined : encodedState(state);
  const more = { urlPrefix, source, position, sharesPosition, time, window, order, basedOn };
  return { set, key, state: encoded, weight, ...more };
}

function toLogged(
  { event: at, kind, window, before, after }: DecidedChange,
  { set, key, state: given }: PostableEvent,
  { keys, ofEvents }: EventKeys,
): LoggedChange {
  const { sortKey, id } = keys[ofEvents[at]!]!;
  const { state: encoded, stamp, created, weight, order } = after;
  const state = given && decodedState(given);
  const names = { set, key, sortKey, id };
  const change = { kind, stamp, state, encoded, weight, window, created, before: stateBefore(before) };
  return order === undefined ? { ...names, ...change } : { ...names, ...change, order };
}

function toLoggedOrder(
  { event: at, after }: RaisedOrder,
  { set, key, state: given }: PostableEvent,
  { keys, ofEvents }: EventKeys,
): LoggedOrder {
  const { sortKey, id } = keys[ofEvents[at]!]!;
  const { state: encoded, stamp, created, weight, order, raised } = after;
  const state = given && decodedState(given);
  return { set, key, sortKey, id, order: order!, raised: raised!, stamp, created, weight, state, encoded };
}

const NEVER: StateBefore = { stamp: 0, weight: 0, live: false };

function stateBefore(before: CurrentState | undefined): StateBefore {
  if (before === undefined) return NEVER;
  return { stamp: before.stamp, weight: before.weight, live: before.state !== undefined };
}
