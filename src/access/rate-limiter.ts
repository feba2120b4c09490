const MINUTE = 60_000;
/** Rounding errors of sums that should be whole numbers are smaller than this. */
const ROUNDING = 1e-6;

interface Bucket {
  /** The amount left at that time; negative when more was taken than was left. */
  left: number;
  /** Milliseconds of the monotonic clock. */
  at: number;
}

/**
 * Lets each key take an amount per minute, at once or spread out (a token bucket). Memory is bounded: above a number of
 * keys, the least recently used ones are forgotten.
 */
export class RateLimiter {
  readonly #mostKeys: number;
  readonly #now: () => number;
  /** Least recently used first. */
  readonly #buckets = new Map<string, Bucket>();

  constructor({ mostKeys = 10_000, now = () => performance.now() } = {}) {
    this.#mostKeys = mostKeys;
    this.#now = now;
  }

  /**
   * Takes an amount, when at least 1 is left. Returns 0, or the milliseconds after which to try again.
   * @param perMinute the amount refilled per minute, and the most that can be taken at once
   */
  take(key: string, amount: number, perMinute: number): number {
    const bucket = this.#bucketOf(key, perMinute);
    if (bucket.left < 1 - ROUNDING) return Math.ceil(((1 - bucket.left) / perMinute) * MINUTE - ROUNDING);
    bucket.left -= amount;
    return 0;
  }

  /** Gives back what was taken for something that is not to be counted after all. */
  giveBack(key: string, amount: number): void {
    const bucket = this.#buckets.get(key);
    if (bucket !== undefined) bucket.left += amount;
  }

  #bucketOf(key: string, perMinute: number): Bucket {
    const now = this.#now();
    const bucket = this.#buckets.get(key) ?? { left: perMinute, at: now };
    bucket.left = Math.min(perMinute, bucket.left + ((now - bucket.at) / MINUTE) * perMinute);
    bucket.at = now;
    this.#buckets.delete(key);
    this.#buckets.set(key, bucket);
    if (this.#buckets.size > this.#mostKeys) this.#buckets.delete(this.#buckets.keys().next().value!);
    return bucket;
  }
}
