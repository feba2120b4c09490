/** Milliseconds between two samples, and the number of samples in a minute. */
const EVERY = 5_000;
const SAMPLES = 12;

/** The rate of a counter in the last minute. */
export class Rate {
  readonly #count: () => number;
  readonly #samples: { readonly at: number; readonly count: number }[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(count: () => number) {
    this.#count = count;
  }

  start(): void {
    this.#sample();
    this.#timer ??= setInterval(() => this.#sample(), EVERY).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  get perSecond(): number {
    const [oldest] = this.#samples;
    if (oldest === undefined) return 0;
    const seconds = Math.max((performance.now() - oldest.at) / 1000, 1);
    return (this.#count() - oldest.count) / seconds;
  }

  #sample(): void {
    this.#samples.push({ at: performance.now(), count: this.#count() });
    if (this.#samples.length > SAMPLES) this.#samples.shift();
  }
}
