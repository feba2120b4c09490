import type { ResourceKey } from './key.ts';
import type { EncodedState, ResourceState } from './resource.ts';
import type { SetId } from './resource-set.ts';
import type { Stamp } from './stamp.ts';

export const CHANGE_KINDS = ['created', 'updated', 'deleted'] as const;
export type ChangeKind = (typeof CHANGE_KINDS)[number];

/**
 * A statement of a source about one resource: its complete state after a change, or (state `undefined`) that it was
 * deleted. Whether it was created or updated is decided by its stored state, not by the source.
 */
export interface ChangeEvent {
  readonly set: SetId;
  readonly key: ResourceKey;
  readonly state: ResourceState | undefined;
  /** An upper bound of the bytes of its entry in any document; see entry-weight.ts. */
  readonly weight: number;
  /**
   * The prefix that its key was resolved under, when the key was made of a URI: the event is rejected when the set was
   * moved to another one meanwhile.
   */
  readonly urlPrefix?: string;
  /** Who says it, with an ascending number: an event at or below the source's last position counts as known. */
  readonly source?: string;
  readonly position?: number;
  /**
   * Several events have this position: only one below the source's last position counts as known. So a process that
   * works at a position is stopped by the first event of a later one, however late its own events come.
   */
  readonly sharesPosition?: true;
  /**
   * Its place among the events about its key, wherever they come from: a safe integer from 0 on. An event of a lower
   * order than its key has is superseded: it changes nothing. A key has the highest order that was decided for it; an
   * event without one leaves that as it is.
   */
  readonly order?: number;
  /**
   * The stamp of the state that it was made from, 0 for none: it is superseded when its key has changed since. So what
   * computes a state from a state never takes back what another process has written meanwhile.
   */
  readonly basedOn?: Stamp;
  /**
   * When it happened, for history that is taken over: its change gets this stamp, unless the log has come further; then
   * it gets the next one. A time that has not come yet counts as now. Absent for what is reported as it happens.
   */
  readonly time?: Stamp;
}

/** A change event with its state as text: what hands on the states of a million resources need not decode them. */
export interface EncodedEvent extends Omit<ChangeEvent, 'state'> {
  readonly state: EncodedState | undefined;
}

/** An event as it may be handed to a store. */
export type PostableEvent = ChangeEvent | EncodedEvent;

/** A change of a log that is made again from a copy of it: one at or below the log's last stamp counts as known. */
export interface ReplayedChange extends ChangeEvent {
  /** The stamp that it had. */
  readonly time: Stamp;
  /** The number of the Change List window that it was in. */
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
  /** The order of its key after the change; absent when it has none. */
  readonly order?: number;
}

/**
 * Decides an event against the state it meets: the change that it makes, or `undefined` when it changes nothing. Both
 * states are canonical JSON, `undefined` for a resource that is not there.
 */
export function decide(current: EncodedState | undefined, next: EncodedState | undefined): ChangeKind | undefined {
  if (next === undefined) return current === undefined ? undefined : 'deleted';
  if (current === undefined) return 'created';
  return current === next ? undefined : 'updated';
}
