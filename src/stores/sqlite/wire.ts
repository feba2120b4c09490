import type { ChangeEvent, ChangeKind } from '../../core/change.ts';
import type { ResourceKey } from '../../core/key.ts';
import { type EncodedState, encodeState } from '../../core/resource.ts';
import type { SetId } from '../../core/resource-set.ts';
import type { Stamp } from '../../core/stamp.ts';
import { type ActivityRange, type CommitResult, MOVED, TOO_MANY_SOURCES, unknownSet } from '../resource-index.ts';

/** Events as columns: cloning five arrays for a thread costs a fraction of cloning ten thousand objects. */
export interface EventColumns {
  readonly sets: readonly SetId[];
  readonly keys: readonly string[];
  readonly states: readonly (EncodedState | null)[];
  readonly weights: readonly number[];
  /** Sparse: most events have neither source nor position. */
  readonly positions: readonly EventPosition[];
  /** Sparse too. */
  readonly times: readonly EventTime[];
  /** Where the prefix that keys were resolved under changes: neighbours share it. */
  readonly prefixes: readonly PrefixRun[];
}

export interface PrefixRun {
  /** The first event of the batch that has it. */
  readonly at: number;
  readonly urlPrefix: string | undefined;
}

export interface EventPosition {
  /** Which event of the batch. */
  readonly at: number;
  readonly source: string;
  readonly position: number;
  /** @see ChangeEvent */
  readonly shares: boolean;
}

export interface EventTime {
  /** Which event of the batch. */
  readonly at: number;
  readonly time: Stamp;
  readonly window: number | undefined;
}

export interface ResultColumns {
  readonly outcomes: Uint8Array;
  readonly stamps: Float64Array;
}

/** The numbers of 1 to 3 are also those of the column `kind`. */
export const OUTCOME = {
  created: 1,
  updated: 2,
  deleted: 3,
  sameState: 4,
  notThere: 5,
  repeated: 6,
  unknownSet: 7,
  moved: 8,
  tooManySources: 9,
} as const;

export const KINDS: readonly ChangeKind[] = ['created', 'created', 'updated', 'deleted'];

export function toColumns(events: readonly ChangeEvent[]): EventColumns {
  const positions: EventPosition[] = [];
  const times: EventTime[] = [];
  const prefixes: PrefixRun[] = [];
  let last: string | undefined;
  events.forEach(({ source, position, sharesPosition: shares = false, time, window, urlPrefix }, at) => {
    if (urlPrefix !== last) prefixes.push({ at, urlPrefix });
    last = urlPrefix;
    if (source !== undefined && position !== undefined) positions.push({ at, source, position, shares });
    if (time !== undefined) times.push({ at, time, window });
  });
  return {
    sets: events.map(({ set }) => set),
    keys: events.map(({ key }) => key),
    states: events.map(({ state }) => (state === undefined ? null : encodeState(state))),
    weights: events.map(({ weight }) => weight),
    positions,
    times,
    prefixes,
  };
}

export function toResults({ outcomes, stamps }: ResultColumns, events: readonly ChangeEvent[]): CommitResult[] {
  return events.map(({ set }, at) => toResult(outcomes[at]!, stamps[at]!, set));
}

function toResult(outcome: number, stamp: Stamp, set: SetId): CommitResult {
  switch (outcome) {
    case OUTCOME.sameState:
      return { status: 'unchanged', reason: 'same-state' };
    case OUTCOME.notThere:
      return { status: 'unchanged', reason: 'not-there' };
    case OUTCOME.repeated:
      return { status: 'unchanged', reason: 'repeated' };
    case OUTCOME.unknownSet:
      return unknownSet(set);
    case OUTCOME.moved:
      return MOVED;
    case OUTCOME.tooManySources:
      return TOO_MANY_SOURCES;
    default:
      return { status: 'applied', stamp, kind: KINDS[outcome]! };
  }
}

/** What the writer thread is started with. */
export interface WriterData {
  readonly file: string;
  readonly failpoint: string | undefined;
  /** See clock.ts: of the moment at which the store was opened, since the thread starts with the first write. */
  readonly startOfMachine: number;
}

/** What the writer thread is asked; it answers a commit with columns, a mark with a boundary, a put with a version. */
export type WriteTask =
  | { readonly task: 'commit'; readonly events: EventColumns }
  | { readonly task: 'mark' }
  | { readonly task: 'put'; readonly put: PutRequest };

export interface PutRequest {
  readonly kind: string;
  readonly id: string;
  readonly body: string;
  readonly replaces: number | undefined;
}

/** What the reader thread is asked; it answers a search with rows, a count with numbers, and states with columns. */
export type ReadTask =
  | { readonly task: 'find'; readonly find: FindRequest }
  | { readonly task: 'count'; readonly count: CountRequest }
  | { readonly task: 'states'; readonly states: StatesRequest };

export interface FindRequest {
  readonly set: SetId;
  /** One or two. */
  readonly texts: readonly string[];
  readonly after: ResourceKey | undefined;
  readonly limit: number;
}

export interface FoundRows {
  /** As `toResource` takes them. */
  readonly rows: unknown[][];
  readonly next: ResourceKey | undefined;
}

export interface CountRequest extends ActivityRange {
  readonly set: SetId;
}

export interface StatesRequest {
  readonly set: SetId;
  readonly after: ResourceKey;
}

/** Live resources, ascending by key. Each column is one text with a line for each resource: a thread is handed two texts in place of hundreds. */
export interface StateColumns {
  readonly keys: string;
  readonly states: string;
}

/** Undefined when there are none. */
export function lastKeyOf(batches: readonly StateColumns[]): ResourceKey | undefined {
  const keys = batches.at(-1)?.keys;
  return keys?.slice(keys.lastIndexOf('\n') + 1);
}
