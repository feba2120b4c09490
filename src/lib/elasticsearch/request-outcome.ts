/** How a request to a database server ended, after its retries. */
export const REQUEST_OUTCOMES = ['answered', 'refused', 'overloaded', 'timed_out', 'unreachable'] as const;
export type RequestOutcome = (typeof REQUEST_OUTCOMES)[number];

export interface RequestObserver {
  /** A request to a database server ended. An embedded store sends none. */
  requested?(outcome: RequestOutcome, seconds: number): void;
}
