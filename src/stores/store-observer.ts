import type { RequestObserver } from '../lib/elasticsearch/request-outcome.ts';

/** Called while a store works, in any thread. Its methods must not throw. */
export interface StoreObserver extends RequestObserver {
  /** A logged commit is applied: readers may see it. Not called by a store that logs and applies in one transaction. */
  applied?(seconds: number): void;
}
