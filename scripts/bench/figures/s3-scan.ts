import type { ChildProcess } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { S3Server } from '../../services/s3.ts';
import { makeObjects } from '../../services/s3-objects.ts';
import type { Bench } from '../figure.ts';
import { runChild } from '../support/child.ts';
import { MOST_MEMORY_MB, peakMemory } from '../support/peak-memory.ts';
import { median } from '../support/spread.ts';
import { Tidemark } from '../support/tidemark.ts';

const MAIN = join(import.meta.dirname, '../../../src/main.js');
const BASELINE = join(import.meta.dirname, '../baselines/list-objects.ts');
const BUCKET = 'objects';

export const s3Scan: Bench = {
  name: 's3-scan',
  about: 'scanning a bucket of 100,000 small objects, on versitygw',

  async run({ runs, scale, folder, log }) {
    const objects = Math.round(100_000 * scale);
    const server = await S3Server.start({ folder: folder.next('s3') });
    try {
      mkdirSync(join(server.buckets, BUCKET));
      const begun = performance.now();
      await makeObjects(join(server.buckets, BUCKET), objects);
      log(`${objects} objects made in ${((performance.now() - begun) / 1000).toFixed(1)} s`);

      const env = { AWS_ACCESS_KEY_ID: server.keys.accessKeyId, AWS_SECRET_ACCESS_KEY: server.keys.secretAccessKey };
      const tidemark = await Tidemark.create(folder.next('data'), env);
      await tidemark.run('sets', 'add', 'objects', '--root', `s3://${BUCKET}?endpoint=${server.endpoint}`);
      const scan = () => measured([MAIN, 'scan', 'objects', '--data', tidemark.dataFolder, '--json'], env);

      const first = await scan();
      expect(first.stdout, 'created', objects);
      log(`first scan: ${first.seconds.toFixed(1)} s, ${first.megabytes.toFixed(0)} MB`);
      const ours: Measured[] = [];
      const bare: Measured[] = [];
      for (let run = 1; run <= runs; run++) {
        ours.push(await scan());
        expect(ours.at(-1)!.stdout, 'unchanged', objects);
        bare.push(await measured([BASELINE, server.endpoint, BUCKET], env));
        expect(bare.at(-1)!.stdout, 'objects', objects);
        log(`${run}: ${ours.at(-1)!.seconds.toFixed(2)} s, bare lists ${bare.at(-1)!.seconds.toFixed(2)} s`);
      }
      const number = objects.toLocaleString('en');
      const bareSeconds = bare.map(({ seconds }) => seconds);
      return [
        { name: `first scan of ${number} objects`, unit: 's', ours: [first.seconds] },
        {
          name: `first scan of ${number} objects, memory`,
          unit: 'MB',
          ours: [first.megabytes],
          limit: { most: MOST_MEMORY_MB },
        },
        {
          name: `scanning ${number} unchanged objects, the whole process`,
          unit: 's',
          ours: ours.map(({ seconds }) => seconds),
          baseline: { name: 'ListObjectsV2 loop', values: bareSeconds },
          limit: { most: 2 * median(bareSeconds) + 3 },
        },
        {
          name: `scanning ${number} unchanged objects, memory`,
          unit: 'MB',
          ours: ours.map(({ megabytes }) => megabytes),
          baseline: { name: 'ListObjectsV2 loop', values: bare.map(({ megabytes }) => megabytes) },
          limit: { most: MOST_MEMORY_MB },
        },
      ];
    } finally {
      await server.stop();
    }
  },
};

interface Measured {
  readonly stdout: string;
  readonly seconds: number;
  /** The most memory that it held. */
  readonly megabytes: number;
}

async function measured(args: readonly string[], env: NodeJS.ProcessEnv): Promise<Measured> {
  let megabytes = 0;
  let looking: NodeJS.Timeout | undefined;
  const started = ({ pid }: ChildProcess) => {
    looking = setInterval(() => {
      megabytes = Math.max(megabytes, peakMemory(pid!));
    }, 100);
  };
  try {
    return { ...(await runChild(process.execPath, args, { env, started })), megabytes };
  } finally {
    clearInterval(looking);
  }
}

function expect(stdout: string, name: string, count: number): void {
  const found = JSON.parse(stdout)[name];
  if (found !== count) throw new Error(`of ${count} objects ${found} were ${name}`);
}
