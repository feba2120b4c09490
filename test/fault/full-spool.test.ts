import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { JOB_DEFINITIONS } from '../../src/jobs/job-list.ts';
import { JobRunner } from '../../src/jobs/job-runner.ts';
import { SQLITE } from '../support/each-store.ts';
import { Catalogue } from '../support/marc-catalogue.ts';
import { itOnSmallDisk } from '../support/small-disk.ts';
import { closeApps, startApp } from '../support/start-app.ts';
import { until } from '../support/until.ts';
import { ProcessedStream } from '../support/upload-processing.ts';

const RECORDS = 400;
const JOB = 'process-upload/lane~main~1';

describe('a full disk of temporary files', () => {
  afterEach(closeApps);

  itOnSmallDisk('is waited for by an upload, which loses none of its attempts (finding 116)', 8, async (disk) => {
    const started = await startApp(SQLITE, { dataFolder: disk.folder });
    const { queue } = started.app.jobs;
    const stream = await ProcessedStream.make(started.app);
    const catalogue = new Catalogue({ seed: 5 });
    const records = Array.from({ length: RECORDS }, (_, number) => catalogue.marc21({ number }));
    await stream.upload({ 'new.mrc': Buffer.concat(records) });
    const worker = { name: 'tester', leaseMs: 30_000 };
    const runner = new JobRunner({ definitions: JOB_DEFINITIONS, parts: started.app, worker, concurrency: 2 });
    try {
      await disk.fill();
      runner.start();
      const waiting = await until('the job waits', async () => {
        const job = await queue.get(JOB);
        return job.state === 'queued' && job.wait !== undefined && job;
      });
      assert.match(waiting.wait!.reason, /has to have room: .* the folder "spool" cannot grow: the disk is full/);
      assert.deepEqual({ attempts: waiting.attempts, error: waiting.error }, { attempts: 0, error: undefined });
      assert.deepEqual(await stream.changes(), []);

      await disk.empty();
      await until('it is processed', async () => (await queue.get(JOB)).state === 'done');
      assert.equal((await stream.changes()).length, RECORDS);
      assert.deepEqual(await readdir(join(disk.folder, 'spool')), []);
    } finally {
      await runner.stop();
      // The disk is unmounted next.
      await closeApps();
    }
  });
});
