import { type ChangeEvent, decide } from '../../core/change.ts';
import { encodeState } from '../../core/resource.ts';
import type { SetId } from '../../core/resource-set.ts';
import { clockStamp, nextStamp, type Stamp } from '../../core/stamp.ts';
import type { StoredSet } from '../../core/stored-set.ts';
import { failpoint } from '../../lib/failpoint.ts';
import type { Catalog } from '../catalog.ts';
import { clockIsBehind, isAhead, readAcceptedClock } from '../clock.ts';
import { type CommitResult, MOST_SOURCES, MOVED, TOO_MANY_SOURCES, unknownSet } from '../resource-index.ts';
import { type CountedChange, countChange } from '../set-ledger.ts';
import type { Applier } from './applier.ts';
import type { ClockCheck } from './clock-check.ts';
import type { CommitLog } from './commit-log.ts';
import {
  type ClosedWindow,
  type CommitRecord,
  emptyRecord,
  type LedgerEntry,
  type LoggedChange,
} from './commit-record.ts';
import type { Standing } from './overlay.ts';
import type { Met, StandingReader } from './standing-reader.ts';
import type { StoredSets } from './stored-sets.ts';
import { Turns } from './turns.ts';

/** Commits that may wait to be applied, and changes in them: what waits long is copied and marked by the garbage collector again and again. */
const MOST_PENDING = { commits: 8, changes: 25_000 };
/** How often others may be quicker before they are asked to wait. */
const MOST_LOST = 3;

export interface CommitterParts {
  readonly log: CommitLog;
  readonly applier: Applier;
  readonly sets: StoredSets;
  readonly standings: StandingReader;
  readonly clock: ClockCheck;
  readonly catalog: Catalog;
  /** The concrete index of the changes of the next commit. */
  changesIndex(): Promise<string>;
}

interface Decision {
  readonly results: readonly CommitResult[];
  /** Undefined when nothing is to be appended. */
  readonly record: CommitRecord | undefined;
}

/** Decides events against what the log says, and appends what comes of it. */
export class Committer {
  readonly #parts: CommitterParts;
  readonly #turns: Turns;

  constructor(parts: CommitterParts) {
    this.#parts = parts;
    this.#turns = new Turns(parts);
  }

  async commit(events: readonly ChangeEvent[]): Promise<readonly CommitResult[]> {
    for (let lost = 0; ; lost++) {
      await this.#room();
      const results = await this.#turns.letPass(async () => {
        if (lost >= MOST_LOST && !(await this.#turns.ask())) return undefined;
        return this.#try(events);
      });
      if (results !== undefined) return results;
    }
  }

  /** An empty commit, whose stamp every later one will be above. */
  mark(): Promise<Stamp> {
    const { log, applier, clock, changesIndex } = this.#parts;
    return log.exclusive(async () => {
      for (;;) {
        const index = await changesIndex();
        const stamp = Math.max(log.head.stamp, clockStamp(await clock.now()));
        const record = emptyRecord(log.head, { stamp, changesIndex: index });
        if (!(await this.#append(record))) continue;
        applier.start(record);
        return stamp + 1;
      }
    });
  }

  /** Undefined when the log has grown meanwhile. */
  async #try(events: readonly ChangeEvent[]): Promise<readonly CommitResult[] | undefined> {
    const { log, applier, sets, standings, changesIndex } = this.#parts;
    failpoint('commit.begun');
    const [, index] = await Promise.all([sets.load(), changesIndex()]);
    await standings.readLedgers(events.filter(({ set }) => sets.get(set) !== undefined));
    const met = await standings.read(events);
    const { results, record } = this.#decide(events, { met, changesIndex: index, now: await this.#now() });
    failpoint('commit.decided');
    // When nothing is appended, nothing meets a 409: so it is asked whether the log has grown.
    if (record === undefined) return (await log.catchUp()) ? undefined : results;
    if (!(await this.#append(record))) return undefined;
    failpoint('commit.logged');
    applier.start(record);
    failpoint('commit.acknowledged');
    return results;
  }

  /** What the clock says. @throws TidemarkError `unavailable` when a clock is wrong, or was wrong when the last stamp was given */
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
    events: readonly ChangeEvent[],
    { met, changesIndex, now }: { met: readonly Met[]; changesIndex: string; now: number },
  ): Decision {
    const { log, sets } = this.#parts;
    const books = new Books(log, sets);
    const changes: LoggedChange[] = [];
    const results: CommitResult[] = [];
    let last = log.head.stamp;
    for (const [at, event] of events.entries()) {
      const { set, key, state, weight, time } = event;
      const isKnown = event.window !== undefined && time! <= last;
      const book = books.of(set);
      if (book === undefined || !book.hasPrefix(event)) {
        results.push(book === undefined ? unknownSet(set) : MOVED);
        continue;
      }
      if (!book.hasRoomFor(event)) {
        results.push(TOO_MANY_SOURCES);
        continue;
      }
      if (isKnown || !book.advance(event)) {
        results.push({ status: 'unchanged', reason: 'repeated' });
        continue;
      }
      const { order, id, standing } = met[at]!;
      const encoded = state === undefined ? undefined : encodeState(state);
      const kind = decide(standing?.state, encoded);
      if (kind === undefined) {
        results.push({ status: 'unchanged', reason: state === undefined ? 'not-there' : 'same-state' });
        continue;
      }
      last = nextStamp(last, now, time);
      const created = kind === 'created' ? last : standing!.created;
      met[at]!.standing = { state: encoded, stamp: last, created, weight };
      const window = book.count({ kind, stamp: last, weight, window: event.window });
      const was = formerOf(standing);
      changes.push({ set, key, order, id, kind, stamp: last, state, encoded, weight, window, created, was });
      results.push({ status: 'applied', stamp: last, kind });
    }
    const { ledgers, closed } = books;
    if (ledgers.length === 0) return { results, record: undefined };
    const record = { ...emptyRecord(log.head, { stamp: last, changesIndex }), time: now, changes, ledgers, closed };
    return { results, record };
  }

  /** Whether it is in the log; if not, all is known that is there in its place. */
  async #append(record: CommitRecord): Promise<boolean> {
    const { log } = this.#parts;
    const isThere = await log.append(record);
    // One who comes late would else meet the commits of years one by one.
    if (!isThere) await log.catchUp();
    return isThere;
  }

  /** So that what waits to be applied takes no more memory than a few commits. */
  async #room(): Promise<void> {
    const { log, applier } = this.#parts;
    while (!hasRoom(log.pending)) await applier.through(log.pending[0]!.number);
  }
}

