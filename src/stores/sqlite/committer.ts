import type { DatabaseSync } from 'node:sqlite';
import { decide } from '../../core/change.ts';
import type { EncodedState } from '../../core/resource.ts';
import type { SetId } from '../../core/resource-set.ts';
import { clockStamp, nextStamp, type Stamp } from '../../core/stamp.ts';
import { failpoint } from '../../lib/failpoint.ts';
import { ACCEPTED_CLOCK, type AcceptedClock, clockIsBehind, isAhead, type JumpCheck } from '../clock.ts';
import { transaction } from './connection.ts';
import { SetLedgers } from './set-ledgers.ts';
import { Settings } from './settings.ts';
import { type EventColumns, type EventTime, KINDS, OUTCOME, type ResultColumns } from './wire.ts';

/** A resource as a commit sees it: what the store has, overlaid with what the commit has decided so far. */
interface Standing {
  readonly set: SetId;
  readonly key: string;
  readonly row: number | undefined;
  state: EncodedState | undefined;
  stamp: Stamp;
  created: Stamp;
  weight: number;
  moved: boolean;
}

interface Decided {
  readonly set: SetId;
  readonly key: string;
  readonly window: number;
  readonly outcome: number;
  readonly stamp: Stamp;
  /** Of the change of the same key before this one; 0 when it is the first. */
  readonly previous: Stamp;
  readonly state: EncodedState | undefined;
  readonly weight: number;
}

/** An event beside what it meets. */
interface MetEvent {
  readonly state: EncodedState | undefined;
  /** Which event of the commit. */
  readonly at: number;
  readonly prefix: string | undefined;
  /** Not of a log that is replayed, whose sources are known. */
  readonly isNew: boolean;
}

/** What comes of an event. */
type Advance = Omit<Decided, 'set' | 'key' | 'window' | 'previous'> & Pick<Partial<EventTime>, 'window'>;

/** Decides and writes commits on one connection. Synchronous: it runs in the writer thread. */
export class Committer {
  readonly #database: DatabaseSync;
  readonly #settings: Settings;
  readonly #ledgers: SetLedgers;
  readonly #jumps: JumpCheck;
  readonly #statements;

