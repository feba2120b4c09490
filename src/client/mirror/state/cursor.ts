import type { Cursor } from '../lists/take-changes.ts';
import type { MirrorState } from './mirror-state.ts';

/** The position up to which the copy has all changes; undefined before the first comparison has come to its end. */
export function cursorOf(state: MirrorState): Cursor | undefined {
  const time = state.fact('cursor');
  if (time === undefined) return undefined;
  return { time, seen: state.fact('seen') ?? [], before: state.fact('changesBefore') };
}

export function setCursor(state: MirrorState, cursor: Cursor | undefined): void {
  state.setFact('cursor', cursor?.time);
  state.setFact('seen', cursor?.seen);
  state.setFact('changesBefore', cursor?.before);
}
