import { CHANGE_KINDS, type ChangeKind, type PostableEvent, type ReplayedChange } from '../../core/change.ts';
import type { BatchEvent, Decisions, Outcome } from '../../core/decide-batch.ts';
import { damagedStore } from '../../core/errors.ts';
import type { ResourceKey } from '../../core/key.ts';
import { type EncodedState, encodedState } from '../../core/resource.ts';
import type { SetId } from '../../core/resource-set.ts';
import type { Stamp } from '../../core/stamp.ts';
import { type CommitResult, stampsOf, toResult } from '../commit-result.ts';
import type { ActivityRange } from '../set-statistics.ts';

/** Events as columns: copying five arrays to a thread costs a fraction of copying ten thousand objects. */
export interface EventColumns {
  readonly sets: readonly SetId[];
  readonly keys: readonly string[];
  readonly states: readonly (EncodedState | null)[];
  readonly weights: readonly number[];
  /** Sparse: most events have neither source nor position. */
  readonly positions: readonly EventPosition[];
  /** Sparse: most events have none. */
  readonly times: readonly EventTime[];
  /** Undefined when no event has one. */
  readonly orders: readonly (number | undefined)[] | undefined;
  /** Undefined when no event has one. */
  readonly bases: readonly (Stamp | undefined)[] | undefined;
  /** The events at which the URL prefix changes: consecutive events mostly have the same prefix. */
  readonly prefixes: readonly PrefixRun[];
}

interface PrefixRun {
  /** The index of the first event with this prefix. */
  readonly at: number;
  readonly urlPrefix: string | undefined;
}

interface EventPosition {
  /** The index of the event. */
  readonly at: number;
  readonly source: string;
  readonly position: number;
  /** @see ChangeEvent */
  readonly shares: boolean;
}

interface EventTime {
  /** The index of the event. */
  readonly at: number;
  readonly time: Stamp;
  readonly window: number | undefined;
}

export interface ResultColumns {
  readonly outcomes: Uint8Array;
  readonly stamps: Float64Array;
}

/** The outcomes of events. Their numbers are indexes in this list. */
const OUTCOMES: readonly Outcome[] = [
  ...CHANGE_KINDS,
  'same-state',
  'not-there',
  'repeated',
  'unknown-set',
  'moved',
  'too-many-sources',
  'superseded',
];

/** The number of a kind in the column `kind`. */
export function numberOfKind(kind: ChangeKind): number {
  return CHANGE_KINDS.indexOf(kind) + 1;
}

export function kindOfNumber(number: number): ChangeKind {
  const kind = CHANGE_KINDS[number - 1];
  if (kind === undefined) throw damagedStore(`a change has the unknown kind ${number}`);
  return kind;
}

export function toColumns(events: readonly (PostableEvent | ReplayedChange)[]): EventColumns {
  const positions: EventPosition[] = [];
  const times: EventTime[] = [];
  const prefixes: PrefixRun[] = [];
  let last: string | undefined;
  events.forEach((event, at) => {
    const { source, position, sharesPosition: shares = false, time, urlPrefix } = event;
    if (urlPrefix !== last) prefixes.push({ at, urlPrefix });
    last = urlPrefix;
    if (source !== undefined && position !== undefined) positions.push({ at, source, position, shares });
    if (time !== undefined) times.push({ at, time, window: 'window' in event ? event.window : undefined });
  });
  return {
    sets: events.map(({ set }) => set),
    keys: events.map(({ key }) => key),
    states: events.map(({ state }) => (state === undefined ? null : encodedState(state))),
    weights: events.map(({ weight }) => weight),
    orders: events.some(({ order }) => order !== undefined) ? events.map(({ order }) => order) : undefined,
    bases: events.some(({ basedOn }) => basedOn !== undefined) ? events.map(({ basedOn }) => basedOn) : undefined,
    positions,
    times,
    prefixes,
  };
}

/** @param keys the index of each event's key */
export function toEvents(columns: EventColumns, keys: readonly number[]): readonly BatchEvent[] {
  const positions = new Map(columns.positions.map((position) => [position.at, position]));
  const times = new Map(columns.times.map((time) => [time.at, time]));
  const prefixes = columns.prefixes.values();
  let next = prefixes.next().value;
  let urlPrefix: string | undefined;
  return columns.sets.map((set, at) => {
    if (next?.at === at) {
      ({ urlPrefix } = next);
      next = prefixes.next().value;
    }
    const { source, position, shares } = positions.get(at) ?? NOTHING;
    const { time, window } = times.get(at) ?? NOTHING;
    const [state, weight] = [columns.states[at] ?? undefined, columns.weights[at]!];
    const order = columns.orders?.[at];
    const basedOn = columns.bases?.[at];
    const more = { urlPrefix, source, position, sharesPosition: shares, time, window, order, basedOn };
    return { set, key: keys[at]!, state, weight, ...more };
  });
}

const NOTHING: Partial<EventPosition & EventTime> = {};

export function toResultColumns(decisions: Decisions): ResultColumns {
  return {
    outcomes: Uint8Array.from(decisions.outcomes, (outcome) => OUTCOMES.indexOf(outcome)),
    stamps: stampsOf(decisions),
  };
}

export function toResults({ outcomes, stamps }: ResultColumns, events: readonly PostableEvent[]): CommitResult[] {
  return events.map(({ set }, at) => toResult(OUTCOMES[outcomes[at]!]!, set, stamps[at]!));
}

/** The `workerData` of the writer thread. */
export interface WriterData {
  readonly file: string;
  readonly failpoint: string | undefined;
  /** See clock.ts. It is read when the store is opened, because the thread starts only with the first write. */
  readonly startOfMachine: number;
}

export interface PutRequest {
  readonly kind: string;
  readonly id: string;
  readonly body: string;
  readonly replaces: number | undefined;
}

/** A write of jobs by the writer thread. */
export type JobWrite =
  | { readonly kind: 'create'; readonly rows: readonly JobRow[] }
  | { readonly kind: 'replace'; readonly row: JobRow; readonly version: string }
  | { readonly kind: 'log'; readonly name: string; readonly lines: string }
  | { readonly kind: 'remove'; readonly state: string; readonly finishedBefore: number };

/** A change of the fence by the writer thread; a pause is named by its id. */
export type FenceWrite =
  | { readonly kind: 'pause'; readonly pause: string; readonly forMs: number }
  | { readonly kind: 'release'; readonly pause: string }
  | { readonly kind: 'move'; readonly pause: string; readonly to: string }
  | { readonly kind: 'take-back' };

/** A job as the columns of its table. */
export interface JobRow {
  readonly name: string;
  readonly kind: string;
  readonly state: string;
  readonly added: number;
  readonly notBefore: number;
  readonly finished: number | null;
  readonly body: string;
}

export interface FindRequest {
  readonly set: SetId;
  /** One or two texts. */
  readonly texts: readonly string[];
  readonly after: ResourceKey | undefined;
  readonly limit: number;
}

export interface CountRequest extends ActivityRange {
  readonly set: SetId;
}

export interface StatesRequest {
  readonly set: SetId;
  readonly after: ResourceKey;
}

/**
 * Live resources, ascending by key. Each column is one text with a line for each resource: sending two texts to a
 * thread is cheaper than sending hundreds.
 */
export interface StateColumns {
  readonly keys: string;
  readonly states: string;
}

/** The last key; undefined when there are none. */
export function lastKeyOf(batches: readonly StateColumns[]): ResourceKey | undefined {
  const keys = batches.at(-1)?.keys;
  return keys?.slice(keys.lastIndexOf('\n') + 1);
}
