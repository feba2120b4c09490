/** How a request to a database server ended, after its retries. */
export const REQUEST_OUTCOMES = ['answered', 'refused', 'overloaded', 'timed_out', 'unreachable'] as const;
export type RequestOutcome = (typeof REQUEST_OUTCOMES)[number];

/** Is told what a store does while it does it. What it is told of may go on in any thread; it throws nothing. */
export interface StoreObserver {
  /** A request to a database server ended. An embedded store sends none. */
  requested?(outcome: RequestOutcome, seconds: number): void;
  /** A commit that was logged before is applied: readers may see it. Where both is one transaction, this is never told. */
  applied?(seconds: number): void;
}
