import type { Taken } from '../access/sender-limits.ts';

/** Milliseconds for which is gathered what to tell: so much later do limits hold for all processes together. */
const GATHERED_FOR = 200;

/** Gathers what senders were let have in this process, and tells it to the others. */
export class SharedLimits {
  readonly #tell: (taken: readonly Taken[]) => void;
  /** By what is limited and whose it is. */
  readonly #taken = new Map<string, Taken>();
  #timer: NodeJS.Timeout | undefined;

  constructor(tell: (taken: readonly Taken[]) => void) {
    this.#tell = tell;
  }

  note(taken: Taken): void {
    const name = `${taken.of} ${taken.key}`;
    const amount = taken.amount + (this.#taken.get(name)?.amount ?? 0);
    this.#taken.set(name, { ...taken, amount });
    this.#timer ??= setTimeout(() => this.#tellAll(), GATHERED_FOR).unref();
  }

  #tellAll(): void {
    this.#timer = undefined;
    const taken = [...this.#taken.values()];
    this.#taken.clear();
    this.#tell(taken);
  }
}
