import { setTimeout as wait } from 'node:timers/promises';
import { Reader } from '../documents.ts';
import { changeAndRead, STEPS, type Times } from '../one-change.ts';
import { median, percentile } from '../spread.ts';
import type { LargeSource, Log } from './large-source.ts';

const CHANGES = 40;
const PAUSE_MS = 100;

/**
 * Milliseconds of one change until it is in both lists, the 95th percentile of each round: changes of resources that
 * are spread over the whole set. The round that warms the server up does not count.
 */
export async function measureChanges({ tidemark, count }: LargeSource, runs: number, log: Log): Promise<number[]> {
  const server = await tidemark.start();
  const p95s: number[] = [];
  try {
    const reader = new Reader(server.client);
    for (let run = 0; run <= runs; run++) {
      const all: Times[] = [];
      for (let change = 0; change < CHANGES; change++) {
        await wait(PAUSE_MS);
        const number = Math.floor((change / CHANGES) * count);
        all.push(await changeAndRead(server, reader, { number, revision: 1_000 + run }));
      }
      const p95 = percentile(all.map(totalOf), 95);
      const steps = STEPS.map((step) => `${step} ${median(all.map((times) => times[step])).toFixed(0)}`);
      log(
        `round ${run}: p95 ${p95.toFixed(0)} ms; medians ${median(all.map(totalOf)).toFixed(0)} (${steps.join(', ')})`,
      );
      if (run > 0) p95s.push(p95);
    }
    return p95s;
  } finally {
    await server.stop();
  }
}

const totalOf = ({ post, index, page, changes }: Times): number => post + index + page + changes;
