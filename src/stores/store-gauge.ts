import type { SetId } from '../core/resource-set.ts';
import type { Stamp } from '../core/stamp.ts';

/**
 * What a store can report about itself quickly, whatever its size, for metrics and `tidemark status`.
 * test/contract/store-gauge.ts tests these promises. All methods throw `unavailable` when the store does not respond.
 */
export interface StoreGauge {
  /** How much of the log is written, and how much is applied. It does not wait for commits that are being applied. */
  progress(): Promise<LogProgress>;

  /** The sums over all sets except these, including every change that was committed and applied before the call. */
  totals(except: readonly SetId[]): Promise<StoreTotals>;

  /** The indices of the store, by name; none for a store in a file. */
  indices(): Promise<readonly StoredIndex[]>;
}

export interface LogProgress {
  /** The newest stamp in the log; 0 when it is empty. */
  readonly logged: Stamp;
  /** Every commit up to this stamp is applied. Equal to `logged` when none waits. */
  readonly applied: Stamp;
  /** Number of commits that are logged but not applied yet. */
  readonly waiting: number;
  /** When the oldest of them was logged, milliseconds since 1970; undefined when none waits. */
  readonly waitingSince: number | undefined;
}

export interface StoredIndex {
  readonly name: string;
  /** Number of primary shards. */
  readonly shards: number;
  /** Number of other copies of each. */
  readonly replicas: number;
  /** What was written in the last seconds may not count yet. */
  readonly documents: number;
  /** On the disks of all nodes, of all copies. */
  readonly bytes: number;
}

export interface StoreTotals {
  readonly resources: number;
  readonly changes: number;
}
