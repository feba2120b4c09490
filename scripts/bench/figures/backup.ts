import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { openStores } from '../../../src/stores/open-stores.ts';
import type { Bench } from '../figure.ts';
import { filledSource, SET } from '../support/filled-source.ts';
import { MOST_MEMORY_MB, restartPeakMemory } from '../support/peak-memory.ts';
import { postEvent } from '../support/post-event.ts';
import { percentile } from '../support/spread.ts';
import type { Server } from '../support/tidemark.ts';

const RESOURCES = 1_000_000;
const IDLE_EVENTS = 200;
/** Milliseconds between two events. */
const PAUSE = 20;

export const backup: Bench = {
  name: 'backup',
  about: 'events posted one at a time while a job makes a backup of 1,000,000 resources, and compares it',

  async run(options) {
    const { runs, scale, log } = options;
    const [during, idle, seconds, memory]: number[][] = [[], [], [], []];
    const tidemark = await filledSource(options, { resources: Math.ceil(RESOURCES * scale) });
    const server = await tidemark.start(['serve'], { TIDEMARK_KEEP_BACKUPS: '1' });
    const { jobs, close } = await openStores({ kind: 'sqlite', file: join(tidemark.dataFolder, 'tidemark.db') });
    const posting = new Posting(server);
    try {
      for (let run = 1; run <= runs; run++) {
        let posted = 0;
        idle!.push(await posting.whilst(async () => posted++ < IDLE_EVENTS));
        restartPeakMemory(server.pid);
        await jobs.add('back-up-store', `run-${run}`, {});
        const job = () => jobs.get(`back-up-store/run-${run}`);
        const began = performance.now();
        during!.push(await posting.whilst(async () => !(await job()).finished));
        seconds!.push((performance.now() - began) / 1000);
        memory!.push(server.peakMemory());
        const ended = await job();
        if (ended.state !== 'done') throw new Error(`the backup ${ended.state}: ${ended.error}`);
        log(`${run}: p95 ${during!.at(-1)!.toFixed(1)} ms, idle ${idle!.at(-1)!.toFixed(1)} ms`);
      }
    } finally {
      await close();
      await server.stop();
    }
    const baseline = { name: 'without a backup', values: idle! };
    return [
      { name: 'one event during a backup, p95', unit: 'ms', ours: during!, baseline },
      { name: 'backup, with its comparison', unit: 's', ours: seconds! },
      { name: 'memory of the server', unit: 'MB', ours: memory!, limit: { most: MOST_MEMORY_MB } },
    ];
  },
};

class Posting {
  readonly #server: Server;
  #posted = 0;

  constructor(server: Server) {
    this.#server = server;
  }

  /** Posts events, and returns the 95th percentile of the milliseconds until each was acknowledged. */
  async whilst(goesOn: () => Promise<boolean>): Promise<number> {
    const times: number[] = [];
    while (await goesOn()) {
      const began = performance.now();
      await postEvent(this.#server.client, { set: SET, number: this.#posted % 100, revision: 1 + this.#posted });
      this.#posted += 1;
      times.push(performance.now() - began);
      await wait(PAUSE);
    }
    return percentile(times, 95);
  }
}
