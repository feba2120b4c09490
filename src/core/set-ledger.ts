import type { ChangeKind } from './change.ts';
import { MAX_ENTRIES_WEIGHT, type ResourceSet } from './resource-set.ts';
import type { Stamp } from './stamp.ts';

/** The Change List window that is being filled; number 0 before the first change of a set. */
export interface OpenWindow {
  readonly number: number;
  readonly firstStamp: Stamp;
  changes: number;
  weight: number;
}

/** The counts of a log for one set. */
export interface SetLedger {
  window: OpenWindow;
  resources: number;
  changes: number;
  lastChange: Stamp;
}

export function emptyLedger(): SetLedger {
  return { window: { number: 0, firstStamp: 0, changes: 0, weight: 0 }, resources: 0, changes: 0, lastChange: 0 };
}

export interface CountedChange {
  readonly kind: ChangeKind;
  readonly stamp: Stamp;
  readonly weight: number;
  /** The number of its window, if known; see ChangeEvent. */
  readonly window?: number | undefined;
}

/**
 * Counts a change in the ledger of its set. If the open window is full, the change begins the next one: returns the
 * window that is closed by that.
 */
export function countChange(
  ledger: SetLedger,
  change: CountedChange,
  set: Pick<ResourceSet, 'windowChanges' | 'epochStart'>,
): OpenWindow | undefined {
  const { window } = ledger;
  const { kind, stamp, weight } = change;
  const isNext = change.window === undefined ? beginsNext(window, weight, set) : change.window > window.number;
  if (isNext) ledger.window = { number: window.number + 1, firstStamp: stamp, changes: 0, weight: 0 };
  ledger.window.changes += 1;
  ledger.window.weight += weight;
  ledger.changes += 1;
  ledger.lastChange = stamp;
  if (kind === 'created') ledger.resources += 1;
  if (kind === 'deleted') ledger.resources -= 1;
  return isNext && window.number > 0 ? window : undefined;
}

function beginsNext(
  window: OpenWindow,
  weight: number,
  { windowChanges, epochStart }: Pick<ResourceSet, 'windowChanges' | 'epochStart'>,
): boolean {
  const full = window.changes >= windowChanges || window.weight + weight > MAX_ENTRIES_WEIGHT;
  return window.number === 0 || full || window.firstStamp < epochStart;
}
