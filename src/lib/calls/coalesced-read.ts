/**
 * Coalesces concurrent reads of something that others change. A caller never joins a read that started before it asked:
 * that read may miss what the caller already knows.
 */
export class CoalescedRead<Result> {
  readonly #work: () => Promise<Result>;
  #current: Promise<Result> | undefined;
  #next: Promise<Result> | undefined;

  /** @param work reads once */
  constructor(work: () => Promise<Result>) {
    this.#work = work;
  }

  /** The result of a read that starts after the call. */
  read(): Promise<Result> {
    if (this.#current === undefined) {
      this.#current = this.#work().finally(() => {
        this.#current = undefined;
      });
      return this.#current;
    }
    this.#next ??= this.#current
      .catch(() => {})
      .then(() => {
        this.#next = undefined;
        return this.read();
      });
    return this.#next;
  }
}
