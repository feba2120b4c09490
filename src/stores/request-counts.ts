import { REQUEST_OUTCOMES, type RequestObserver, type RequestOutcome } from '../lib/elasticsearch/request-outcome.ts';

/** The index of the microseconds; the numbers before it count one outcome each. */
const MICROSECONDS = REQUEST_OUTCOMES.length;

/** Requests to the store, counted by all threads of the process in memory that they share. */
export class RequestCounts {
  readonly shared = new SharedArrayBuffer(BigInt64Array.BYTES_PER_ELEMENT * (REQUEST_OUTCOMES.length + 1));
  readonly #numbers = new BigInt64Array(this.shared);

  requests(outcome: RequestOutcome): number {
    return Number(Atomics.load(this.#numbers, REQUEST_OUTCOMES.indexOf(outcome)));
  }

  /** Seconds that all of them took together. */
  get seconds(): number {
    return Number(Atomics.load(this.#numbers, MICROSECONDS)) / 1e6;
  }
}

/** Counts into the memory of a RequestCounts, in whichever thread. */
export function requestObserver(shared: SharedArrayBuffer): RequestObserver {
  const numbers = new BigInt64Array(shared);
  return {
    requested(outcome, seconds) {
      Atomics.add(numbers, REQUEST_OUTCOMES.indexOf(outcome), 1n);
      Atomics.add(numbers, MICROSECONDS, BigInt(Math.round(seconds * 1e6)));
    },
  };
}
