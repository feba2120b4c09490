import assert from 'node:assert/strict';
import { isTidemarkError } from '../../src/core/errors.ts';
import { type Job, jobName, type Worker } from '../../src/stores/job.ts';
import type { JobClaimer } from '../../src/stores/job-claimer.ts';
import type { JobQueue } from '../../src/stores/job-queue.ts';
import type { Stores } from '../../src/stores/open-stores.ts';
import type { OwnedJob } from '../../src/stores/owned-job.ts';
import { until } from '../support/until.ts';

const isConflict = (error: unknown) => isTidemarkError(error, 'conflict');
const isNotFound = (error: unknown) => isTidemarkError(error, 'not-found');
const ONE: Worker = { name: 'one', leaseMs: 60_000 };
const OTHER: Worker = { name: 'other', leaseMs: 60_000 };
/** So short that a test can wait for its end. */
const SHORT: Worker = { name: 'short', leaseMs: 400 };
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** The promises of the queue of jobs. */
export function jobQueueContract(start: () => Promise<{ open(): Promise<Stores>; dispose(): Promise<void> }>): void {
  let place: Awaited<ReturnType<typeof start>>;
  let stores: Stores;
  let others: Stores;
  let jobs: JobQueue;
  let other: JobQueue;

  beforeEach(async () => {
    place = await start();
    stores = await place.open();
    others = await place.open();
    jobs = stores.jobs;
    other = others.jobs;
  });

  afterEach(async () => {
    await stores.close();
    await others.close();
    await place.dispose();
  });

  const claimer = (queue: JobQueue, worker = ONE, kinds: readonly string[] = ['build'], mostDeaths = 10): JobClaimer =>
    queue.claimer({ kinds, worker, mostDeaths });
  const claim = async (queue: JobQueue, worker = ONE, kinds: readonly string[] = ['build']): Promise<OwnedJob> =>
    (await claimer(queue, worker, kinds).claim()) ?? assert.fail('there is nothing to claim');
  const stateOf = async (name: string) => (await other.get(name)).state;
  const names = (list: readonly Job[]) => list.map(jobName);

  it('shows an added job to other processes', async () => {
    const payload = { set: 'Größe', list: [1, null] };
    assert.equal(await jobs.add('build', 'a', payload, { oneAtATimePer: 'maps' }), true);
    const { added, ...job } = await other.get('build/a');
    assert.ok(Math.abs(added - Date.now()) < 60_000);
    const expected = { kind: 'build', id: 'a', payload, state: 'queued', oneAtATimePer: 'maps', notBefore: 0 };
    assert.deepEqual(job, { ...expected, attempts: 0 });
    await assert.rejects(other.get('build/b'), isNotFound);
  });

  it('adds an id once, whatever has become of the job', async () => {
    assert.equal(await jobs.add('build', 'a', { first: true }), true);
    assert.equal(await other.add('build', 'a', { first: false }), false);
    await (await claim(jobs)).finish({ state: 'done', result: 1 });
    assert.equal(await other.add('build', 'a', {}), false);
    assert.equal(await other.add('clean', 'a', {}), true);
    assert.deepEqual((await jobs.get('build/a')).payload, { first: true });
    assert.equal(await jobs.addAll(['a', 'b', 'c', 'b'].map((id) => ({ kind: 'build', id }))), 2);
  });

  it('lets one of many processes that add an id at the same time add it', async () => {
    const adding = Array.from({ length: 10 }, (_, at) => (at % 2 === 0 ? jobs : other).add('build', 'a', { at }));
    assert.equal((await Promise.all(adding)).filter(Boolean).length, 1);
  });

  it('refuses a name that cannot be part of a URL', async () => {
    for (const [kind, id] of [['Build', 'a'] as const, ['build', 'a/b'] as const, ['build', ''] as const]) {
      await assert.rejects(jobs.add(kind, id, {}), (error) => isTidemarkError(error, 'invalid'));
    }
  });

  it('gives each job to one of many workers that claim at the same time', async () => {
    const ids = Array.from({ length: 20 }, (_, at) => `job-${at}`);
    await jobs.addAll(ids.map((id) => ({ kind: 'build', id })));
    const work = async (queue: JobQueue, worker: Worker) => {
      const claimed: string[] = [];
      const own = claimer(queue, worker);
      for (let next = await own.claim(); next !== undefined; ) {
        claimed.push(next.job.id);
        next = await own.claim();
      }
      return claimed;
    };
    const claimed = await Promise.all([work(jobs, ONE), work(other, OTHER), work(jobs, ONE), work(other, OTHER)]);
    assert.deepEqual(claimed.flat().sort(), ids.toSorted());
    assert.equal(await claimer(jobs, ONE).claim(), undefined);
  });

  it('gives those first that were added first, and only of the kinds that are asked for', async () => {
    await jobs.add('clean', 'first', {});
    for (const id of ['c', 'a', 'b']) {
      await jobs.add('build', id, {});
      await until('another millisecond', async () => Date.now() > (await jobs.get(`build/${id}`)).added);
    }
    for (const id of ['c', 'a', 'b']) assert.equal((await claim(other)).job.id, id);
    assert.equal(await claimer(other, ONE).claim(), undefined);
    assert.equal((await claim(other, ONE, ['build', 'clean'])).job.id, 'first');
  });

  it('gives no job before its time', async () => {
    await jobs.add('build', 'later', {}, { notBefore: Date.now() + MINUTE });
    await jobs.add('build', 'now', {}, { notBefore: Date.now() - 1 });
    assert.equal((await claim(other)).job.id, 'now');
    assert.equal(await claimer(other, ONE).claim(), undefined);
  });

  it('gives a job at once whose time is so far away that the clock must have been ahead', async () => {
    await jobs.add('build', 'a', {});
    await (await claim(jobs)).finish({ state: 'queued', notBefore: Date.now() + 24 * HOUR, error: 'no disk' });
    assert.equal((await claim(other)).job.id, 'a');
  });

  it('records which worker runs a job since when, its progress and its result', async () => {
    await jobs.add('build', 'a', {});
    const claimed = await claim(jobs);
    assert.deepEqual(await claimed.heartbeat({ done: 3, total: 10, text: 'page 3' }), { cancelling: false });
    const running = await other.get('build/a');
    assert.equal(running.state, 'running');
    assert.equal(running.claim?.worker, 'one');
    assert.deepEqual([running.attempts, running.progress], [1, { done: 3, total: 10, text: 'page 3' }]);
    await claimed.finish({ state: 'done', result: { pages: 10 } });
    const done = await other.get('build/a');
    assert.deepEqual([done.state, done.result, done.error], ['done', { pages: 10 }, undefined]);
    assert.ok(done.finished! >= done.claim!.since);
  });

  it('queues a failed attempt again, for a later time, until it has failed', async () => {
    await jobs.add('build', 'a', {});
    await (await claim(jobs)).finish({ state: 'queued', notBefore: Date.now() + MINUTE, error: 'no disk' });
    const waiting = await other.get('build/a');
    assert.deepEqual([waiting.state, waiting.attempts, waiting.error], ['queued', 1, 'no disk']);
    assert.equal(await claimer(other, ONE).claim(), undefined);

    await other.retry('build/a');
    await (await claim(jobs)).finish({ state: 'failed', error: 'still no disk' });
    const failed = await other.get('build/a');
    assert.deepEqual([failed.state, failed.error, failed.attempts], ['failed', 'still no disk', 1]);
    assert.ok(failed.finished !== undefined);
  });

  it('does not count an attempt that was given back', async () => {
    await jobs.add('build', 'a', {});
    await (await claim(jobs)).finish({ state: 'given-back' });
    assert.equal((await other.get('build/a')).attempts, 0);
    assert.equal((await claim(other)).job.attempts, 1);
  });

  it('gives a job back to wait for a time, with the reason, as often as it is needed', async () => {
    await jobs.add('build', 'a', {});
    for (let times = 1; times <= 10; times++) {
      const owned = await claim(jobs);
      assert.equal(owned.job.wait, undefined);
      const wait = { since: Date.now(), reason: 'not yet', until: Date.now() + 2 * HOUR };
      await owned.finish({ state: 'given-back', notBefore: Date.now() + MINUTE, wait });
      const waiting = await other.get('build/a');
      assert.deepEqual([waiting.state, waiting.attempts, waiting.wait], ['queued', 0, wait]);
      assert.equal(await claimer(other, ONE).claim(), undefined);
      await other.retry('build/a');
    }
    const wait = { since: Date.now(), reason: 'not yet' };
    await (await claim(jobs)).finish({ state: 'given-back', notBefore: Date.now() - 1, wait });
    const again = await claim(other);
    assert.deepEqual(again.job.wait, wait, 'an attempt knows that it has waited');
    await again.finish({ state: 'done', result: {} });
    const { wait: after, error } = await jobs.get('build/a');
    assert.deepEqual([after, error], [undefined, undefined]);
  });

  it('retries what failed or was cancelled from the beginning, and nothing else', async () => {
    await jobs.add('build', 'a', {});
    const claimed = await claim(jobs);
    await assert.rejects(other.retry('build/a'), isConflict);
    await claimed.finish({ state: 'failed', error: 'no disk' });
    const { finished, ...retried } = await other.retry('build/a');
    assert.deepEqual([retried.state, retried.attempts, finished], ['queued', 0, undefined]);
    await other.cancel('build/a');
    await other.retry('build/a');
    await (await claim(jobs)).finish({ state: 'done', result: {} });
    await assert.rejects(other.retry('build/a'), isConflict);
    await assert.rejects(other.retry('build/b'), isNotFound);
  });

  it('cancels a job that waits at once, and reports to the worker of a running one', async () => {
    await jobs.addAll(['a', 'b'].map((id) => ({ kind: 'build', id })));
    const { job } = await claim(jobs);
    const claimed = await claim(jobs);
    const [waiting, running] = [jobName(job), jobName(claimed.job)];
    await other.cancel(running);
    assert.equal(await stateOf(running), 'running');
    assert.deepEqual(await claimed.heartbeat(), { cancelling: true });
    await claimed.finish({ state: 'cancelled' });
    assert.equal(await stateOf(running), 'cancelled');
    await assert.rejects(claimed.finish({ state: 'done', result: {} }), isConflict);

    await other.retry(running);
    await other.cancel(running);
    assert.equal(await stateOf(running), 'cancelled');
    assert.equal(await stateOf(waiting), 'running');
  });

  it('records the end of a job that is cancelled at the same time', async () => {
    await jobs.add('build', 'a', {});
    const claimed = await claim(jobs);
    await other.cancel('build/a');
    await claimed.finish({ state: 'done', result: 7 });
    const { state, result, cancelling } = await other.get('build/a');
    assert.deepEqual([state, result, cancelling], ['done', 7, undefined]);
    await assert.rejects(other.cancel('build/a'), isConflict);
  });

  for (const end of [
    { state: 'given-back' },
    { state: 'queued', notBefore: 0, error: 'no disk' },
    { state: 'cancelled' },
  ] as const) {
    it(`has cancelled a job that was cancelled when its attempt ends as ${end.state}, and is not cancelling it`, async () => {
      await jobs.add('build', 'a', {});
      const claimed = await claim(jobs);
      await other.cancel('build/a');
      await claimed.finish(end);
      const { state, cancelling } = await other.get('build/a');
      assert.deepEqual([state, cancelling], ['cancelled', undefined]);
    });
  }

  it('takes a job back whose worker sends no heartbeat, and then refuses what that worker records', async () => {
    await jobs.add('build', 'a', {});
    const lost = await claim(jobs, SHORT);
    const watching = claimer(other);
    const taken = await until('the lease ends', async () => (await watching.watch()).at(0));
    assert.deepEqual([taken.state, taken.attempts, taken.notBefore], ['queued', 0, 0]);
    assert.match(taken.error!, /short sent no heartbeat for 0.4 s/);

    const next = await claim(other, OTHER);
    await next.putLog(['of the next']);
    await assert.rejects(lost.putLog(['of the lost']), isConflict);
    await assert.rejects(lost.heartbeat(), isConflict);
    await assert.rejects(lost.finish({ state: 'done', result: 'lost' }), isConflict);
    await next.finish({ state: 'done', result: 'next' });
    assert.equal((await jobs.get('build/a')).result, 'next');
    assert.deepEqual(await jobs.log('build/a'), ['of the next']);
    await assert.rejects(lost.finish({ state: 'done', result: 'lost' }), isConflict);
  });

  it('counts workers that die apart from failures, with pauses that grow, until they were too many', async () => {
    await jobs.add('build', 'a', {});
    const lost = await claim(jobs, SHORT);
    const watching = claimer(other, OTHER, ['build'], 2);
    const takenBack = () => until('the lease ends', async () => (await watching.watch()).at(0));
    assert.deepEqual([(await takenBack()).attempts, (await jobs.get('build/a')).state], [0, 'queued']);
    assert.equal((await claim(jobs, SHORT)).job.attempts, 1);
    assert.equal((await takenBack()).state, 'failed');
    await assert.rejects(lost.finish({ state: 'done', result: 'lost' }), isConflict);
    assert.equal(await stateOf('build/a'), 'failed');
    assert.deepEqual([(await other.retry('build/a')).state, (await jobs.get('build/a')).deaths], ['queued', undefined]);
  });

  it('reports each job that this process ended as failed or cancelled, however it ended', async () => {
    const ends: string[] = [];
    for (const queue of [jobs, other]) {
      queue.onUnsuccessful(async ({ id, state }) => void ends.push(`${id} ${state} by ${queue === jobs ? 1 : 2}`));
    }
    await jobs.addAll(['a', 'b', 'c', 'd', 'e', 'f'].map((id) => ({ kind: 'build', id })));
    const own = claimer(jobs);
    const claimed = async (id: string) => {
      const owned = (await own.claim()) ?? assert.fail('there is nothing to claim');
      assert.equal(owned.job.id, id);
      return owned;
    };
    await (await claimed('a')).finish({ state: 'done', result: {} });
    await (await claimed('b')).finish({ state: 'failed', error: 'no disk' });
    const given = await claimed('c');
    await other.cancel('build/c');
    await given.finish({ state: 'given-back' });
    await (await claimed('d')).finish({ state: 'queued', notBefore: Date.now() + MINUTE, error: 'no disk' });
    await other.cancel('build/e');
    await claim(jobs, SHORT);
    const watching = claimer(other, OTHER, ['build'], 1);
    await until('the lease ends', async () => (await watching.watch()).at(0));
    assert.deepEqual(ends, ['b failed by 1', 'c cancelled by 1', 'e cancelled by 2', 'f failed by 2']);
  });

  it('leaves a job to a worker that sends heartbeats', async () => {
    await jobs.add('build', 'a', {});
    const claimed = await claim(jobs, SHORT);
    const watching = claimer(other);
    const end = performance.now() + 3 * SHORT.leaseMs;
    while (performance.now() < end) {
      await claimed.heartbeat();
      assert.deepEqual(await watching.watch(), []);
    }
    await claimed.finish({ state: 'done', result: {} });
  });

  it('runs one job of a key at a time', async () => {
    for (const id of ['a1', 'a2', 'b1']) await jobs.add('build', id, {}, { oneAtATimePer: id[0]! });
    await jobs.add('clean', 'a3', {}, { oneAtATimePer: 'a' });
    const first = [await claim(jobs), await claim(jobs)];
    const claimed = first.map(({ job }) => job.id).sort();
    assert.deepEqual(
      claimed.map((id) => id[0]),
      ['a', 'b'],
    );
    assert.equal(await claimer(other, OTHER).claim(), undefined);
    // Keys are those of a kind.
    assert.equal((await claim(other, OTHER, ['clean'])).job.id, 'a3');
    for (const job of first) await job.finish({ state: 'done', result: {} });
    assert.equal((await claim(other, OTHER)).job.id, claimed[0] === 'a1' ? 'a2' : 'a1');
  });

  it('runs no second job of a key when another became due and was claimed after it was read', async () => {
    await jobs.add('build', 'other', {});
    const notBefore = Date.now() + 300;
    await jobs.add('build', 'a1', {}, { oneAtATimePer: 'a', notBefore });
    await until('another millisecond', async () => Date.now() > (await jobs.get('build/a1')).added);
    await jobs.add('build', 'a2', {}, { oneAtATimePer: 'a' });
    const own = claimer(jobs);
    // It reads a2 with this job, to claim it next.
    assert.equal((await own.claim())?.job.id, 'other');
    await until('a1 is due', async () => Date.now() >= notBefore);
    assert.equal((await claim(other, OTHER)).job.id, 'a1');
    assert.equal(await own.claim(), undefined);
    assert.equal(await stateOf('build/a2'), 'queued');
  });

  it('finds a job whose key is free behind many others whose key is not', async () => {
    await jobs.addAll(Array.from({ length: 120 }, (_, at) => ({ kind: 'build', id: `a${at}`, oneAtATimePer: 'a' })));
    await jobs.add('build', 'b0', {}, { oneAtATimePer: 'b' });
    const first = await claim(jobs);
    assert.equal((await claim(other, OTHER)).job.id, 'b0');
    assert.equal(await claimer(other, OTHER).claim(), undefined);
    await first.finish({ state: 'done', result: {} });
    assert.equal((await claim(other, OTHER)).job.id[0], 'a');
  });

  it('never runs two jobs of a key, however many workers claim at the same time', async () => {
    const ids = Array.from({ length: 12 }, (_, at) => `job-${at}`);
    await jobs.addAll(ids.map((id) => ({ kind: 'build', id, oneAtATimePer: 'key' })));
    let running = 0;
    const done: string[] = [];
    const work = async (queue: JobQueue, worker: Worker) => {
      const own = claimer(queue, worker);
      while (done.length < ids.length) {
        const claimed = await own.claim();
        if (claimed === undefined) continue;
        running += 1;
        assert.equal(running, 1, 'two jobs of a key run');
        await claimed.heartbeat();
        running -= 1;
        await claimed.finish({ state: 'done', result: {} });
        done.push(claimed.job.id);
      }
    };
    await Promise.all([work(jobs, ONE), work(other, OTHER), work(jobs, ONE)]);
    assert.deepEqual(done.toSorted(), ids.toSorted());
    for (const job of await jobs.list({ limit: 20 })) assert.equal(job.attempts, 1, jobName(job));
  });

  it('does other jobs alternately with those of a numerous kind, however many of them were added before', async () => {
    await jobs.addAll(Array.from({ length: 120 }, (_, at) => ({ kind: 'build', id: `many-${at}` })));
    await other.addAll(['a', 'b'].map((id) => ({ kind: 'clean', id })));
    const kinds = ['build', 'clean'];
    const own = other.claimer({ kinds, numerousKinds: ['build'], worker: OTHER });
    const claimed: string[] = [];
    for (let at = 0; at < 6; at++) claimed.push((await own.claim())!.job.kind);
    assert.deepEqual(claimed, ['build', 'clean', 'build', 'clean', 'build', 'build']);
  });

  it('alternates between shares, however many jobs of one were added before, and leaves out one that is full', async () => {
    const ids = (share: string, count: number) => Array.from({ length: count }, (_, at) => `${share}~${100 + at}`);
    await jobs.addAll([...ids('a', 120), ...ids('ab', 120)].map((id) => ({ kind: 'build', id })));
    await other.addAll([...ids('b', 2), ...ids('c', 1)].map((id) => ({ kind: 'build', id })));
    const full: string[] = [];
    const shareOf = (job: Job) => jobName(job).replace(/~.*/, '~');
    const own = other.claimer({ kinds: ['build'], worker: OTHER, shareOf, fullShares: () => full });
    const claimed: string[] = [];
    const claimSome = async (count: number) => {
      for (let at = 0; at < count; at++) claimed.push((await own.claim())!.job.id.replace(/~.*/, ''));
      return claimed.splice(0);
    };
    assert.deepEqual((await claimSome(4)).toSorted(), ['a', 'ab', 'b', 'c']);
    assert.deepEqual((await claimSome(3)).toSorted(), ['a', 'ab', 'b']);
    full.push('build/a~');
    assert.deepEqual(await claimSome(3), ['ab', 'ab', 'ab']);
    full.push('build/ab~');
    assert.equal(await own.claim(), undefined);
  });

  it('lists what was added last first, by state and kind, page after page', async () => {
    await jobs.addAll(['a', 'b', 'c'].map((id) => ({ kind: 'build', id })));
    await jobs.add('clean', 'd', {});
    await jobs.cancel('build/b');
    const all = await other.list({ limit: 10 });
    assert.deepEqual(names(all).sort(), ['build/a', 'build/b', 'build/c', 'clean/d']);
    assert.deepEqual(
      all.map(({ added }) => added),
      all.map(({ added }) => added).sort((a, b) => b - a),
    );
    assert.deepEqual(names(await other.list({ limit: 10, states: ['cancelled', 'done'] })), ['build/b']);
    assert.deepEqual(names(await other.list({ limit: 10, kinds: ['clean'] })), ['clean/d']);

    const pages: Job[] = [];
    for (let page = await other.list({ limit: 3 }); page.length > 0; ) {
      pages.push(...page);
      page = await other.list({ limit: 3, after: page.at(-1) });
    }
    assert.deepEqual(pages, all);
  });

  it('counts jobs by kind and state', async () => {
    assert.deepEqual(await jobs.counts(), []);
    await jobs.addAll(['a', 'b', 'c'].map((id) => ({ kind: 'build', id })));
    await jobs.add('clean', 'd', {});
    await claim(jobs);
    const counts = (await other.counts()).map(({ kind, state, count }) => `${kind} ${state} ${count}`);
    assert.deepEqual(counts.sort(), ['build queued 2', 'build running 1', 'clean queued 1']);
  });

  it('keeps the log of a job beside it', async () => {
    await jobs.add('build', 'a', {});
    assert.deepEqual(await other.log('build/a'), []);
    const claimed = await claim(jobs);
    await claimed.putLog(['first line']);
    await claimed.putLog(['first line', 'second "Zeile" ß']);
    assert.deepEqual(await other.log('build/a'), ['first line', 'second "Zeile" ß']);
    await claimed.finish({ state: 'done', result: {} });
    assert.deepEqual(await other.log('build/a'), ['first line', 'second "Zeile" ß']);
    assert.equal((await other.list({ limit: 10 })).length, 1);
  });

  it('removes what ended before a time, with its log, and its id can be added again', async () => {
    await jobs.addAll(['a', 'b', 'c'].map((id) => ({ kind: 'build', id })));
    const claimed = await claim(jobs);
    await claimed.putLog(['a line']);
    await claimed.finish({ state: 'done', result: {} });
    const { finished } = await jobs.get(jobName(claimed.job));
    assert.equal(await other.remove('done', finished!), 0);
    assert.equal(await other.remove('failed', finished! + 1), 0);
    assert.equal(await other.remove('done', finished! + 1), 1);
    await assert.rejects(jobs.get(jobName(claimed.job)), isNotFound);
    assert.deepEqual(await jobs.log(jobName(claimed.job)), []);
    assert.equal((await jobs.list({ limit: 10 })).length, 2);
    assert.equal(await jobs.add('build', claimed.job.id, {}), true);
  });
}
