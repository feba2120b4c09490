import type { RequestObserver } from '../lib/elasticsearch/request-outcome.ts';

/** Is called while a store works, in any thread. Its methods throw nothing. */
export interface StoreObserver extends RequestObserver {
  /** A commit that was logged before is applied: readers may see it. Not called where both is one transaction. */
  applied?(seconds: number): void;
}
