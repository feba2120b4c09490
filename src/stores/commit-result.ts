import type { ChangeKind } from '../core/change.ts';
import { type Decisions, isChange, MOST_SOURCES, type Outcome } from '../core/decide-batch.ts';
import type { SetId } from '../core/resource-set.ts';
import type { Stamp } from '../core/stamp.ts';

export type CommitResult =
  | { readonly status: 'applied'; readonly stamp: Stamp; readonly kind: ChangeKind }
  /**
   * Nothing changed. `repeated`: its position was already processed. `superseded`: its order is below that of its key,
   * or the key has changed since the state on which the event is based.
   */
  | { readonly status: 'unchanged'; readonly reason: 'same-state' | 'not-there' | 'repeated' | 'superseded' }
  | {
      readonly status: 'rejected';
      readonly code: 'unknown-set' | 'moved' | 'too-many-sources';
      readonly message: string;
    };

/** The stamp of each event's change; 0 for an event without a change. */
export function stampsOf({ outcomes, changes }: Pick<Decisions, 'outcomes' | 'changes'>): Float64Array {
  const stamps = new Float64Array(outcomes.length);
  for (const { event, after } of changes) stamps[event] = after.stamp;
  return stamps;
}

export function toResult(outcome: Outcome, set: SetId, stamp: Stamp): CommitResult {
  if (isChange(outcome)) return { status: 'applied', stamp, kind: outcome };
  switch (outcome) {
    case 'unknown-set':
      return { status: 'rejected', code: outcome, message: `there is no set with the id ${set}` };
    case 'moved':
      return {
        status: 'rejected',
        code: outcome,
        message: 'the set was moved to another URL prefix meanwhile: post the event again',
      };
    case 'too-many-sources':
      return {
        status: 'rejected',
        code: outcome,
        message: `source is a new one, and the set remembers the positions of ${MOST_SOURCES} already: use one of those, or leave out position`,
      };
    default:
      return { status: 'unchanged', reason: outcome };
  }
}
