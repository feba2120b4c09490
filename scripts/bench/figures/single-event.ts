import type { Bench, BenchOptions } from '../figure.ts';
import { runScript } from '../support/child.ts';
import { filledSource } from '../support/filled-source.ts';
import { listedAfter, untilListed } from '../support/listed-after.ts';
import { percentile } from '../support/spread.ts';

const RESOURCES = 10_000;
const EVENTS = 100;
/** Milliseconds between two events, so that the source is idle. */
const PAUSE = 100;

export const singleEvent: Bench = {
  name: 'single-event',
  about: 'one event posted alone to an idle source of 10,000 resources',

  async run(options) {
    const { runs, log } = options;
    const acknowledged: number[] = [];
    const listed: number[] = [];
    const bare: number[] = [];
    const tidemark = await filledSource(options, { resources: RESOURCES });
    const server = await tidemark.start();
    try {
      await untilListed(server, 0);
      for (let run = 1; run <= runs; run++) {
        const times = await listedAfter(server, { events: EVENTS, pause: PAUSE, revision: run });
        acknowledged.push(percentile(times.acknowledged, 95));
        listed.push(percentile(times.listed, 95));
        bare.push(percentile(await writeBare(options), 95));
        const [a, l, b] = [acknowledged, listed, bare].map((all) => all.at(-1)!.toFixed(1));
        log(`${run}: p95 acknowledged ${a} ms, in the lists ${l} ms, bare ${b} ms`);
      }
    } finally {
      await server.stop();
    }
    const baseline = { name: 'bare SQLite, one transaction', values: bare };
    return [
      { name: 'one event until acknowledged, p95', unit: 'ms', ours: acknowledged, baseline, limit: { most: 50 } },
      { name: 'one event until in both lists, p95', unit: 'ms', ours: listed, baseline, limit: { most: 300 } },
    ];
  },
};

function writeBare({ folder }: BenchOptions): Promise<number[]> {
  const database = folder.next('single.db');
  return runScript('baselines/sqlite-single.ts', { database, resources: RESOURCES, events: EVENTS, pause: PAUSE });
}