function hasRoom(pending: readonly CommitRecord[]): boolean {
  if (pending.length >= MOST_PENDING.commits) return false;
  return pending.reduce((sum, { changes }) => sum + changes.length, 0) < MOST_PENDING.changes;
}

/** The ledgers that a decision moves: copies, since the decision may not hold. */
class Books {
  readonly #log: CommitLog;
  readonly #sets: StoredSets;
  readonly #books = new Map<SetId, Book | undefined>();

  constructor(log: CommitLog, sets: StoredSets) {
    this.#log = log;
    this.#sets = sets;
  }

  of(id: SetId): Book | undefined {
    if (!this.#books.has(id)) {
      const set = this.#sets.get(id);
      const ledger = this.#log.ledgers.get(id);
      this.#books.set(id, set && ledger && new Book(set, ledger));
    }
    return this.#books.get(id);
  }

  get ledgers(): readonly LedgerEntry[] {
    return [...this.#books.values()].filter((book) => book?.moved).map((book) => book!.ledger);
  }

  get closed(): readonly ClosedWindow[] {
    return [...this.#books.values()].flatMap((book) => book?.closed ?? []);
  }
}

class Book {
  readonly #set: StoredSet;
  readonly #positions: Record<string, number>;
  #sources: number;
  readonly ledger: LedgerEntry;
  readonly closed: ClosedWindow[] = [];
  moved = false;

  constructor(set: StoredSet, ledger: LedgerEntry) {
    this.#set = set;
    // Without a prototype, any text may be the name of a source.
    this.#positions = Object.assign(Object.create(null), ledger.positions);
    this.#sources = Object.keys(ledger.positions).length;
    this.ledger = { ...ledger, slug: set.slug, window: { ...ledger.window }, positions: this.#positions };
  }

  /** Whether the event's key means in the set what it meant when it was resolved. */
  hasPrefix({ urlPrefix }: ChangeEvent): boolean {
    return urlPrefix === undefined || urlPrefix === this.#set.urlPrefix;
  }

  /** Whether the position of the event's source can be remembered. A log that is replayed has them already. */
  hasRoomFor({ source, position, time }: ChangeEvent): boolean {
    if (source === undefined || position === undefined || time !== undefined) return true;
    return source in this.#positions || this.#sources < MOST_SOURCES;
  }

  /** Notes how far the event's source has come; false when it had come that far already, or (of a shared position) further. */
  advance({ source, position, sharesPosition }: ChangeEvent): boolean {
    if (source === undefined || position === undefined) return true;
    const reached = this.#positions[source] ?? -1;
    if (sharesPosition && position === reached) return true;
    if (position <= reached) return false;
    if (!(source in this.#positions)) this.#sources += 1;
    this.#positions[source] = position;
    this.moved = true;
    return true;
  }

  /** Counts a change, and returns the number of its window. */
  count(change: CountedChange): number {
    const closed = countChange(this.ledger, change, this.#set);
    if (closed !== undefined) this.closed.push({ ...closed, set: this.#set.id });
    this.moved = true;
    return this.ledger.window.number;
  }
}

const NEVER: LoggedChange['was'] = { stamp: 0, weight: 0, live: false };

function formerOf(standing: Standing | undefined): LoggedChange['was'] {
  if (standing === undefined) return NEVER;
  return { stamp: standing.stamp, weight: standing.weight, live: standing.state !== undefined };
}
