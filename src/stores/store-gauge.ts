import type { SetId } from '../core/resource-set.ts';
import type { Stamp } from '../core/stamp.ts';

/**
 * What a store can report about itself quickly, however much it holds: for metrics and `tidemark status`. Held to these
 * promises by test/contract/store-gauge.ts. Both methods throw `unavailable` when the store does not answer.
 */
export interface StoreGauge {
  /** How far the log is, and how much of it is applied. It waits for nothing that is being applied. */
  progress(): Promise<LogProgress>;

  /** The sums over all sets but these, with every change that was committed and applied before the call. */
  totals(except: readonly SetId[]): Promise<StoreTotals>;
}

export interface LogProgress {
  /** The newest stamp in the log; 0 when it is empty. */
  readonly logged: Stamp;
  /** Up to here every commit is applied; the same as `logged` when none waits. */
  readonly applied: Stamp;
  /** Commits that are logged and not applied yet. */
  readonly waiting: number;
  /** When the oldest of them was logged, milliseconds since 1970; undefined when none waits. */
  readonly waitingSince: number | undefined;
}

export interface StoreTotals {
  readonly resources: number;
  readonly changes: number;
}
