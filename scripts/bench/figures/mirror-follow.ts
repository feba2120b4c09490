import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import type { Bench } from '../figure.ts';
import { MAIN } from '../support/mirror-client.ts';
import { percentile } from '../support/spread.ts';
import { type Server, Tidemark } from '../support/tidemark.ts';

const RESOURCES = 10_000;
const CHANGES = 100;
const PAUSE_MS = 100;
const LOOK_AFTER_MS = 2;
const LONGEST_MS = 60_000;
const SLUG = 'texts';

export const mirrorFollow: Bench = {
  name: 'mirror-follow',
  about: 'a change of a source of 10,000 resources until its file is in the copy, by the stream of changes',

  async run({ runs, scale, folder, log }) {
    const count = Math.max(CHANGES, Math.round(RESOURCES * scale));
    const p95: number[] = [];
    const longest: number[] = [];
    for (let run = 1; run <= runs; run++) {
      const times = await follow(await Tidemark.create(folder.next('data')), folder.next('copy'), count);
      p95.push(percentile(times, 95));
      longest.push(Math.max(...times));
      log(`${run}: p95 ${p95.at(-1)!.toFixed(0)} ms, at most ${longest.at(-1)!.toFixed(0)} ms`);
    }
    return [
      { name: 'a change until its file is in the copy, p95', unit: 'ms', ours: p95, limit: { most: 1_000 } },
      { name: '… the slowest', unit: 'ms', ours: longest },
    ];
  },
};

/** Milliseconds from the acknowledgement of each change until the copy has the file. */
async function follow(tidemark: Tidemark, copy: string, count: number): Promise<readonly number[]> {
  const texts = new Texts(count);
  const files = createServer((request, response) => response.end(texts.of(Number(/\d+/.exec(request.url!)![0]))));
  files.listen(0, '127.0.0.1');
  await once(files, 'listening');
  const { port } = files.address() as AddressInfo;
  // The same host as the source's, so that the mirror may fetch from it.
  await tidemark.addSet(SLUG, '--url-prefix', `http://localhost:${port}/`);
  const server = await tidemark.start();
  try {
    await post(
      server,
      Array.from({ length: count }, (_, number) => texts.event(number)),
    );
    const following = await startFollowing(`${tidemark.baseUrl}/`, copy);
    try {
      const times: number[] = [];
      for (let change = 0; change < CHANGES; change++) {
        const number = Math.floor((change * count) / CHANGES);
        texts.change(number);
        await post(server, [texts.event(number)]);
        const acknowledged = performance.now();
        await untilFile(join(copy, `${number}.txt`), texts.of(number));
        times.push(performance.now() - acknowledged);
        await wait(PAUSE_MS);
      }
      return times;
    } finally {
      await following.stop();
    }
  } finally {
    await server.stop();
    files.closeAllConnections();
    files.close();
  }
}

/** The texts of the resources, which change. */
class Texts {
  readonly #revisions: number[];

  constructor(count: number) {
    this.#revisions = Array.from({ length: count }, () => 0);
  }

  change(number: number): void {
    this.#revisions[number]! += 1;
  }

  of(number: number): string {
    return `The text ${number} in its revision ${this.#revisions[number]}\n`.repeat(20);
  }

  event(number: number): object {
    const text = this.of(number);
    return {
      location: { value: `${number}.txt`, type: 'rel_path' },
      change: this.#revisions[number] === 0 ? 'created' : 'updated',
      length: text.length,
      hash: `sha-256:${createHash('sha256').update(text).digest('hex')}`,
    };
  }
}

async function post({ client }: Server, changes: readonly object[]): Promise<void> {
  const { body } = await client.post(`/api/sets/${SLUG}/changes`, JSON.stringify({ changes }));
  const { applied } = JSON.parse(body.toString());
  if (applied !== changes.length) throw new Error(`not all events were applied: ${body}`);
}

/** Resolves when the first copy is complete. */
async function startFollowing(url: string, copy: string): Promise<{ stop(): Promise<void> }> {
  const args = [MAIN, 'mirror', url, copy, '--follow', '--interval', '1h', '--connections', '16', '--json'];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] });
  const exited = once(child, 'exit');
  const stop = async () => {
    child.kill('SIGINT');
    await exited;
  };
  const lines = createInterface({ input: child.stdout });
  for await (const line of lines) {
    const { event, failed } = JSON.parse(line);
    if (event !== 'pass') continue;
    if (failed > 0) break;
    child.stdout.resume();
    return { stop };
  }
  await stop();
  throw new Error(`the first copy was not made: ${child.exitCode}`);
}

async function untilFile(path: string, text: string): Promise<void> {
  const end = performance.now() + LONGEST_MS;
  while (readFileSync(path, 'utf8') !== text) {
    if (performance.now() > end) throw new Error(`${path} was not changed within ${LONGEST_MS / 1000} s`);
    await wait(LOOK_AFTER_MS);
  }
}
