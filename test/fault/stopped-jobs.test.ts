import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { App } from '../../src/app.ts';
import { SQLITE } from '../support/each-store.ts';
import { closeFaultSources, FaultSource } from '../support/fault-source.ts';
import type { GatedPayload } from '../support/gated-job.ts';
import { killTidemarks, type RunningTidemark, startProcess } from '../support/run-tidemark.ts';
import { until } from '../support/until.ts';

const LIMITS = { pageEntries: 100, windowChanges: 100 };
const ADD_JOB = new URL('../support/add-gated-job.ts', import.meta.url).href;
/** Milliseconds: the 10 seconds that jobs have to end, and some for the end of the process. */
const LONGEST_STOP_MS = 14_000;

// What a store does with a job that is given back is in jobs.test.ts.
describe('a program that is stopped while jobs run', () => {
  let source: FaultSource;
  let app: App;
  beforeEach(async () => {
    source = await FaultSource.make(SQLITE, LIMITS);
    app = await source.open();
  });
  afterEach(async () => {
    await killTidemarks();
    await closeFaultSources();
  });

  const add = (id: string, payload: GatedPayload) => app.jobs.queue.add('work', id, payload);
  const open = (gate: string) => writeFile(join(source.folder, gate), '');
  /** Waits until a job has written a line into a file. */
  const writes = (file: 'begun' | 'stopped', line: string) =>
    until(`${line} in ${file}`, async () => {
      const path = join(source.folder, file);
      return existsSync(path) && readFileSync(path, 'utf8').includes(`${line}\n`);
    });
  /** Starts the real program, with one more kind of job. */
  function start(name: string, ...args: readonly string[]): RunningTidemark {
    const env = { NODE_OPTIONS: `--import=${ADD_JOB}`, GATED_JOB_FOLDER: source.folder, GATED_JOB_NAME: name };
    const all = [...args, '--concurrency', '2', '--json'];
    return startProcess(all, { cwd: source.folder, env: { ...source.environment(), ...env } });
  }

  it('records the jobs that end within 10 seconds, and gives the others back, which are done by the next one', async () => {
    const stopped = { worker: ['work', '--kinds', 'work'], server: ['serve', '--port', '0'] };
    const running: RunningTidemark[] = [];
    for (const [name, args] of Object.entries(stopped)) {
      await add(`${name}-ends`, { gate: 'soon', ignoresSignal: true });
      await add(`${name}-hangs`, { gate: 'late', ignoresSignal: true });
      running.push(start(name, ...args));
      await writes('begun', `${name} ${name}-ends`);
      await writes('begun', `${name} ${name}-hangs`);
    }
    const began = performance.now();
    for (const each of running) each.signal('SIGTERM');
    for (const name of Object.keys(stopped)) await writes('stopped', `${name} ${name}-ends`);
    await open('soon');
    assert.deepEqual(await Promise.all(running.map((each) => each.exit())), [0, 0]);
    const stopMs = performance.now() - began;
    assert.ok(stopMs < LONGEST_STOP_MS, `it took ${stopMs} ms`);
    for (const name of Object.keys(stopped)) {
      const { state, result } = await app.jobs.queue.get(`work/${name}-ends`);
      assert.deepEqual([state, result], ['done', { by: name }]);
      const given = await app.jobs.queue.get(`work/${name}-hangs`);
      assert.deepEqual([given.state, given.attempts, given.error], ['queued', 0, undefined]);
    }

    // Neither waits for the end of a lease, which would take 30 seconds.
    await open('late');
    const next = start('next', 'work', '--kinds', 'work');
    for (const name of Object.keys(stopped)) {
      const { attempts, result } = await until('the job is done', async () => {
        const job = await app.jobs.queue.get(`work/${name}-hangs`);
        return job.state === 'done' && job;
      });
      assert.deepEqual([attempts, result], [1, { by: 'next' }]);
    }
    next.signal('SIGTERM');
    assert.equal(await next.exit(), 0);
    const effects = readdirSync(source.folder).filter((file) => file.startsWith('effect-'));
    assert.deepEqual(effects.toSorted(), [
      'effect-server-ends',
      'effect-server-hangs',
      'effect-worker-ends',
      'effect-worker-hangs',
    ]);
  });
});
