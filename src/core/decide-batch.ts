import { type ChangeKind, decide } from './change.ts';
import type { EncodedState } from './resource.ts';
import type { ResourceSet, SetId } from './resource-set.ts';
import { type CountedChange, countChange, type OpenWindow, type SetLedger } from './set-ledger.ts';
import { nextStamp, type Stamp } from './stamp.ts';

/** Most sources of one set with a stored position: on Elasticsearch, each commit writes a document with all of them. */
export const MOST_SOURCES = 10_000;

/** An event of a batch, with its state in the form in which it is compared. @see ChangeEvent */
export interface BatchEvent {
  readonly set: SetId;
  /** The index of its key in the batch. */
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
 * The stored state of a key; with state `undefined`, its tombstone. With stamp 0, it has only an order: the key never
 * existed.
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
  /** The last positions of the sources of the batch's events, if they have one. */
  readonly positions: ReadonlyMap<string, number>;
  /** Number of sources of the set with a position. It is read only when a source of the batch has none. */
  readonly sources: number;
}

export interface Batch {
  readonly events: readonly BatchEvent[];
  /** Sets by id. A set that is not in the map does not exist, or was removed. */
  readonly sets: ReadonlyMap<SetId, BatchSet>;
  /** The current state of each key; undefined for a key that never existed. */
  readonly keys: readonly (CurrentState | undefined)[];
  /** The last stamp of the log. */
  readonly last: Stamp;
  /** The time of the clock, in milliseconds since 1970. */
  readonly now: number;
}

/** The outcome of an event: its change, or the reason why it makes none. */
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
  /** The state of its key before and after the change. */
  readonly before: CurrentState | undefined;
  readonly after: CurrentState;
}

/** A key whose order rose without a change: otherwise, a late event with an order in between would win. */
export interface RaisedOrder {
  /** The index of the last event that raised it. The key has the state of this event. */
  readonly event: number;
  readonly after: CurrentState;
}

/** A set after a batch. */
export interface DecidedSet {
  readonly set: SetId;
  readonly ledger: SetLedger;
  /** New positions of sources. */
  readonly positions: ReadonlyMap<string, number>;
  /** Windows that are complete now. */
  readonly closed: readonly OpenWindow[];
}

export interface Decisions {
  /** The outcome of each event. */
  readonly outcomes: readonly Outcome[];
  /** Changes with ascending stamps. */
  readonly changes: readonly DecidedChange[];
  /** Keys that did not change after their order rose. */
  readonly raised: readonly RaisedOrder[];
  /** The state of each key after the batch; the identical object if the key did not change. */
  readonly keys: readonly (CurrentState | undefined)[];
  /** Sets whose ledger or positions change. */
  readonly sets: readonly DecidedSet[];
  /** The last stamp of the log, including these changes. */
  readonly last: Stamp;
}

/**
 * Decides events in order, each against the result of the previous ones. Pure: the store reads the input, and appends
 * the result.
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
  const touched = [...drafts.values()].filter(({ isTouched }) => isTouched);
  return { outcomes, changes, raised, keys: after, sets: touched, last };
}

interface Before {
  readonly draft: SetDraft | undefined;
  readonly current: CurrentState | undefined;
  readonly last: Stamp;
}

function outcomeOf(event: BatchEvent, { draft, current, last }: Before): Outcome {
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

/** A deletion of a key that never existed raises the order, too: the creation before it may still arrive. */
function raisesOrder(outcome: Outcome, { order }: BatchEvent, current: CurrentState | undefined): boolean {
  const isNoNews = outcome === 'same-state' || outcome === 'not-there';
  return isNoNews && order !== undefined && order > (current?.order ?? -1);
}

export function isChange(outcome: Outcome): outcome is ChangeKind {
  return outcome === 'created' || outcome === 'updated' || outcome === 'deleted';
}

/** The state of a set while a batch is decided. It is a copy, because another process may commit first. */
class SetDraft implements DecidedSet {
  readonly set: SetId;
  readonly ledger: SetLedger;
  readonly positions = new Map<string, number>();
  readonly closed: OpenWindow[] = [];
  readonly #before: BatchSet;
  #newSources = 0;
  #isKeyTouched = false;

  constructor(set: SetId, before: BatchSet) {
    this.set = set;
    this.#before = before;
    this.ledger = { ...before.ledger, window: { ...before.ledger.window } };
  }

  get isTouched(): boolean {
    return this.#isKeyTouched || this.positions.size > 0;
  }

  /** Whether the event's key was derived under the current prefix of the set. */
  hasPrefix({ urlPrefix }: BatchEvent): boolean {
    return urlPrefix === undefined || urlPrefix === this.#before.set.urlPrefix;
  }

  /** Whether the position of the event's source can be stored. Imported history is accepted with all its sources. */
  hasRoomFor({ source, position, time }: BatchEvent): boolean {
    if (source === undefined || position === undefined || time !== undefined) return true;
    return this.#reached(source) !== undefined || this.#before.sources + this.#newSources < MOST_SOURCES;
  }

  /** Stores the position of the event's source. Returns false when the event counts as repeated. */
  advance({ source, position, sharesPosition }: BatchEvent): boolean {
    if (source === undefined || position === undefined) return true;
    const reached = this.#reached(source);
    if (sharesPosition && position === reached) return true;
    if (reached !== undefined && position <= reached) return false;
    if (reached === undefined) this.#newSources += 1;
    this.positions.set(source, position);
    return true;
  }

  /** Records that the state or the order of a key of the set has changed. */
  touch(): void {
    this.#isKeyTouched = true;
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
