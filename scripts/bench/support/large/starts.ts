import { findFreePort } from '../../../../test/support/free-port.ts';
import { secondsSince } from '../spread.ts';
import type { Tidemark } from '../tidemark.ts';

/** Seconds until `/readyz` answers 200: of a server, and of a second one beside it, which syncs no sources. */
export interface Starts {
  readonly first: number[];
  readonly second: number[];
}

export async function measureStarts(tidemark: Tidemark, runs: number): Promise<Starts> {
  const starts: Starts = { first: [], second: [] };
  for (let run = 0; run < runs; run++) {
    let begin = performance.now();
    const server = await tidemark.start();
    await server.client.get('/readyz');
    starts.first.push(secondsSince(begin));
    begin = performance.now();
    const other = await tidemark.start(['serve', '--no-sources'], {}, await findFreePort());
    await other.client.get('/readyz');
    starts.second.push(secondsSince(begin));
    await other.stop();
    await server.stop();
  }
  return starts;
}
