import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { listArtifacts } from '../../src/artifacts/find-artifacts.ts';
import { openArtifacts } from '../../src/artifacts/open-artifacts.ts';
import { describeOnEachStore, SQLITE } from '../support/each-store.ts';
import { until } from '../support/until.ts';
import { Workplace } from '../support/workplace.ts';

/** In this process, whose output is that of the tests. */
const WORK = ['work', '--log-level', 'silent'];
const LEASE = { TIDEMARK_JOB_LEASE: '2s' };

describeOnEachStore('runs of activities on the command line', (store, itOnce) => {
  let place: Workplace;

  beforeEach(async () => {
    place = await Workplace.make(store, { mayBeMade: true });
    await writeFile(join(place.folder, 'records.ndjson'), lines(400));
  });
  afterEach(() => place.close());

  const done = async (...args: readonly string[]) => {
    const { exitCode, stdout, stderr } = await place.run(args);
    assert.equal(exitCode, 0, stderr);
    return stdout;
  };
  const json = async (...args: readonly string[]) => JSON.parse(await done(...args, '--json'));
  const harvest = (...more: readonly string[]) =>
    done('activity', 'run', 'harvest', 'cdl', '--from', 'records.ndjson', ...more);
  const makeStore = () => done('organizations', 'add', 'other');

  it('are recorded, with a private document of their provider, which has no sets until it has a stream', async () => {
    await makeStore();
    const key = (await harvest()).trim();
    const run = await json('activity', 'show', 'harvest', 'cdl', '1');
    assert.deepEqual([run.state, run.artifact, run.trigger, run.totals.written], ['succeeded', key, 'command', 400]);
    assert.equal(run.options.from, join(place.folder, 'records.ndjson'));
    assert.match(await done('activity', 'list', 'cdl'), new RegExp(`\\nharvest/1 .* succeeded +400 +0 +${key}\\n$`));
    assert.match(await done('activity', 'show', 'harvest', 'cdl', '1'), /^cdl\/harvest\/1: succeeded\n/);

    const { private: isPrivate, streams } = await json('organizations', 'show', 'cdl');
    assert.deepEqual([isPrivate, streams], [true, []]);
    const slugs = async () =>
      (await json('sets', 'list')).sets.map(({ id, set }: { id?: string; set?: string }) => set ?? id);
    assert.ok(!(await slugs()).includes('cdl'));
    await done('sets', 'add', 'cdl-records', '--records', 'cdl/harvest');
    await done('streams', 'add', 'cdl', 'main');
    assert.ok((await slugs()).includes('cdl'));
  });

  itOnce('need no store: none is made, and one that does not answer is named', async () => {
    const alone = await place.run(
      ['activity', 'run', 'harvest', 'cdl', '--from', 'records.ndjson', '--data', 'alone'],
      {
        env: { TIDEMARK_STORE: undefined },
      },
    );
    assert.equal(alone.exitCode, 0, alone.stderr);
    assert.equal(existsSync(join(place.folder, 'alone/tidemark.db')), false);
    assert.doesNotMatch(alone.stderr, /not recorded/);

    const away = await place.run(['activity', 'run', 'harvest', 'cdl', '--from', 'records.ndjson'], {
      env: { TIDEMARK_STORE: 'http://127.0.0.1:9' },
    });
    assert.equal(away.exitCode, 0, away.stderr);
    assert.match(away.stderr, /The run is not recorded in the store http:\/\/127\.0\.0\.1:9/);
    assert.match(away.stdout, /-cdl-OriginalRecord\.v1\.avro\n$/);
  });

  itOnce('of a provider whose id no organization with streams can have are recorded, too', async () => {
    await makeStore();
    const provider = `a--${'b'.repeat(50)}`;
    await done('activity', 'run', 'harvest', provider, '--from', 'records.ndjson');
    assert.equal((await json('activity', 'list', provider)).runs.length, 1);
    const refused = await place.run(['streams', 'add', provider, 'main']);
    assert.equal(refused.exitCode, 2);
    assert.match(
      refused.stderr,
      /"main" is not a valid id of a stream: it has more than 1 character, since the id of its set/,
    );
  });

  itOnce('have failed when their process was killed, which a server notices', async () => {
    await makeStore();
    const killed = await place.run(['activity', 'run', 'harvest', 'cdl', '--from', 'records.ndjson'], {
      env: { ...LEASE, TIDEMARK_FAILPOINT: 'activity.gathered:kill' },
    });
    assert.equal(killed.exitCode, null);
    assert.equal((await json('activity', 'show', 'harvest', 'cdl', '1')).state, 'running');
    place.start(WORK, { env: LEASE });
    const { stdout, exitCode } = await place.run(['activity', 'show', 'harvest', 'cdl', '1', '--wait', '--json']);
    assert.equal(exitCode, 1);
    const { state, failure } = JSON.parse(stdout);
    assert.deepEqual([state, failure], ['failed', 'its process ended before it was done']);
  });

  it('are queued, and made by a worker', async () => {
    await makeStore();
    const queued = await json('activity', 'run', 'harvest', 'cdl', '--from', 'records.ndjson', '--queue');
    assert.deepEqual([queued.state, queued.job], ['waiting', 'run-activity/cdl~harvest~1']);
    assert.match(
      await done('activity', 'run', 'mapping', 'cdl', '--queue'),
      /^Added the job run-activity\/cdl~mapping~1 of the run cdl\/mapping\/1\.\n$/,
    );
    const refused = await place.run(['activity', 'run', 'harvest', 'cdl', '--from', '-', '--queue']);
    assert.equal(refused.exitCode, 2);
    place.start(WORK);
    const run = await json('activity', 'show', 'harvest', 'cdl', '1', '--wait');
    assert.deepEqual([run.state, run.totals.written], ['succeeded', 400]);
  });
});

