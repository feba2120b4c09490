import { HeldThread } from './held-thread.ts';

interface Waiting {
  readonly look: string;
  readonly resolve: (isCurrent: boolean) => void;
  readonly reject: (error: unknown) => void;
}

/** Looks whether files have changed, in a thread of its own: many at once, and a file system that hangs holds nobody else. */
export class LookClient {
  readonly #thread = new HeldThread<string, string>('look-thread', undefined);
  #waiting: Waiting[] = [];
  #isLooking = false;

  /** By a look that begins after the call. @param look as `textOfLook` makes it */
  isCurrent(look: string): Promise<boolean> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ look, resolve, reject });
      if (this.#isLooking) return;
      this.#isLooking = true;
      // Whoever else asks now shares it.
      queueMicrotask(() => void this.#lookOn());
    });
  }

  async #lookOn(): Promise<void> {
    this.#thread.hold();
    while (this.#waiting.length > 0) {
      const all = this.#waiting;
      this.#waiting = [];
      try {
        // Many ask for the same file.
        const looks = new Map<string, number>();
        for (const { look } of all) if (!looks.has(look)) looks.set(look, looks.size);
        const answers = await this.#thread.ask([...looks.keys()].join('\0'));
        for (const { look, resolve } of all) resolve(answers[looks.get(look)!] === '1');
      } catch (error) {
        for (const { reject } of all) reject(error);
      }
    }
    this.#isLooking = false;
    this.#thread.letGo();
  }
}
