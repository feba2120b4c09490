import { TidemarkError } from '../../core/errors.ts';

/** A page of a list takes up to some 50 MB while it is made. */
const MOST_AT_ONCE = 4;
const MOST_WAITING = 60;

/** Limits how many pages are made at a time, so that memory does not grow with the number of clients. */
export class BusyLimit {
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  /** @throws TidemarkError `not-ready` when too many calls are waiting: a client may try again */
  async run<Result>(make: () => Promise<Result>): Promise<Result> {
    if (this.#running === MOST_AT_ONCE) await this.#wait();
    else this.#running += 1;
    try {
      return await make();
    } finally {
      // The place goes to the next one, if there is one.
      const next = this.#waiting.shift();
      if (next === undefined) this.#running -= 1;
      else next();
    }
  }

  /** Within a call: lets those that wait go first, so that long calls do not occupy all places. */
  async giveWay(): Promise<void> {
    const next = this.#waiting.shift();
    if (next === undefined) return;
    const place = new Promise<void>((resolve) => this.#waiting.push(resolve));
    next();
    await place;
  }

  #wait(): Promise<void> {
    if (this.#waiting.length >= MOST_WAITING) {
      throw new TidemarkError('not-ready', 'too many lists are being read: try again in a few seconds');
    }
    return new Promise((resolve) => this.#waiting.push(resolve));
  }
}
