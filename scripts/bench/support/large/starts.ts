import { findFreePort } from '../../../../test/support/free-port.ts';
import { secondsSince } from '../spread.ts';
import type { Server, Tidemark } from '../tidemark.ts';

/** Seconds until `/readyz` answers 200: of a server, and of a second one beside it, which syncs no sources. */
export interface Starts {
  readonly first: number[];
  readonly second: number[];
}

export async function measureStarts(tidemark: Tidemark, runs: number): Promise<Starts> {
  const starts: Starts = { first: [], second: [] };
  const beside = ['serve', '--no-sources', '--base-url', tidemark.baseUrl];
  for (let run = 0; run < runs; run++) {
    const server = await ready(() => tidemark.start(), starts.first);
    try {
      const port = await findFreePort();
      const other = await ready(() => tidemark.start(beside, {}, port), starts.second);
      await other.stop();
    } finally {
      await server.stop();
    }
  }
  return starts;
}

async function ready(start: () => Promise<Server>, seconds: number[]): Promise<Server> {
  const begin = performance.now();
  const server = await start();
  await server.client.get('/readyz');
  seconds.push(secondsSince(begin));
  return server;
}
