import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { S3Server } from '../../services/s3.ts';
import type { Bench, BenchOptions, Figure } from '../figure.ts';
import { partsOf } from '../support/documents.ts';
import { memoryNow, peakMemory, restartPeakMemory } from '../support/peak-memory.ts';
import { makeTextFiles } from '../support/text-files.ts';
import { type Server, Tidemark } from '../support/tidemark.ts';

const FILES = 20_000;
const FILE_BYTES = 10_000;
const SET = 'files';
const BUCKET = 'artifacts';
/** MB (10^6 bytes). */
const MOST = 200;

export const dumpMemory: Bench = {
  name: 'dump-memory',
  about: 'memory that a server takes more while a job packs 20,000 files of 10 kB into a Resource Dump',

  async run(options) {
    const s3 = await S3Server.start({ folder: options.folder.next('s3'), keepAlive: true });
    try {
      mkdirSync(join(s3.buckets, BUCKET));
      const env = { AWS_ACCESS_KEY_ID: s3.keys.accessKeyId, AWS_SECRET_ACCESS_KEY: s3.keys.secretAccessKey };
      const bucket = { ...env, TIDEMARK_ARTIFACTS: `s3://${BUCKET}?endpoint=${s3.endpoint}` };
      return [await measure(options, 'a folder', {}), await measure(options, 'a bucket', bucket)];
    } finally {
      await s3.stop();
    }
  },
};

async function measure(
  { runs, scale, folder, log }: BenchOptions,
  artifacts: string,
  env: NodeJS.ProcessEnv,
): Promise<Figure> {
  const root = folder.next('files');
  makeTextFiles(root, { files: Math.round(FILES * scale), bytes: FILE_BYTES });
  const tidemark = await Tidemark.create(folder.next('data'), env);
  await tidemark.addFolder(SET, root);
  await tidemark.run('scan', SET);
  const more: number[] = [];
  for (let run = 1; run <= runs; run++) {
    const server = await tidemark.start(['serve', '--no-sources']);
    try {
      await answerMost(server);
      const before = memoryNow(server.pid);
      restartPeakMemory(server.pid);
      await build(server);
      const most = peakMemory(server.pid);
      more.push(most - before);
      log(`artifacts in ${artifacts}, ${run}: ${before.toFixed(0)} MB before, ${most.toFixed(0)} at most`);
    } finally {
      await server.stop();
    }
    await tidemark.run('dumps', 'remove', SET);
  }
  rmSync(root, { recursive: true });
  return {
    name: `memory that a server takes more while it builds a dump, artifacts in ${artifacts}`,
    unit: 'MB',
    ours: more,
    limit: { most: MOST },
  };
}

/** What a server has answered before: its pages, its lists, and questions for jobs. */
async function answerMost({ client }: Server): Promise<void> {
  for (const { path } of partsOf(await client.text(`/sets/${SET}/resourcelist.xml`))) await client.get(path);
  for (const path of ['/', `/sets/${SET}/`, `/sets/${SET}/changelist.xml`, '/jobs', '/api/jobs'])
    await client.get(path);
}

async function build({ client }: Server): Promise<void> {
  const { name } = JSON.parse((await client.post(`/api/sets/${SET}/dump/build`, '{}')).body.toString());
  for (;;) {
    const { state, error } = JSON.parse((await client.get(`/api/jobs/${name}`)).body.toString());
    if (state === 'done') return;
    if (state === 'failed') throw new Error(`the dump could not be built: ${JSON.stringify(error)}`);
    await wait(500);
  }
}
