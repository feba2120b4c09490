import { isTidemarkError, TidemarkError } from '../../core/errors.ts';

type Close = () => Promise<void> | void;

/** Closes what was opened, in reverse order. */
export class Closers {
  readonly #closers: Close[] = [];

  add(close: Close): void {
    this.#closers.push(close);
  }

  /**
   * Closes all, even when some fail.
   * @throws the failure, or an error with the messages of all of them, after all others were closed
   */
  async close(): Promise<void> {
    const failures: unknown[] = [];
    for (const close of this.#closers.splice(0).reverse()) {
      await Promise.try(close).catch((error: unknown) => failures.push(error));
    }
    if (failures.length > 0) throw failures.length === 1 ? failures[0] : joined(failures);
  }
}

/** Combines several errors. The result has the code of the first one, which decides the exit code of a command. */
function joined(failures: readonly unknown[]): Error {
  const message = failures.map((failure) => (failure instanceof Error ? failure.message : String(failure))).join('; ');
  const all = new AggregateError(failures, message);
  const [first] = failures;
  return isTidemarkError(first) ? new TidemarkError(first.code, message, first.details, all) : all;
}
