import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { removeEndedJobs } from '../../../src/jobs/kinds/remove-ended-jobs.ts';
import { claimed, type Job, jobName, newJob } from '../../../src/stores/job.ts';
import { JobQueue } from '../../../src/stores/job-queue.ts';
import type { JobRecords } from '../../../src/stores/job-records.ts';
import { FenceRow } from '../../../src/stores/sqlite/fence-row.ts';
import { JobWriter } from '../../../src/stores/sqlite/job-writer.ts';
import { openSqlite } from '../../../src/stores/sqlite/open-sqlite.ts';
import { requireSchema } from '../../../src/stores/sqlite/schema.ts';
import { withAfter } from '../../support/published-sets.ts';
import { useTempFolder } from '../../support/temp-folder.ts';

const WORKER = { name: 'one', leaseMs: 60_000 };
const DAY = 86_400_000;

describe('what happens to jobs between two steps', () => {
  const folder = useTempFolder();
  let store: Awaited<ReturnType<typeof openSqlite>>;
  let records: JobRecords;

  beforeEach(async () => {
    store = await openSqlite(folder.at('tidemark.db'), {});
    records = store.jobs;
  });
  afterEach(() => store.close());

  it('a job is cancelled though its worker sent a heartbeat after it was read', async () => {
    const queue = new JobQueue(records);
    await queue.add('build', 'a', {});
    const own = await queue.claimer({ kinds: ['build'], worker: WORKER }).claim();
    let beats = 0;
    const late = new JobQueue(
      withAfter(records, 'get', async () => {
        beats += 1;
        if (beats <= 3) await own!.heartbeat();
      }),
    );
    await late.cancel('build/a');
    assert.equal(beats, 4);
    assert.deepEqual(await own!.heartbeat(), { cancelling: true });
    await own!.finish({ state: 'cancelled' });
  });

  it('ended jobs stay for as many days as the docs say: done for 7, others for 30', async () => {
    const ended = (state: Job['state'], days: number): Job => ({
      ...newJob({ kind: 'build', id: `${state}-${days}` }, 0),
      state,
      finished: Date.now() - days * DAY,
    });
    const all = (['done', 'failed', 'cancelled'] as const).flatMap((state) =>
      [6.9, 7.1, 29.9, 30.1].map((days) => ended(state, days)),
    );
    await records.create(all);
    const uploadEnds = { recordMissed: async () => {} };
    const parts = { jobs: { queue: new JobQueue(records), uploadEnds } } as unknown;
    const [, ...given] = [{}, parts, { signal: new AbortController().signal }] as Parameters<
      typeof removeEndedJobs.run
    >;
    assert.deepEqual(await removeEndedJobs.run({}, ...given), { done: 3, failed: 1, cancelled: 1 });
    const left = (await records.list({ limit: 20 })).map(jobName);
    const expected = all.filter(({ id }) => !/done-(7|29|30)|-30/.test(id)).map(jobName);
    assert.deepEqual(left.toSorted(), expected.toSorted());
  });
});

describe('a heartbeat of a job on SQLite', () => {
  const database = new DatabaseSync(':memory:');
  requireSchema(database);
  const writer = new JobWriter(database, new FenceRow(database));
  const synchronous = () => database.prepare('PRAGMA synchronous').get();
  const full = { synchronous: 2 };
  after(() => database.close());

  it('leaves later writes durable, also when it could not be written', () => {
    database.exec('PRAGMA synchronous = FULL');
    const job = claimed(newJob({ kind: 'build', id: 'a' }, 0), WORKER, 0);
    const row = {
      name: 'build/a',
      kind: 'build',
      state: 'running',
      added: 0,
      notBefore: 0,
      finished: null,
      body: JSON.stringify(job),
    } as const;
    writer.write({ kind: 'create', rows: [row] });
    assert.equal(writer.write({ kind: 'replace', row, version: '1' }), 1);
    assert.deepEqual({ ...synchronous() }, full);
    assert.throws(() => writer.write({ kind: 'log', name: 'build/a', lines: {} as string }));
    assert.deepEqual({ ...synchronous() }, full);
  });
});
