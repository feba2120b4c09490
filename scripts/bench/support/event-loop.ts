import { existsSync, readFileSync, rmSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import type { Server } from './tidemark.ts';

/** Asks a server how long its HTTP thread was blocked. */
export class EventLoopProbe {
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  /** With this environment a server answers. */
  get env(): NodeJS.ProcessEnv {
    const probe = new URL('../probes/event-loop.ts', import.meta.url);
    return { NODE_OPTIONS: `--import ${probe}`, BENCH_EVENT_LOOP: this.#file };
  }

  /** The longest time that the HTTP thread was blocked since it was last asked, milliseconds. */
  async longestBlock({ pid }: Server): Promise<number> {
    rmSync(this.#file, { force: true });
    process.kill(pid, 'SIGUSR2');
    while (!existsSync(this.#file)) await wait(5);
    await wait(5);
    return Number(readFileSync(this.#file, 'utf8'));
  }
}
