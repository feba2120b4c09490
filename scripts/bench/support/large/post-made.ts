import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { KeyOrder } from '../events.ts';
import { SET } from '../filled-source.ts';
import { processorTime } from '../processor-time.ts';
import type { Tidemark } from '../tidemark.ts';
import type { Log } from './large-source.ts';

const PROBE = new URL('../../probes/post-made.ts', import.meta.url).pathname;
const MOST_EVENTS_PER_REQUEST = 1_000_000;

export interface Filled {
  /** Events a second, of each request. */
  readonly rates: readonly number[];
  /** Microseconds of processors that the server used for an event, of each request: other work delays it less. */
  readonly processor: readonly number[];
  /** MB of the server at most. */
  readonly memory: number;
}

interface Posting {
  /** Resources, the first of the source. */
  readonly count: number;
  readonly order: KeyOrder;
  /** 0 creates them, a higher one than before changes them. */
  readonly revision?: number;
}

/** Posts an event for each of some resources of a source. */
export async function postMade(tidemark: Tidemark, { count, order, revision = 0 }: Posting, log: Log): Promise<Filled> {
  const server = await tidemark.start();
  const chunk = Math.min(MOST_EVENTS_PER_REQUEST, Math.ceil(count / 10));
  const url = `${server.url}/api/sets/${SET}/changes`;
  const options = JSON.stringify({ url, count, chunk, order, revision });
  const child = spawn(process.execPath, [PROBE, options], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'close');
  const [rates, processor]: [number[], number[]] = [[], []];
  let used = processorTime(server.pid);
  try {
    for await (const line of createInterface({ input: child.stdout })) {
      const { seconds } = JSON.parse(line) as { seconds: number };
      const events = Math.min(chunk, count - rates.length * chunk);
      rates.push(events / seconds);
      const now = processorTime(server.pid);
      processor.push(((now - used) / events) * 1e6);
      used = now;
      const [rate, cost] = [Math.round(rates.at(-1)!), processor.at(-1)!.toFixed(1)];
      const memory = server.peakMemory().toFixed(0);
      log(`request ${rates.length} of keys ${order}: ${rate} events/s, ${cost} µs of processors each, ${memory} MB`);
    }
    const [code] = await ended;
    if (code !== 0) throw new Error(`the client that posts ended with ${code}`);
    return { rates, processor, memory: server.peakMemory() };
  } finally {
    child.kill();
    await server.stop();
  }
}
