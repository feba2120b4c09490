import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Bench } from '../figure.ts';
import { runScript } from '../support/child.ts';
import { EventLoopProbe } from '../support/event-loop.ts';
import { filledSource, SET } from '../support/filled-source.ts';
import { slowestHealth } from '../support/health.ts';
import { postEvent } from '../support/post-event.ts';
import type { Server } from '../support/tidemark.ts';

const ENTRIES = 50_000;
const PAGE = `/sets/${SET}/resourcelist.xml`;

export const page: Bench = {
  name: 'page',
  about: 'rendering one page of 50,000 entries',

  async run({ runs, folder, log }) {
    const tidemark = await filledSource({ folder }, { resources: ENTRIES, options: ['--page-size', String(ENTRIES)] });
    const probe = new EventLoopProbe(folder.next('event-loop'));
    const server = await tidemark.start(['serve'], probe.env);
    // From an older version, the new one would be made.
    const forget = () => rmSync(join(tidemark.dataFolder, 'documents'), { recursive: true, force: true });
    const times: number[] = [];
    const broughtUpToDate: number[] = [];
    const blocked: number[] = [];
    const health: number[] = [];
    try {
      // The first three warm the render thread up, and do not count.
      for (let run = -2; run <= runs; run++) {
        await postEvent(server.client, { set: SET, number: 0, revision: run + 10 });
        await wait(300);
        forget();
        await probe.longestBlock(server);
        const time = await render(server);
        const longest = await probe.longestBlock(server);
        if (run < 1) continue;
        times.push(time);
        blocked.push(longest);
        await postEvent(server.client, { set: SET, number: 1, revision: run + 10 });
        forget();
        health.push(await slowestHealth(server, () => render(server).then(() => {})));
        await postEvent(server.client, { set: SET, number: 2, revision: run + 10 });
        await wait(300);
        broughtUpToDate.push(await render(server));
        const [again, slowest] = [broughtUpToDate, health].map((all) => all.at(-1)!.toFixed(1));
        log(
          `${run}: ${time.toFixed(0)} ms, from its older version ${again} ms, blocked ${longest.toFixed(1)} ms, health ${slowest} ms`,
        );
      }
    } finally {
      await server.stop();
    }
    const bare = await runScript<number[]>('baselines/plain-page.ts', {
      database: join(tidemark.dataFolder, 'tidemark.db'),
      runs: runs + 3,
    });
    return [
      {
        name: 'rendering one page of 50,000, until the last byte',
        unit: 'ms',
        ours: times,
        baseline: { name: 'plain script: read, join, gzip', values: bare.slice(3) },
        limit: { most: 300 },
      },
      { name: '… of its older version and one change', unit: 'ms', ours: broughtUpToDate },
      { name: '… HTTP thread blocked at a time, at most', unit: 'ms', ours: blocked, limit: { most: 50 } },
      { name: '… slowest of the GET /healthz meanwhile', unit: 'ms', ours: health, limit: { most: 50 } },
    ];
  },
};

/** Milliseconds from the request to the last byte. */
async function render({ client }: Server): Promise<number> {
  const start = performance.now();
  const { body } = await client.get(PAGE, { 'Accept-Encoding': 'gzip' });
  if (body.length < ENTRIES) throw new Error(`the page has ${body.length} bytes only`);
  return performance.now() - start;
}
