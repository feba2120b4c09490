import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Bench, BenchOptions, Figure } from '../figure.ts';
import { runChild } from '../support/child.ts';
import { partsOf } from '../support/documents.ts';
import { writeEvents } from '../support/events.ts';
import { filledSource, SET } from '../support/filled-source.ts';
import { type Answer, HttpClient, textOf } from '../support/http-client.ts';
import { resyncPython } from '../support/resync.ts';
import { median, secondsSince } from '../support/spread.ts';
import type { Server, Tidemark } from '../support/tidemark.ts';

/**
 * The last is what the first request after a million posts meets: no page directory is there, and all keys are read to
 * make one.
 */
const CASES = [
  { size: 50_000, directory: true, label: 'an empty cache' },
  { size: 10_000, directory: true, label: 'an empty cache' },
  { size: 50_000, directory: false, label: 'an empty cache and no page directory' },
] as const;
type Case = (typeof CASES)[number];

export const wholeList: Bench = {
  name: 'whole-list',
  about: 'the Resource List of 1,000,000 resources from nothing',

  async run(options) {
    const count = Math.round(1_000_000 * options.scale);
    const python = await writeWithResync(options, count);
    const baseline = { name: 'Python resync, pages of 50,000', values: python };
    const figures: Figure[] = [];
    for (const one of CASES) {
      const { seconds, memory } = await publish(options, count, one);
      const pages = `pages of ${one.size.toLocaleString('en')}`;
      const name = `list of ${count.toLocaleString('en')} from ${one.label}, ${pages}`;
      figures.push({ name, unit: 's', ours: seconds, baseline, limit: { most: median(python) / 5 } });
      figures.push({ name: '… peak memory', unit: 'MB', ours: memory });
    }
    return figures;
  },
};

async function publish(options: BenchOptions, count: number, { size, directory }: Case) {
  const tidemark = await filledSource(options, { resources: count, options: ['--page-size', String(size)] });
  const seconds: number[] = [];
  const memory: number[] = [];
  for (let run = 1; run <= options.runs; run++) {
    const server = await startWithoutDocuments(tidemark, directory);
    try {
      const start = performance.now();
      const pages = await fetchAll(server);
      seconds.push(secondsSince(start));
      requireAll(pages, count);
      memory.push(server.peakMemory());
    } finally {
      await server.stop();
    }
    options.log(`pages of ${size}, ${run}: ${seconds.at(-1)!.toFixed(1)} s in ${memory.at(-1)!.toFixed(0)} MB`);
  }
  rmSync(tidemark.dataFolder, { recursive: true });
  return { seconds, memory };
}

/** No document is there; nor, unless it is to be kept, what was known of which page holds what. */
async function startWithoutDocuments(tidemark: Tidemark, keepDirectory: boolean): Promise<Server> {
  if (keepDirectory) {
    const server = await tidemark.start();
    await server.client.get(`/sets/${SET}/resourcelist.xml`);
    await server.stop();
  }
  rmSync(join(tidemark.dataFolder, 'documents'), { recursive: true, force: true });
  if (!keepDirectory) {
    const database = new DatabaseSync(join(tidemark.dataFolder, 'tidemark.db'));
    database.exec(`DELETE FROM catalog WHERE kind = 'page-directory'`);
    database.close();
  }
  return tidemark.start();
}

/**
 * Fetches the index and every page, two at a time: so one is being rendered while another one is sent. Parses none of
 * them.
 */
async function fetchAll({ url, client }: Server): Promise<readonly Answer[]> {
  const paths = partsOf(await client.text(`/sets/${SET}/resourcelist.xml`)).map(({ path }) => path);
  const next = paths.values();
  const pages: Answer[] = [];
  const fetchOneByOne = async () => {
    const own = new HttpClient(url);
    for (const path of next) pages.push(await own.get(path, { 'Accept-Encoding': 'gzip' }));
    own.close();
  };
  await Promise.all([fetchOneByOne(), fetchOneByOne()]);
  return pages;
}

function requireAll(pages: readonly Answer[], count: number): void {
  const entries = pages.reduce((sum, page) => sum + textOf(page).split('<url>').length - 1, 0);
  if (entries !== count) throw new Error(`the pages hold ${entries} of ${count} resources`);
}

async function writeWithResync({ runs, folder, log }: BenchOptions, count: number): Promise<number[]> {
  const events = folder.next('ascending.ndjson');
  await writeEvents(events, { count, order: 'ascending' });
  const seconds: number[] = [];
  for (let run = 1; run <= runs; run++) {
    const output = folder.next('resync');
    mkdirSync(output);
    const script = new URL('../baselines/resync_list.py', import.meta.url).pathname;
    const given = JSON.stringify({ events, folder: output, collect: false });
    const { stdout } = await runChild(resyncPython(), [script, given]);
    seconds.push(JSON.parse(stdout).seconds);
    rmSync(output, { recursive: true });
    log(`Python resync ${run}: ${seconds.at(-1)!.toFixed(1)} s`);
  }
  rmSync(events);
  return seconds;
}
