/** A call of a client costs some 10 to 60 µs; the event loop must not be held longer than a few milliseconds. */
const MOST_CALLS = 100;

interface Call<Shared> {
  readonly run: (shared: Shared) => unknown;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Runs synchronous calls in batches: all calls of one turn of the event loop share a transaction and a check, which
 * cost as much as a call. Both are made after every call of the batch was requested, so no result is older than that of
 * a call made alone.
 */
export class BatchedCalls<Shared = void> {
  readonly #share: (runAll: (shared: Shared) => void) => void;
  #waiting: Call<Shared>[] = [];

  /**
   * @param share prepares what the batch shares, and calls `runAll` with it. If it throws before that, all calls of the
   * batch fail
   */
  constructor(share: (runAll: (shared: Shared) => void) => void) {
    this.#share = share;
  }

  run<Result>(call: (shared: Shared) => Result): Promise<Result> {
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    if (this.#waiting.length === 0) setImmediate(() => this.#runBatch());
    this.#waiting.push({ run: call, resolve: resolve as (result: unknown) => void, reject });
    return promise;
  }

  #runBatch(): void {
    const calls = this.#waiting.splice(0, MOST_CALLS);
    if (this.#waiting.length > 0) setImmediate(() => this.#runBatch());
    try {
      this.#share((shared) => {
        for (const { run, resolve, reject } of calls) {
          try {
            resolve(run(shared));
          } catch (error) {
            reject(error);
          }
        }
      });
    } catch (error) {
      // Calls that have a result already keep it.
      for (const { reject } of calls) reject(error);
    }
  }
}
