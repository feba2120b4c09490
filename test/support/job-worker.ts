import { existsSync } from 'node:fs';
import { appendFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { StoreLocation } from '../../src/config/configuration.ts';
import { defineJob } from '../../src/jobs/job-definition.ts';
import type { JobParts } from '../../src/jobs/job-parts.ts';
import { JobRunner } from '../../src/jobs/job-runner.ts';
import { jobName } from '../../src/stores/job.ts';
import { openStores } from '../../src/stores/open-stores.ts';

export interface WorkerOptions {
  readonly store: StoreLocation;
  /** Where jobs write what they do. */
  readonly folder: string;
  readonly name: string;
  readonly leaseMs: number;
  readonly concurrency: number;
}

export interface JobPayload {
  /** The job waits until a file of this name exists. */
  readonly gate?: string;
  readonly ignoresSignal?: boolean;
}

/** A process that runs jobs of the kind `work`. Each writes a file that is never overwritten: its effect. */
const { store, folder, name, leaseMs, concurrency } = JSON.parse(process.argv[2]!) as WorkerOptions;

const work = defineJob<JobPayload>({
  kind: 'work',
  summary: 'Works',
  retry: { attempts: 5, firstMs: 10, longestMs: 100 },
  async run({ gate, ignoresSignal }, _parts, run) {
    const id = run.name.split('/')[1]!;
    await appendFile(join(folder, 'begun'), `${name} ${id}\n`);
    while (gate !== undefined && !existsSync(join(folder, gate))) {
      if (!ignoresSignal) run.signal.throwIfAborted();
      await wait(20);
    }
    await writeFile(join(folder, `effect-${id}`), name, { flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
    return { by: name };
  },
});

const stores = await openStores(store);
const print = (line: object) => process.stdout.write(`${JSON.stringify(line)}\n`);
const runner = new JobRunner({
  definitions: [work],
  parts: { jobs: stores.jobs } as JobParts,
  worker: { name, leaseMs },
  concurrency,
  stopMs: 500,
  events: {
    onEnded: (job, { outcome }) => print({ job: jobName(job), outcome }),
    onTrouble: ({ message }) => print({ trouble: message }),
  },
});
runner.start();
process.on('SIGTERM', async () => {
  await runner.stop();
  await stores.close();
  process.exit();
});
print({ ready: true });
