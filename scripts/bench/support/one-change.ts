import { partsOf, type Reader } from './documents.ts';
import { pathOf } from './events.ts';
import { SET } from './filled-source.ts';
import { lastmodOf, postEvent } from './post-event.ts';
import type { Server } from './tidemark.ts';

export const STEPS = ['post', 'index', 'page', 'changes'] as const;

/** Milliseconds of each step. */
export type Times = Record<(typeof STEPS)[number], number>;

/**
 * Posts a change, and reads as a client that holds everything does: the index, the page that it names as changed, the
 * changes.
 */
export async function changeAndRead(
  { client }: Server,
  reader: Reader,
  change: { readonly number: number; readonly revision: number },
): Promise<Times> {
  const before = new Set(partsOf(await reader.read(`/sets/${SET}/resourcelist.xml`)).map(({ markup }) => markup));
  const entry = `${pathOf(change.number)}</loc><lastmod>${lastmodOf(change.number, change.revision)}`;
  const times = [performance.now()];
  await postEvent(client, { set: SET, ...change });
  times.push(performance.now());
  const list = await reader.read(`/sets/${SET}/resourcelist.xml`);
  times.push(performance.now());
  const parts = partsOf(list);
  const page = parts.length === 0 ? list : await readChangedPage(reader, before, parts);
  if (!page.includes(entry)) throw new Error('the change is not in the resource list');
  times.push(performance.now());
  const changes = await reader.readOpenChanges(SET);
  if (!changes.includes(entry)) throw new Error('the change is not in the change list');
  times.push(performance.now());
  const [post = 0, index = 0, pageTime = 0, changesTime = 0] = times.slice(1).map((time, at) => time - times[at]!);
  return { post, index, page: pageTime, changes: changesTime };
}

async function readChangedPage(
  reader: Reader,
  before: ReadonlySet<string>,
  parts: ReturnType<typeof partsOf>,
): Promise<string> {
  const changed = parts.filter(({ markup }) => !before.has(markup));
  if (changed.length !== 1) throw new Error(`${changed.length} pages changed, not one`);
  return reader.read(changed[0]!.path);
}