describe('a job of a run whose process is killed', () => {
  const places: Workplace[] = [];
  afterEach(() => Promise.all(places.splice(0).map((place) => place.close())));

  // At the same time, since each waits until the lease of a killed process ends.
  for (const steps of [
    ['claimed', 'gathered', 'written'],
    ['errata', 'summarized', 'published'],
  ]) {
    it(`makes one artifact when that happens at the steps ${steps.join(', ')}`, async () => {
      await Promise.all(steps.map(makesOneArtifact));
    });
  }

  async function makesOneArtifact(step: string): Promise<void> {
    const place = await Workplace.make(SQLITE);
    places.push(place);
    await writeFile(join(place.folder, 'records.ndjson'), lines(400));
    const run = async (...args: readonly string[]) => {
      const { stdout, stderr, exitCode } = await place.run(args);
      assert.equal(exitCode, 0, `${step}: ${stderr}`);
      return stdout;
    };
    await run('organizations', 'add', 'cdl');
    await run('activity', 'run', 'harvest', 'cdl', '--from', 'records.ndjson', '--queue');
    const killed = place.startProcess(['work'], { env: { ...LEASE, TIDEMARK_FAILPOINT: `activity.${step}:kill` } });
    assert.equal(await killed.exit(), null, step);
    place.start(WORK, { env: LEASE });
    const shown = JSON.parse(await run('activity', 'show', 'harvest', 'cdl', '1', '--wait', '--json'));
    assert.deepEqual([shown.state, shown.totals.written], ['succeeded', 400], step);

    const artifacts = openArtifacts({ kind: 'folder', folder: join(place.folder, 'data/artifacts') });
    const keys: string[] = [];
    for await (const { key } of listArtifacts(artifacts, { provider: 'cdl' })) keys.push(key);
    await artifacts.close();
    assert.deepEqual(keys, [shown.artifact], step);
    const job = await until('the end of the job', async () => {
      const { jobs } = JSON.parse(await run('jobs', 'list', '--kind', 'run-activity', '--json'));
      return jobs[0].state === 'done' && jobs[0];
    });
    assert.equal(job.result.artifact, shown.artifact, step);
  }
});

function lines(count: number): string {
  return Array.from({ length: count }, (_, at) => {
    const document = `<record>${at}</record>`;
    return `${JSON.stringify({ id: `r${at}`, document, mimetype: 'application/xml' })}\n`;
  }).join('');
}
