type Close = () => Promise<void> | void;

/** What was opened, to be closed in the reverse order. */
export class Closers {
  readonly #closers: Close[] = [];

  add(close: Close): void {
    this.#closers.push(close);
  }

  /** What cannot be closed does not keep the rest open. @throws the first failure, when all the rest is closed */
  async close(): Promise<void> {
    const failures: unknown[] = [];
    for (const close of this.#closers.splice(0).reverse()) {
      await Promise.try(close).catch((error: unknown) => failures.push(error));
    }
    if (failures.length > 0) throw failures[0];
  }
}
