import { type ChangeKind, decide } from './change.ts';
import type { EncodedState } from './resource.ts';
import type { ResourceSet, SetId } from './resource-set.ts';
import { type CountedChange, countChange, type OpenWindow, type SetLedger } from './set-ledger.ts';
import { nextStamp, type Stamp } from './stamp.ts';

/**
 * Sources of one set whose positions are remembered. On Elasticsearch, each commit contains the positions of all of
 * them.
 */
export const MOST_SOURCES = 10_000;

/** An event of a batch, with its state as the current one is compared with it. @see ChangeEvent */
export interface BatchEvent {
  readonly set: SetId;
  /** Which of the batch's keys it is about. */
  readonly key: number;
  readonly state: EncodedState | undefined;
  readonly weight: number;
  readonly urlPrefix: string | undefined;
  readonly source: string | undefined;
  readonly position: number | undefined;
  readonly sharesPosition: boolean | undefined;
  readonly time: Stamp | undefined;
  readonly window: number | undefined;
  readonly order: number | undefined;
  readonly basedOn: Stamp | undefined;
}

/**
 * What is stored of a key: its state, or (state `undefined`) its tombstone. With stamp 0, only an order: the key was
 * never there.
 */
export interface CurrentState {
  readonly state: EncodedState | undefined;
  readonly stamp: Stamp;
  readonly created: Stamp;
  readonly weight: number;
  readonly order: number | undefined;
  /** The stamp at which the order rose without a change; undefined when the order is that of the last change. */
  readonly raised: Stamp | undefined;
}

/** A set before a batch. */
export interface BatchSet {
  readonly set: Pick<ResourceSet, 'urlPrefix' | 'windowChanges' | 'epochStart'>;
  readonly ledger: SetLedger;
  /** How far the sources of the batch's events have come: those that have a position. */
  readonly positions: ReadonlyMap<string, number>;
  /** How many sources of the set have a position. Is read only when a source of the batch has none. */
  readonly sources: number;
}

export interface Batch {
  readonly events: readonly BatchEvent[];
  /** By id. A set that is missing does not exist, or was removed. */
  readonly sets: ReadonlyMap<SetId, BatchSet>;
  /** The current state of each key; undefined for a key that never had one. */
  readonly keys: readonly (CurrentState | undefined)[];
  /** The last stamp of the log. */
  readonly last: Stamp;
  /** The clock, in milliseconds since 1970. */
  readonly now: number;
}

/** What becomes of an event: the change that it makes, or why it makes none. */
export type Outcome =
  | ChangeKind
  | 'same-state'
  | 'not-there'
  | 'repeated'
  | 'superseded'
  | 'unknown-set'
  | 'moved'
  | 'too-many-sources';

export interface DecidedChange {
  /** The index of its event. */
  readonly event: number;
  readonly kind: ChangeKind;
  readonly window: number;
  /** What its key was before, and is after it. */
  readonly before: CurrentState | undefined;
  readonly after: CurrentState;
}

/** A key whose order rose, though nothing about it is news: else a late event of an order in between would win. */
export interface RaisedOrder {
  /** The index of the last event that raised it. Its state is the key's. */
  readonly event: number;
  readonly after: CurrentState;
}

/** A set after a batch. */
export interface DecidedSet {
  readonly set: SetId;
  readonly ledger: SetLedger;
  /** Of the sources that have come further. */
  readonly positions: ReadonlyMap<string, number>;
  /** Windows that are full now. */
  readonly closed: readonly OpenWindow[];
}

export interface Decisions {
  /** Of each event. */
  readonly outcomes: readonly Outcome[];
  /** With ascending stamps. */
  readonly changes: readonly DecidedChange[];
  /** Keys that did not change after their order rose. */
  readonly raised: readonly RaisedOrder[];
  /** What each key is now; the very same value for one that did not change. */
  readonly keys: readonly (CurrentState | undefined)[];
  /** Sets of which something changed. */
  readonly sets: readonly DecidedSet[];
  /** The last stamp of the log with these changes. */
  readonly last: Stamp;
}

/**
 * Decides events in order, each against what the ones before it made. Pure: a store reads what it needs, and appends
 * what it returns.
 */
