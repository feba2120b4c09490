import { isTidemarkError } from '../../../core/errors.ts';
import type { MirrorState } from './mirror-state.ts';

/** Records why a pass failed. If the state cannot be written either, the first error is the useful one. */
export function recordFailure(state: MirrorState, error: unknown): void {
  try {
    state.setFact('lastPass', { time: Date.now(), failure: error instanceof Error ? error.message : String(error) });
    state.commit();
  } catch (second) {
    if (!isTidemarkError(second, 'unavailable')) throw second;
  }
}
