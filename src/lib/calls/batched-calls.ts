/** A call of a client costs some 10 to 60 µs; the event loop must not be held longer than a few milliseconds. */
const MOST_CALLS = 100;
/** Milliseconds after which the event loop does its other work, even when results lead to more calls. */
const MOST_MS = 5;

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
  #isRunning = false;

  /**
   * @param share prepares what the batch shares, and calls `runAll` with it. If it throws before that, all calls of the
   * batch fail
   */
  constructor(share: (runAll: (shared: Shared) => void) => void) {
    this.#share = share;
  }

  run<Result>(call: (shared: Shared) => Result): Promise<Result> {
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    if (this.#waiting.length === 0 && !this.#isRunning) setImmediate(() => this.#runRounds(performance.now()));
    this.#waiting.push({ run: call, resolve: resolve as (result: unknown) => void, reject });
    return promise;
  }

  /**
   * Runs a batch, then the calls that its results have led to, and so on. Requests that arrived together stay together
   * until they are answered: a turn of the event loop for each of their calls costs more than the calls.
   */
  #runRounds(began: number): void {
    this.#isRunning = true;
    this.#runBatch();
    // A tick that is added by a microtask comes after all microtasks, and so after all that the results led to.
    queueMicrotask(() => process.nextTick(() => this.#goOn(began)));
  }

  #goOn(began: number): void {
    if (this.#waiting.length === 0) this.#isRunning = false;
    else if (performance.now() - began < MOST_MS) this.#runRounds(began);
    else setImmediate(() => this.#runRounds(performance.now()));
  }

  #runBatch(): void {
    const calls = this.#waiting.splice(0, MOST_CALLS);
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
