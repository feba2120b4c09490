import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import { TidemarkError } from '../../src/core/errors.ts';
import { defineJob, type JobDefinition, type JobRun } from '../../src/jobs/job-definition.ts';
import { JobWaits } from '../../src/stores/job-waits.ts';
import { describeOnEachStore } from '../support/each-store.ts';
import { JobPlace } from '../support/job-place.ts';
import { until } from '../support/until.ts';

const SOON = { attempts: 3, firstMs: 1, longestMs: 2 };

describeOnEachStore('a runner of jobs', (kind, itOnce) => {
  let place: JobPlace;
  beforeEach(async () => {
    place = await JobPlace.make(kind);
  });
  afterEach(() => place.close());

  const job = (run: JobDefinition['run'], more: Partial<JobDefinition> = {}): JobDefinition =>
    defineJob({ kind: 'build', retry: SOON, run, ...more });
  /** A job that runs until it is stopped. */
  const endless = (began: (run: JobRun) => void = () => {}) =>
    job(async (_payload, _parts, run) => {
      began(run);
      await wait(1_000_000, undefined, { signal: run.signal });
    });

  it('does a job with its payload, and records the result, the progress and the log', async () => {
    await place.jobs.add('build', 'a', { set: 'maps' });
    place.run([
      job(async (payload, _parts, { name, report, log }) => {
        report({ done: 1, total: 2 });
        log(`building for ${JSON.stringify(payload)}`);
        return { name };
      }),
    ]);
    const done = await place.reaches('build/a', 'done');
    assert.deepEqual(done.result, { name: 'build/a' });
    assert.deepEqual(done.progress, { done: 1, total: 2 });
    const [line, ...more] = await place.jobs.log('build/a');
    assert.match(line!, /^\d{4}-\d\d-\d\dT[\d:.]+Z building for {"set":"maps"}$/);
    assert.deepEqual(more, []);
    await until('the end is reported', async () => place.ended.length > 0);
    assert.deepEqual([place.ended[0]!.outcome, place.ended[0]!.job.id], ['done', 'a']);
  });

  itOnce('begins a job at once that its process adds', async () => {
    place.run([job(async () => {})]);
    for (const id of ['a', 'b', 'c']) {
      await place.jobs.add('build', id, {});
      await place.reaches(`build/${id}`, 'done');
    }
  });

  itOnce('lets a job wait while the store moves, and counts no attempt', async () => {
    await place.jobs.add('build', 'a', {});
    let attempts = 0;
    place.run([
      job(
        async () => {
          attempts += 1;
          if (attempts > 1) return;
          await place.stores.fence.pause(300);
          await place.stores.index.mark();
        },
        { retry: { ...SOON, attempts: 1 } },
      ),
    ]);
    const done = await place.reaches('build/a', 'done');
    assert.deepEqual([attempts, done.attempts], [2, 1]);
  });

  it('lets a job wait while another process does the same, and counts no attempt', async () => {
    await place.jobs.add('build', 'a', {});
    let conflicts = 0;
    const runner = place.run([
      job(
        async () => {
          if (++conflicts <= 6) throw new TidemarkError('conflict', 'another process is building it');
        },
        { waitsAfterConflict: true },
      ),
    ]);
    const done = await place.reaches('build/a', 'done');
    assert.deepEqual([done.attempts, done.error], [1, undefined]);
    const log = (await place.jobs.log('build/a')).map((line) => line.replace(/^\S+ /, ''));
    assert.deepEqual(log, ['waits: another process is building it']);
    await runner.stop();
    assert.deepEqual(
      place.ended.map(({ outcome }) => outcome),
      [...Array(6).fill('given-back'), 'done'],
    );
  });

  itOnce('does other jobs while one waits, which says for what, since when and how long', async () => {
    await place.jobs.add('build', 'a', {});
    const latest = Date.now() + 3_600_000;
    const waits: (number | undefined)[] = [];
    let isOver = false;
    place.run([
      job(async (_payload, _parts, { wait }) => {
        waits.push(wait?.since);
        if (!isOver) throw new JobWaits('the upload 12 is being applied', { againMs: 50, until: latest });
      }),
      { ...job(async () => {}), kind: 'clean' },
    ]);
    await until('it waits', async () => (await place.jobs.get('build/a')).state === 'queued' && waits.length > 1);
    const { reason, until: ends } = (await place.jobs.get('build/a')).wait!;
    assert.deepEqual([reason, ends], ['the upload 12 is being applied', latest]);
    await place.jobs.add('clean', 'b', {});
    await place.reaches('clean/b', 'done');
    isOver = true;
    const done = await place.reaches('build/a', 'done');
    assert.deepEqual([done.attempts, done.wait, done.error], [1, undefined, undefined]);
    const [first, ...later] = waits;
    assert.equal(first, undefined);
    assert.equal(new Set(later).size, 1, 'since the first attempt');
    assert.equal((await place.jobs.log('build/a')).length, 1);
  });

  it('tries a job again that fails, until it has failed, and keeps why', async () => {
    await place.jobs.add('build', 'a', {});
    let attempts = 0;
    const runner = place.run([
      job(async () => {
        attempts += 1;
        throw new TidemarkError('unavailable', `no disk at /data/x, time ${attempts}`);
      }),
    ]);
    const failed = await place.reaches('build/a', 'failed');
    assert.deepEqual([attempts, failed.attempts, failed.error], [3, 3, 'no disk at …, time 3']);
    const log = (await place.jobs.log('build/a')).map((line) => line.replace(/^\S+ /, ''));
    assert.deepEqual(log, [
      'attempt 1 failed: no disk at …, time 1',
      'attempt 2 of 3',
      'attempt 2 failed: no disk at …, time 2',
      'attempt 3 of 3',
      'attempt 3 failed: no disk at …, time 3',
    ]);
    await place.jobs.retry('build/a');
    await until('it has failed again', async () => attempts === 6);
    await place.reaches('build/a', 'failed');
    assert.equal((await place.jobs.log('build/a')).length, 10);
    await runner.stop();
    assert.deepEqual(
      place.ended.map(({ outcome }) => outcome),
      ['queued', 'queued', 'failed', 'queued', 'queued', 'failed'],
    );
  });

  itOnce('is done when a later attempt is successful', async () => {
    await place.jobs.add('build', 'a', {});
    let attempts = 0;
    place.run([
      job(async () => {
        attempts += 1;
        if (attempts < 3) throw new Error('not yet');
      }),
    ]);
    const done = await place.reaches('build/a', 'done');
    assert.deepEqual([done.attempts, done.error], [3, undefined]);
  });

  itOnce('does not try what is invalid again', async () => {
    await place.jobs.add('build', 'a', {});
    place.run([
      job(async () => {
        throw new TidemarkError('invalid', 'there is no set maps');
      }),
    ]);
    assert.equal((await place.reaches('build/a', 'failed')).attempts, 1);
  });

  itOnce('runs so many jobs at the same time, and only those of its kinds', async () => {
    await place.jobs.addAll(['a', 'b', 'c', 'd', 'e'].map((id) => ({ kind: 'build', id })));
    await place.jobs.add('clean', 'a', {});
    let running = 0;
    let most = 0;
    const gate = Promise.withResolvers<void>();
    place.run(
      [
        job(async () => {
          running += 1;
          most = Math.max(most, running);
          if (most === 3) gate.resolve();
          await gate.promise;
          running -= 1;
        }),
      ],
      { concurrency: 3 },
    );
    for (const id of ['a', 'b', 'c', 'd', 'e']) await place.reaches(`build/${id}`, 'done');
    assert.equal(most, 3);
    assert.equal((await place.jobs.get('clean/a')).state, 'queued');
  });

  it('ends a running job that is cancelled', async () => {
    await place.jobs.add('build', 'a', {});
    place.run([endless()], { worker: { name: 'tester', leaseMs: 300 } });
    await place.reaches('build/a', 'running');
    await place.jobs.cancel('build/a');
    await place.reaches('build/a', 'cancelled');
  });

  it('confirms to a job that it may go on, until that is cancelled, or another worker has it', async () => {
    const [first, cancelled] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    await place.jobs.add('build', 'a', {});
    let wentOn = false;
    place.run([
      job(async (_payload, _parts, { confirm }) => {
        await confirm();
        first.resolve();
        await cancelled.promise;
        await confirm();
        wentOn = true;
      }),
    ]);
    await first.promise;
    await place.jobs.cancel('build/a');
    cancelled.resolve();
    await place.reaches('build/a', 'cancelled');
    assert.equal(wentOn, false);
  });

  it('gives back what it runs when it is stopped, and another one runs it', async () => {
    await place.jobs.add('build', 'a', {});
    const runner = place.run([endless()]);
    await place.reaches('build/a', 'running');
    await runner.stop();
    const given = await place.jobs.get('build/a');
    assert.deepEqual([given.state, given.attempts], ['queued', 0]);
    place.run([job(async () => 'done by another')]);
    assert.equal((await place.reaches('build/a', 'done')).result, 'done by another');
  });

  itOnce('gives back also what does not end when it is stopped, and then takes nothing more of it', async () => {
    await place.jobs.add('build', 'a', {});
    const [begun, late] = [Promise.withResolvers<void>(), Promise.withResolvers<string>()];
    const hanging = job(() => {
      begun.resolve();
      return late.promise;
    });
    const runner = place.run([hanging], { stopMs: 50 });
    // Its state says so before the runner has it.
    await begun.promise;
    await runner.stop();
    assert.equal((await place.jobs.get('build/a')).state, 'queued');
    late.resolve('too late');
    place.run([job(async () => 'by another')]);
    assert.equal((await place.reaches('build/a', 'done')).result, 'by another');
  });
});