  constructor(database: DatabaseSync, jumps: JumpCheck) {
    this.#database = database;
    this.#jumps = jumps;
    this.#settings = new Settings(database);
    this.#ledgers = new SetLedgers(database);
    this.#statements = {
      find: database.prepare('SELECT rowid, state, stamp, created FROM resources WHERE set_id = ? AND key = ?'),
      log: database.prepare(
        'INSERT INTO changes (stamp, set_id, window, kind, key, weight, state, previous) VALUES (?,?,?,?,?,?,?,?)',
      ),
      create: database.prepare(
        'INSERT INTO resources (set_id, key, stamp, created, weight, state) VALUES (?,?,?,?,?,?)',
      ),
      accepted: database.prepare('SELECT body FROM catalog WHERE kind = ? AND id = ?'),
      update: database.prepare('UPDATE resources SET stamp = ?, created = ?, weight = ?, state = ? WHERE rowid = ?'),
    };
    this.#statements.find.setReturnArrays(true);
  }

  commit(events: EventColumns): ResultColumns {
    const results = transaction(this.#database, () => {
      failpoint('commit.begun');
      return this.#append(events);
    });
    failpoint('commit.committed');
    return results;
  }

  mark(): Stamp {
    return transaction(this.#database, () => {
      const now = Date.now();
      this.#jumps.require(now);
      const last = Math.max(this.#settings.lastStamp(), clockStamp(now));
      this.#settings.setLastStamp(last);
      return last + 1;
    });
  }

  #append(events: EventColumns): ResultColumns {
    this.#ledgers.begin(events.positions);
    const standings = this.#standings(events);
    const times = new Map(events.times.map((time) => [time.at, time]));
    let last = this.#settings.lastStamp();
    const now = this.#now(last);
    const results = { outcomes: new Uint8Array(events.keys.length), stamps: new Float64Array(events.keys.length) };
    const decided: Decided[] = [];
    const prefixes = [...events.prefixes];
    let prefix: string | undefined;
    for (let at = 0; at < events.keys.length; at++) {
      const standing = standings[at]!;
      const state = events.states[at] ?? undefined;
      const { time, window } = times.get(at) ?? {};
      const isKnown = window !== undefined && time! <= last;
      if (prefixes[0]?.at === at) prefix = prefixes.shift()!.urlPrefix;
      const isNew = time === undefined;
      const outcome = isKnown ? OUTCOME.repeated : this.#outcome(standing, { state, at, prefix, isNew });
      results.outcomes[at] = outcome;
      if (outcome > OUTCOME.deleted) continue;
      last = nextStamp(last, now, time);
      results.stamps[at] = last;
      decided.push(this.#advance(standing, { outcome, stamp: last, state, weight: events.weights[at]!, window }));
    }
    failpoint('commit.decided');
    this.#writeLog(decided);
    failpoint('commit.logged');
    this.#writeStates(standings);
    this.#ledgers.end();
    this.#settings.setLastStamp(last);
    failpoint('commit.applied');
    return results;
  }

  /** What the clock says. @throws TidemarkError `unavailable` when that is wrong, or was wrong when the last stamp was given */
  #now(last: Stamp): number {
    const now = Date.now();
    this.#jumps.require(now);
    if (isAhead(last, undefined, now) && isAhead(last, this.#acceptedClock(), now)) throw clockIsBehind(last, now);
    return now;
  }

  #acceptedClock(): AcceptedClock | undefined {
    const found = this.#statements.accepted.get(ACCEPTED_CLOCK.kind, ACCEPTED_CLOCK.id);
    return found && JSON.parse(found.body as string);
  }

  #outcome(standing: Standing, { state: next, at, prefix, isNew }: MetEvent): number {
    if (!this.#ledgers.knows(standing.set)) return OUTCOME.unknownSet;
    if (!this.#ledgers.hasPrefix(standing.set, prefix)) return OUTCOME.moved;
    if (isNew && !this.#ledgers.hasRoomFor(standing.set, at)) return OUTCOME.tooManySources;
    if (!this.#ledgers.advance(standing.set, at)) return OUTCOME.repeated;
    const kind = decide(standing.state, next);
    if (kind !== undefined) return OUTCOME[kind];
    return next === undefined ? OUTCOME.notThere : OUTCOME.sameState;
  }

  /** Moves a resource to its next state, and gives the change a window. */
  #advance(standing: Standing, change: Advance): Decided {
    const { set, key, stamp: previous } = standing;
    if (change.outcome === OUTCOME.created) standing.created = change.stamp;
    standing.state = change.state;
    standing.stamp = change.stamp;
    standing.weight = change.weight;
    standing.moved = true;
    const kind = KINDS[change.outcome]!;
    return { ...change, set, key, window: this.#ledgers.record(set, { ...change, kind }), previous };
  }

  #writeLog(decided: readonly Decided[]): void {
    for (const { stamp, set, window, outcome, key, weight, state, previous } of decided) {
      this.#statements.log.run(stamp, set, window, outcome, key, weight, state ?? null, previous);
    }
  }

  /** What each event meets, read in the order of the keys: neighbours share pages of the index. */
  #standings({ sets, keys }: EventColumns): readonly Standing[] {
    const order = sets.map((_, at) => at).sort((a, b) => sets[a]! - sets[b]! || compare(keys[a]!, keys[b]!));
    const standings = new Array<Standing>(keys.length);
    let before: Standing | undefined;
    for (const at of order) {
      if (before === undefined || before.key !== keys[at] || before.set !== sets[at]) {
        before = this.#find(sets[at]!, keys[at]!);
      }
      standings[at] = before;
    }
    return standings;
  }

  #find(set: SetId, key: string): Standing {
    const found = this.#statements.find.get(set, key) as unknown as [number, string | null, Stamp, Stamp] | undefined;
    const [row, state, stamp, created] = found ?? [undefined, null, 0, 0];
    return { set, key, row, state: state ?? undefined, stamp, created, weight: 0, moved: false };
  }

  #writeStates(standings: readonly Standing[]): void {
    const moved = [...new Set(standings)].filter((standing) => standing.moved);
    moved.sort((a, b) => a.set - b.set || compare(a.key, b.key));
    const { create, update } = this.#statements;
    for (const { set, key, row, stamp, created, weight, state } of moved) {
      if (row === undefined) create.run(set, key, stamp, created, weight, state ?? null);
      else update.run(stamp, created, weight, state ?? null, row);
    }
  }
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
