import { setTimeout as wait } from 'node:timers/promises';
import { Reader } from './documents.ts';
import { pathOf } from './events.ts';
import { SET } from './filled-source.ts';
import { lastmodOf, postEvent } from './post-event.ts';
import type { Server } from './tidemark.ts';

/**
 * Posts events one at a time. Returns the milliseconds until each was acknowledged, and until both lists contained it.
 */
export async function listedAfter(
  server: Server,
  { events, pause, revision }: { readonly events: number; readonly pause: number; readonly revision: number },
): Promise<{ acknowledged: number[]; listed: number[] }> {
  const acknowledged: number[] = [];
  const listed: number[] = [];
  for (let number = 0; number < events; number++) {
    await wait(pause);
    const start = performance.now();
    await postEvent(server.client, { set: SET, number, revision });
    acknowledged.push(performance.now() - start);
    await untilListed(server, number, lastmodOf(number, revision));
    listed.push(performance.now() - start);
  }
  return { acknowledged, listed };
}

/** Fetches both lists until they contain the resource (with this date). */
export async function untilListed({ client }: Server, number: number, lastmod = ''): Promise<void> {
  const entry = `${pathOf(number)}</loc><lastmod>${lastmod}`;
  const reader = new Reader(client);
  while (!(await reader.read(`/sets/${SET}/resourcelist.xml`)).includes(entry));
  while (!(await reader.readOpenChanges(SET)).includes(entry));
}
