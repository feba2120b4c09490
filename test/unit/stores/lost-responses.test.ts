import assert from 'node:assert/strict';
import { TidemarkError } from '../../../src/core/errors.ts';
import { JobQueue } from '../../../src/stores/job-queue.ts';
import type { JobRecords } from '../../../src/stores/job-records.ts';
import { openSqlite } from '../../../src/stores/sqlite/open-sqlite.ts';
import { useTempFolder } from '../../support/temp-folder.ts';
import { until } from '../../support/until.ts';

const isUnavailable = { code: 'unavailable' };

describe('a queue of jobs reports an end whose response was lost', () => {
  const folder = useTempFolder();
  let stores: Awaited<ReturnType<typeof openSqlite>>;
  let jobs: JobQueue;
  let ends: string[];
  let isLost: 'as another version' | 'as an error' | undefined;

  beforeEach(async () => {
    stores = await openSqlite(folder.at('store.db'), {});
    const { jobs: records } = stores;
    jobs = new JobQueue(
      new Proxy(records, {
        get: (target, name: keyof JobRecords) => (name === 'replace' ? losing(target) : target[name].bind(target)),
      }),
    );
    ends = [];
    isLost = undefined;
    jobs.onUnsuccessful(async ({ id, state }) => void ends.push(`${id} ${state}`));
    await jobs.add('build', 'a', {});
  });
  afterEach(() => stores.close());

  /** The response to the next write is lost: a client that tries again finds another version. */
  function losing(records: JobRecords): JobRecords['replace'] {
    return async (job, version) => {
      const replaced = await records.replace(job, version);
      const how = isLost;
      isLost = undefined;
      if (how === 'as an error') throw new TidemarkError('unavailable', 'the connection broke off');
      return how === undefined ? replaced : undefined;
    };
  }

  const claimer = (leaseMs = 60_000) =>
    jobs.claimer({ kinds: ['build'], worker: { name: 'one', leaseMs }, mostDeaths: 1 });
  const claim = async (leaseMs?: number) =>
    (await claimer(leaseMs).claim()) ?? assert.fail('there is nothing to claim');

  for (const end of [{ state: 'failed', error: 'no disk' }, { state: 'cancelled' }] as const) {
    it(`when an attempt ends as ${end.state}`, async () => {
      const owned = await claim();
      isLost = 'as another version';
      await owned.finish(end);
      assert.deepEqual(ends, [`a ${end.state}`]);
    });
  }

  it('when the worker records it again after an error, also if a heartbeat comes in between', async () => {
    for (const isBeating of [false, true]) {
      ends = [];
      const owned = await claim();
      isLost = 'as an error';
      await assert.rejects(owned.finish({ state: 'failed', error: 'no disk' }), isUnavailable);
      if (isBeating) await assert.rejects(owned.heartbeat(), { code: 'conflict' });
      else await owned.finish({ state: 'failed', error: 'no disk' });
      assert.deepEqual(ends, ['a failed']);
      await jobs.retry('build/a');
    }
  });

  it('when a job is cancelled that waits, also by a second request', async () => {
    isLost = 'as another version';
    await jobs.cancel('build/a');
    assert.deepEqual(ends, ['a cancelled']);
    await jobs.retry('build/a');
    ends = [];
    isLost = 'as an error';
    await assert.rejects(jobs.cancel('build/a'), isUnavailable);
    await jobs.cancel('build/a');
    assert.deepEqual(ends, ['a cancelled']);
  });

  for (const how of ['as another version', 'as an error'] as const) {
    it(`when the last lease has ended, ${how}`, async () => {
      await claim(400);
      const watching = claimer();
      isLost = how;
      await until('the lease has ended', async () => {
        await watching.watch().catch(() => {});
        return ends.length > 0;
      });
      assert.deepEqual(ends, ['a failed']);
      await watching.watch();
      assert.deepEqual(ends, ['a failed']);
    });
  }
});