export function decideBatch({ events, sets, keys, last: before, now }: Batch): Decisions {
  const drafts = new Map<SetId, SetDraft>();
  for (const [id, set] of sets) drafts.set(id, new SetDraft(id, set));
  const after = [...keys];
  const outcomes = new Array<Outcome>(events.length);
  const changes: DecidedChange[] = [];
  const raises = new Map<number, number>();
  let last = before;
  for (const [at, event] of events.entries()) {
    const current = after[event.key];
    const draft = drafts.get(event.set);
    const outcome = outcomeOf(event, { draft, current, last });
    outcomes[at] = outcome;
    if (draft === undefined) continue;
    if (isChange(outcome)) {
      last = nextStamp(last, now, event.time);
      const change = draft.record({ at, kind: outcome, stamp: last }, event, current);
      after[event.key] = change.after;
      changes.push(change);
      raises.delete(event.key);
    } else if (raisesOrder(outcome, event, current)) {
      last = nextStamp(last, now, event.time);
      after[event.key] = { ...(current ?? NEVER), order: event.order, raised: last };
      draft.touch();
      raises.set(event.key, at);
    }
  }
  const raised = [...raises].map(([key, event]) => ({ event, after: after[key]! }));
  const moved = [...drafts.values()].filter(({ isMoved }) => isMoved);
  return { outcomes, changes, raised, keys: after, sets: moved, last };
}

interface Met {
  readonly draft: SetDraft | undefined;
  readonly current: CurrentState | undefined;
  readonly last: Stamp;
}

function outcomeOf(event: BatchEvent, { draft, current, last }: Met): Outcome {
  if (draft === undefined) return 'unknown-set';
  if (!draft.hasPrefix(event)) return 'moved';
  if (!draft.hasRoomFor(event)) return 'too-many-sources';
  const isInLog = event.window !== undefined && event.time! <= last;
  if (isInLog || !draft.advance(event)) return 'repeated';
  if (event.order !== undefined && event.order < (current?.order ?? 0)) return 'superseded';
  if (event.basedOn !== undefined && event.basedOn !== (current?.stamp ?? 0)) return 'superseded';
  return decide(current?.state, event.state) ?? (event.state === undefined ? 'not-there' : 'same-state');
}

const NEVER: CurrentState = {
  state: undefined,
  stamp: 0,
  created: 0,
  weight: 0,
  order: undefined,
  raised: undefined,
};

/** A deletion of a key that was never there counts, too: the creation that it deletes may still come. */
function raisesOrder(outcome: Outcome, { order }: BatchEvent, current: CurrentState | undefined): boolean {
  const isNoNews = outcome === 'same-state' || outcome === 'not-there';
  return isNoNews && order !== undefined && order > (current?.order ?? -1);
}

export function isChange(outcome: Outcome): outcome is ChangeKind {
  return outcome === 'created' || outcome === 'updated' || outcome === 'deleted';
}

/** What a batch makes of a set: a copy, since another process may commit first. */
class SetDraft implements DecidedSet {
  readonly set: SetId;
  readonly ledger: SetLedger;
  readonly positions = new Map<string, number>();
  readonly closed: OpenWindow[] = [];
  readonly #before: BatchSet;
  #newSources = 0;
  #isTouched = false;

  constructor(set: SetId, before: BatchSet) {
    this.set = set;
    this.#before = before;
    this.ledger = { ...before.ledger, window: { ...before.ledger.window } };
  }

  get isMoved(): boolean {
    return this.#isTouched || this.positions.size > 0;
  }

  /** Whether the event's key means in the set what it meant when it was resolved. */
  hasPrefix({ urlPrefix }: BatchEvent): boolean {
    return urlPrefix === undefined || urlPrefix === this.#before.set.urlPrefix;
  }

  /** Whether the position of the event's source can be remembered. History is taken over with all its sources. */
  hasRoomFor({ source, position, time }: BatchEvent): boolean {
    if (source === undefined || position === undefined || time !== undefined) return true;
    return this.#reached(source) !== undefined || this.#before.sources + this.#newSources < MOST_SOURCES;
  }

  /** Records how far the event's source has come. False when the event counts as known. */
  advance({ source, position, sharesPosition }: BatchEvent): boolean {
    if (source === undefined || position === undefined) return true;
    const reached = this.#reached(source);
    if (sharesPosition && position === reached) return true;
    if (reached !== undefined && position <= reached) return false;
    if (reached === undefined) this.#newSources += 1;
    this.positions.set(source, position);
    return true;
  }

  /** Says that a key of the set changed. */
  touch(): void {
    this.#isTouched = true;
  }

  record(
    { at, kind, stamp }: { readonly at: number; readonly kind: ChangeKind; readonly stamp: Stamp },
    { state, weight, window, order }: BatchEvent,
    before: CurrentState | undefined,
  ): DecidedChange {
    const created = kind === 'created' ? stamp : before!.created;
    const after = { state, stamp, created, weight, order: order ?? before?.order, raised: undefined };
    return { event: at, kind, window: this.#count({ kind, stamp, weight, window }), before, after };
  }

  #reached(source: string): number | undefined {
    return this.positions.get(source) ?? this.#before.positions.get(source);
  }

  /** Returns the number of the change's window. */
  #count(change: CountedChange): number {
    const closed = countChange(this.ledger, change, this.#before.set);
    if (closed !== undefined) this.closed.push(closed);
    this.touch();
    return this.ledger.window.number;
  }
}
