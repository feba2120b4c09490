import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Part, partsOf } from '../documents.ts';
import { SET } from '../filled-source.ts';
import { HttpClient, textOf } from '../http-client.ts';
import { postEvent } from '../post-event.ts';
import { processorTime } from '../processor-time.ts';
import { secondsSince } from '../spread.ts';
import type { Server } from '../tidemark.ts';
import { type Command, reported } from './commands.ts';
import type { LargeSource, Log } from './large-source.ts';

const LIST = `/sets/${SET}/resourcelist.xml`;
const REVISION = 5_000;

export interface WholeList extends Command {
  /** Until the index is answered, for which all keys are read once. */
  readonly indexSeconds: number;
  /** Bytes of all pages, as gzip. */
  readonly bytes: number;
}

/** What one change makes of a list whose documents are all stored. */
export interface ChangedList {
  /** Pages that the index names as changed. */
  readonly pages: number;
  /** Documents that the server rendered until all of the list was fetched again. */
  readonly rendered: number;
  /** Until the index and all pages were fetched. */
  readonly seconds: number;
}

/** Fetches the Resource List when no document is stored. */
export async function measureWholeList({ tidemark, count }: LargeSource, log: Log): Promise<WholeList> {
  rmSync(join(tidemark.dataFolder, 'documents'), { recursive: true, force: true });
  const server = await tidemark.start();
  try {
    const started = processorTime(server.pid);
    const begin = performance.now();
    const parts = await pagesOf(server);
    const indexSeconds = secondsSince(begin);
    log(`the index after ${indexSeconds.toFixed(1)} s`);
    const { entries, bytes } = await fetchPages(server, parts, log);
    const processor = processorTime(server.pid) - started;
    const list = { seconds: secondsSince(begin), processor, memory: server.peakMemory() };
    if (entries !== count) throw new Error(`the pages hold ${entries} of ${count} resources`);
    return { ...reported('all pages fetched', list, log), indexSeconds, bytes };
  } finally {
    await server.stop();
  }
}

/** Posts one change, and fetches the whole list again. */
export async function measureChangedList({ tidemark, count }: LargeSource, log: Log): Promise<ChangedList> {
  const server = await tidemark.start();
  try {
    const before = await pagesOf(server);
    await fetchPages(server, before);
    const known = new Set(before.map(({ markup }) => markup));
    const rendered = await documentsRendered(server);
    await postEvent(server.client, { set: SET, number: Math.floor(count / 3), revision: REVISION });
    const begin = performance.now();
    const after = await pagesOf(server);
    await fetchPages(server, after);
    const changed = {
      pages: after.filter(({ markup }) => !known.has(markup)).length,
      rendered: (await documentsRendered(server)) - rendered,
      seconds: secondsSince(begin),
    };
    log(
      `after one change ${changed.pages} of ${after.length} pages differ, ${changed.rendered} documents were rendered`,
    );
    return changed;
  } finally {
    await server.stop();
  }
}

/** Those that the index names; a list of one page is that page. */
async function pagesOf({ client }: Server): Promise<readonly Part[]> {
  const text = await client.text(LIST);
  const parts = partsOf(text);
  return parts.length === 0 ? [{ path: LIST, markup: text }] : parts;
}

/** Two at a time: so one is being rendered while another one is sent. Keeps none of them. */
async function fetchPages(
  { url }: Server,
  parts: readonly Part[],
  log: Log = () => {},
): Promise<{ readonly entries: number; readonly bytes: number }> {
  const next = parts.entries();
  const fetched = { entries: 0, bytes: 0 };
  const fetchOneByOne = async () => {
    const client = new HttpClient(url);
    for (const [at, { path }] of next) {
      const answer = await client.get(path, { 'Accept-Encoding': 'gzip' });
      fetched.bytes += answer.body.length;
      fetched.entries += textOf(answer).split('<url>').length - 1;
      if ((at + 1) % 50 === 0) log(`${at + 1} of ${parts.length} pages`);
    }
    client.close();
  };
  await Promise.all([fetchOneByOne(), fetchOneByOne()]);
  return fetched;
}

async function documentsRendered({ client }: Server): Promise<number> {
  const lines = (await client.text('/metrics')).split('\n');
  return lines
    .filter((line) => line.startsWith('tidemark_documents_rendered_total{'))
    .reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}
