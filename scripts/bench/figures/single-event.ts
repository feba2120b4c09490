import { setTimeout as wait } from 'node:timers/promises';
import type { Bench, BenchOptions } from '../figure.ts';
import { runScript } from '../support/child.ts';
import { Reader } from '../support/documents.ts';
import { pathOf } from '../support/events.ts';
import { filledSource, SET } from '../support/filled-source.ts';
import { lastmodOf, postEvent } from '../support/post-event.ts';
import { percentile } from '../support/spread.ts';
import type { Server } from '../support/tidemark.ts';

const RESOURCES = 10_000;
const EVENTS = 100;
/** Milliseconds between two events, so that the source is idle. */
const PAUSE = 100;

export const singleEvent: Bench = {
  name: 'single-event',
  about: 'one event posted alone to an idle source of 10,000 resources',

  async run(options) {
    const { runs, tell } = options;
    const acknowledged: number[] = [];
    const listed: number[] = [];
    const bare: number[] = [];
    const tidemark = await filledSource(options, { resources: RESOURCES });
    const server = await tidemark.start();
    try {
      await untilListed(server, 0);
      for (let run = 1; run <= runs; run++) {
        const times = await postEvents(server, run);
        acknowledged.push(percentile(times.acknowledged, 95));
        listed.push(percentile(times.listed, 95));
        bare.push(percentile(await writeBare(options), 95));
        const [a, l, b] = [acknowledged, listed, bare].map((all) => all.at(-1)!.toFixed(1));
        tell(`${run}: p95 acknowledged ${a} ms, in the lists ${l} ms, bare ${b} ms`);
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

async function postEvents(server: Server, revision: number): Promise<{ acknowledged: number[]; listed: number[] }> {
  const acknowledged: number[] = [];
  const listed: number[] = [];
  for (let number = 0; number < EVENTS; number++) {
    await wait(PAUSE);
    const start = performance.now();
    await postEvent(server.client, { set: SET, number, revision });
    acknowledged.push(performance.now() - start);
    await untilListed(server, number, lastmodOf(number, revision));
    listed.push(performance.now() - start);
  }
  return { acknowledged, listed };
}

/** Fetches both lists until they tell of the resource (with this date). */
async function untilListed({ client }: Server, number: number, lastmod = ''): Promise<void> {
  const entry = `${pathOf(number)}</loc><lastmod>${lastmod}`;
  const reader = new Reader(client);
  while (!(await reader.read(`/sets/${SET}/resourcelist.xml`)).includes(entry));
  while (!(await reader.readOpenChanges(SET)).includes(entry));
}

function writeBare({ folder }: BenchOptions): Promise<number[]> {
  const database = folder.next('single.db');
  return runScript('baselines/sqlite-single.ts', { database, resources: RESOURCES, events: EVENTS, pause: PAUSE });
}
