import { AskedThread } from '../../lib/workers/asked-thread.ts';
import { startThread } from '../../lib/workers/questions.ts';

/** A thread takes 50 ms to start, so it stays for a while; an idle root keeps none. */
const IDLE_MILLISECONDS = 5_000;

export type FolderThread = 'walk-thread' | 'watch-thread' | 'hash-thread';

/** A thread that ends when nobody has held it for a while. */
export class HeldThread<Ask, Answer> {
  readonly #thread: AskedThread;
  #holders = 0;
  #idle: NodeJS.Timeout | undefined;

  constructor(name: FolderThread, workerData: unknown) {
    this.#thread = new AskedThread({ work: 'reading the root', start: () => startFolderThread(name, workerData) });
  }

  /** Keeps the thread, and the process, from ending until `letGo`. */
  hold(): void {
    clearTimeout(this.#idle);
    this.#holders += 1;
    this.#thread.ref();
  }

  letGo(): void {
    this.#holders -= 1;
    if (this.#holders > 0) return;
    this.#thread.unref();
    this.#idle = setTimeout(() => this.end(), IDLE_MILLISECONDS).unref();
  }

  /** Only for a holder. */
  ask(ask: Ask): Promise<Answer> {
    return this.#thread.ask(ask);
  }

  /** Stops the thread, whatever it is doing. The next question starts another one. */
  end(): void {
    this.#thread.end();
  }
}

export function startFolderThread(name: FolderThread, workerData: unknown) {
  // What these threads make is short-lived; the default lets each of them gather tens of megabytes of it.
  return startThread(`./${name}`, import.meta.url, { workerData, resourceLimits: { maxYoungGenerationSizeMb: 2 } });
}
