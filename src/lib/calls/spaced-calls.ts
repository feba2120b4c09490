/** A call of a client costs some 10 to 60 µs; the event loop must not be held longer than a few milliseconds. */
const MOST_IN_A_TURN = 100;

/**
 * Runs each synchronous call in an immediate of its own, so that its caller continues before the next call runs: one
 * client gets its response while others wait. The calls of one turn of the event loop use one result of `share`, which
 * costs as much as a call. It is made after all of them were requested, so no result is older than that of a call made
 * alone.
 */
export class SpacedCalls<Shared> {
  readonly #share: () => Shared;
  readonly #waiting: (() => void)[] = [];
  /** Number of scheduled immediates for waiting calls. */
  #immediates = 0;
  #shared: { readonly value: Shared } | undefined;

  /** @param share makes what the calls of a turn share. If it throws, the call that needed it fails */
  constructor(share: () => Shared) {
    this.#share = share;
  }

  run<Result>(call: (shared: Shared) => Result): Promise<Result> {
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    this.#waiting.push(() => {
      try {
        resolve(call(this.#sharedNow()));
      } catch (error) {
        reject(error);
      }
    });
    if (this.#immediates < MOST_IN_A_TURN) this.#addImmediate();
    return promise;
  }

  #addImmediate(): void {
    this.#immediates += 1;
    setImmediate(this.#runOne);
  }

  readonly #runOne = (): void => {
    this.#immediates -= 1;
    this.#waiting.shift()!();
    if (this.#waiting.length > this.#immediates) this.#addImmediate();
  };

  #sharedNow(): Shared {
    if (this.#shared === undefined) {
      this.#shared = { value: this.#share() };
      // Immediates run in order: this one runs before those of calls that are requested from now on.
      setImmediate(() => {
        this.#shared = undefined;
      });
    }
    return this.#shared.value;
  }
}
