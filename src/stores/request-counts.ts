import { REQUEST_OUTCOMES, type RequestObserver, type RequestOutcome } from '../lib/elasticsearch/request-outcome.ts';

/** The index of the microseconds. Each number before it counts one outcome. */
const MICROSECONDS = REQUEST_OUTCOMES.length;

/** Counts requests to the store by all threads of the process, in shared memory. */
export class RequestCounts {
  readonly shared = new SharedArrayBuffer(BigInt64Array.BYTES_PER_ELEMENT * (REQUEST_OUTCOMES.length + 1));
  readonly #numbers = new BigInt64Array(this.shared);

  requests(outcome: RequestOutcome): number {
    return Number(Atomics.load(this.#numbers, REQUEST_OUTCOMES.indexOf(outcome)));
  }

  /** Total duration of all requests in seconds. */
  get seconds(): number {
    return Number(Atomics.load(this.#numbers, MICROSECONDS)) / 1e6;
  }
}

/** Returns an observer that counts in the memory of a RequestCounts, for any thread. */
export function requestObserver(shared: SharedArrayBuffer): RequestObserver {
  const numbers = new BigInt64Array(shared);
  return {
    requested(outcome, seconds) {
      Atomics.add(numbers, REQUEST_OUTCOMES.indexOf(outcome), 1n);
      Atomics.add(numbers, MICROSECONDS, BigInt(Math.round(seconds * 1e6)));
    },
  };
}
