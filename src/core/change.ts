import type { ResourceKey } from './key.ts';
import type { EncodedState, ResourceState } from './resource.ts';
import type { SetId } from './resource-set.ts';
import type { Stamp } from './stamp.ts';

export const CHANGE_KINDS = ['created', 'updated', 'deleted'] as const;
export type ChangeKind = (typeof CHANGE_KINDS)[number];

/**
 * A statement of a source about one resource: its complete state after a change, or its deletion (state `undefined`).
 * Whether it was created or updated is decided by its stored state, not by the source.
 */
export interface ChangeEvent {
  readonly set: SetId;
  readonly key: ResourceKey;
  readonly state: ResourceState | undefined;
  /** An upper bound of the bytes of its entry in any document; see entry-weight.ts. */
  readonly weight: number;
  /**
   * The prefix under which its key was derived from a URI: the event is rejected if the set was moved to another prefix
   * meanwhile.
   */
  readonly urlPrefix?: string;
  /**
   * The source of the event, with an ascending position: an event at or below the source's last position counts as
   * repeated.
   */
  readonly source?: string;
  readonly position?: number;
  /**
   * Several events have this position: only one below the source's last position counts as repeated. So a process that
   * works at a position is stopped by the first event of a later one, however late its own events arrive.
   */
  readonly sharesPosition?: true;
  /**
   * The rank of the event among those about its key, from all sources: a safe integer from 0. An event with a lower
   * order than its key is superseded: it changes nothing. A key has the highest order of all events that were decided
   * for it; an event without an order does not change it.
   */
  readonly order?: number;
  /**
   * The stamp of the state from which this event was computed, 0 for none: it is superseded if its key has changed
   * since. So an event that was computed from a state never reverts a later write of another process.
   */
  readonly basedOn?: Stamp;
  /**
   * When the change happened, for imported history: the change gets this stamp, or the next free one if the log is
   * already further. A future time counts as now. Absent for changes that are reported as they happen.
   */
  readonly time?: Stamp;
}

/**
 * A change event with its state as JSON text: code that only passes on the states of a million resources need not
 * decode them.
 */
export interface EncodedEvent extends Omit<ChangeEvent, 'state'> {
  readonly state: EncodedState | undefined;
}

/** An event in either form that a store accepts. */
export type PostableEvent = ChangeEvent | EncodedEvent;

/** A change of a log that is rebuilt from a copy: a change at or below the log's last stamp counts as repeated. */
export interface ReplayedChange extends ChangeEvent {
  /** Its original stamp. */
  readonly time: Stamp;
  /** The number of its original Change List window. */
  readonly window: number;
}

/** An entry of the log. */
export interface Change {
  readonly set: SetId;
  readonly key: ResourceKey;
  readonly kind: ChangeKind;
  readonly stamp: Stamp;
  /** The state after the change; `undefined` for `deleted`. */
  readonly state: ResourceState | undefined;
  readonly weight: number;
  /** The number of the Change List window that it belongs to. */
  readonly window: number;
  /** The order of its key after the change; absent if it has none. */
  readonly order?: number;
}

/**
 * Decides an event against the current state: returns the change, or `undefined` when nothing changes. Both states are
 * canonical JSON, `undefined` for a resource that does not exist. Bytes that are stored already need no other place:
 * two scans may store the same file at the same time, and one of a set that keeps no versions any more names no place.
 */
export function decide(current: EncodedState | undefined, next: EncodedState | undefined): ChangeKind | undefined {
  if (next === undefined) return current === undefined ? undefined : 'deleted';
  if (current === undefined) return 'created';
  return current === next || differsInPlace(current, next) ? undefined : 'updated';
}

const PLACE = ',"kept":{';

/** Whether only the place of a kept version differs. It is the last member; a quote within a text would be escaped. */
function differsInPlace(current: EncodedState, next: EncodedState): boolean {
  const at = current.lastIndexOf(PLACE);
  if (at === -1) return false;
  // Without a place, only the closing brace follows what is compared.
  return current.slice(0, at) === next.slice(0, next.lastIndexOf(PLACE));
}
