type Close = () => Promise<void> | void;

/** Closes what was opened, in reverse order. */
export class Closers {
  readonly #closers: Close[] = [];

  add(close: Close): void {
    this.#closers.push(close);
  }

  /**
   * Closes all, even when some fail.
   * @throws the first failure, after all others were closed
   */
  async close(): Promise<void> {
    const failures: unknown[] = [];
    for (const close of this.#closers.splice(0).reverse()) {
      await Promise.try(close).catch((error: unknown) => failures.push(error));
    }
    if (failures.length > 0) throw failures[0];
  }
}
