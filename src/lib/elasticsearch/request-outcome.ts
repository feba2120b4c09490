/** The outcome of a request to a database server, after its retries. */
export const REQUEST_OUTCOMES = ['answered', 'refused', 'overloaded', 'timed_out', 'unreachable'] as const;
export type RequestOutcome = (typeof REQUEST_OUTCOMES)[number];

export interface RequestObserver {
  /** Called when a request to a database server has ended. An embedded store sends no requests. */
  requested?(outcome: RequestOutcome, seconds: number): void;
}
