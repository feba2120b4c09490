import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { S3Server } from '../../services/s3.ts';
import { makeObjects, pathOfObject } from '../../services/s3-objects.ts';
import type { Bench } from '../figure.ts';
import { peakMemory } from '../support/peak-memory.ts';
import { postFile } from '../support/post-file.ts';
import { median } from '../support/spread.ts';
import { Tidemark } from '../support/tidemark.ts';
import { type Walked, type WalkedServer, walked } from '../support/walked.ts';

const OBJECTS = 50_000;
const BYTES = 1024;
const CONNECTIONS = 16;
const BUCKET = 'objects';
const SET = 'objects';
const BASELINE = join(import.meta.dirname, '../baselines/stream-objects.ts');

export const s3Files: Bench = {
  name: 's3-files',
  about: 'fetching 50,000 objects of 1 kB once each out of versitygw, beside a bare program that streams GetObject',

  async run({ runs, scale, folder, log }) {
    const count = Math.round(OBJECTS * scale);
    const s3 = await S3Server.start({ folder: folder.next('s3'), keepAlive: true });
    const env = { AWS_ACCESS_KEY_ID: s3.keys.accessKeyId, AWS_SECRET_ACCESS_KEY: s3.keys.secretAccessKey };
    let baseline: Baseline | undefined;
    try {
      mkdirSync(join(s3.buckets, BUCKET));
      await makeObjects(join(s3.buckets, BUCKET), count, BYTES);
      const location = `s3://${BUCKET}?endpoint=${s3.endpoint}`;
      const tidemark = await Tidemark.create(folder.next('data'), env);
      await tidemark.run('sets', 'add', SET, '--root', location);
      const server = await tidemark.start(['serve', '--no-sources'], { TIDEMARK_ACCESS_LOG: 'false' });
      baseline = await Baseline.start(location, env);
      try {
        const paths = Array.from({ length: count }, (_, number) => pathOfObject(number));
        // A scan would request the properties of each object, which takes minutes.
        const file = folder.next('events.ndjson');
        writeFileSync(file, paths.map(eventOf).join(''));
        await postFile(server, { set: SET, file, count });
        const ours: Walked[] = [];
        const theirs: Walked[] = [];
        // The first run fills the cache of the file system, and does not count.
        for (let run = 0; run <= runs; run++) {
          const our = await walked(
            server,
            paths.map((path) => `/sets/${SET}/resources/${path}`),
            CONNECTIONS,
          );
          const their = await walked(
            baseline,
            paths.map((path) => `/${path}`),
            CONNECTIONS,
          );
          const micros = `${our.micros.toFixed(0)} µs a request, the bare program ${their.micros.toFixed(0)}`;
          log(`${run}: ${(our.rate / their.rate).toFixed(2)} of the bare program; ${micros}`);
          if (run === 0) continue;
          ours.push(our);
          theirs.push(their);
        }
        const name = 'bare GetObject';
        const rates = theirs.map(({ rate }) => rate);
        return [
          {
            name: `${count.toLocaleString('en')} distinct objects of 1 kB`,
            unit: 'requests/s',
            ours: ours.map(({ rate }) => rate),
            baseline: { name, values: rates },
            limit: { least: 0.5 * median(rates) },
          },
          {
            name: '… processor time of a request',
            unit: 'µs',
            ours: ours.map(({ micros }) => micros),
            baseline: { name, values: theirs.map(({ micros }) => micros) },
          },
          {
            name: '… memory, at most',
            unit: 'MB',
            ours: [server.peakMemory()],
            baseline: { name, values: [peakMemory(baseline.pid)] },
          },
        ];
      } finally {
        await server.stop();
      }
    } finally {
      await baseline?.stop();
      await s3.stop();
    }
  },
};

class Baseline implements WalkedServer {
  readonly url: string;
  readonly pid: number;
  readonly #process: ChildProcess;

  private constructor(process: ChildProcess, url: string) {
    this.#process = process;
    this.url = url;
    this.pid = process.pid!;
  }

  static async start(location: string, env: NodeJS.ProcessEnv): Promise<Baseline> {
    const child = spawn(process.execPath, [BASELINE, location], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, ...env },
    });
    const [url] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
    return new Baseline(child, url);
  }

  async stop(): Promise<void> {
    const exit = once(this.#process, 'exit');
    this.#process.kill();
    await exit;
  }
}

function eventOf(path: string): string {
  return `${JSON.stringify({ location: { value: path, type: 'rel_path' }, change: 'created', length: BYTES })}\n`;
}
