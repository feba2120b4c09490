import assert from 'node:assert/strict';
import { describeOnEachStore } from '../support/each-store.ts';
import { closeFaultSources, FaultSource } from '../support/fault-source.ts';
import { startProcess } from '../support/run-tidemark.ts';
import { until } from '../support/until.ts';

const LIMITS = { pageEntries: 100, windowChanges: 100 };

describeOnEachStore('tidemark jobs and work', (kind, itOnce) => {
  let source: FaultSource;
  beforeEach(async () => {
    source = await FaultSource.make(kind, LIMITS);
  });
  afterEach(closeFaultSources);

  const succeeds = async (...args: readonly string[]) => {
    const { exitCode, stdout, stderr } = await source.run(args);
    assert.equal(exitCode, 0, stderr);
    return stdout;
  };
  const json = async (...args: readonly string[]) => JSON.parse(await succeeds(...args, '--json'));
  const add = async (...ids: readonly string[]) => {
    const { jobs, close } = await source.open();
    await jobs.queue.addAll(ids.map((id) => ({ kind: 'archive-log', id })));
    await close();
  };

  it('list, show, cancel and retry jobs', async () => {
    assert.equal(await succeeds('jobs', 'list'), 'There are no jobs.\n');
    assert.deepEqual(await json('jobs', 'list'), { jobs: [] });
    await add('a', 'b');
    assert.equal(await succeeds('jobs', 'list', '--state', 'failed'), 'There is no job in the state failed.\n');
    assert.equal(
      await succeeds('jobs', 'list', '--kind', 'archive-log', '--state', 'failed'),
      'There is no job of the kind archive-log in the state failed.\n',
    );
    assert.match(
      await succeeds('jobs', 'list', '--kind', 'bake'),
      /^There is no job of the kind bake\. The kinds are archive-log, /,
    );
    assert.deepEqual(await json('jobs', 'list', '--kind', 'bake'), { jobs: [] });
    assert.match(await succeeds('jobs', 'list'), /^archive-log\/a +queued +0 /m);
    assert.match(await succeeds('jobs', 'cancel', 'archive-log/a'), /Cancelled the job archive-log\/a\./);
    const { jobs } = await json('jobs', 'list', '--state', 'cancelled');
    assert.deepEqual(
      jobs.map(({ name }: { name: string }) => name),
      ['archive-log/a'],
    );
    const shown = await json('jobs', 'show', 'archive-log/a');
    assert.deepEqual([shown.state, shown.log], ['cancelled', []]);
    assert.match(await succeeds('jobs', 'show', 'archive-log/a'), /^archive-log\/a: cancelled \(at /);
    assert.equal((await json('jobs', 'retry', 'archive-log/a')).state, 'queued');
  });

  itOnce('say what is wrong', async () => {
    for (const command of ['show', 'retry', 'cancel']) {
      const { exitCode, stderr } = await source.run(['jobs', command, 'archive-log/none']);
      assert.match(stderr, /there is no job archive-log\/none/);
      assert.equal(exitCode, 2);
    }
    const { exitCode, stderr } = await source.run(['work', '--kinds', 'archive-log,bake']);
    assert.match(stderr, /there is no kind of job "bake": there are archive-log, /);
    assert.equal(exitCode, 2);
    // As a process, which would run until it is stopped.
    const many = await source.runProcess(['work', '--concurrency', '13']);
    assert.match(many.stderr, /"13" is not a whole number from 1 to 12/);
    assert.equal(many.exitCode, 2);
  });

  it('run the jobs of their kinds, and leave the others', async () => {
    await add('a');
    const { jobs, close } = await source.open();
    await jobs.queue.add('remove-ended-jobs', 'b', {});
    await close();
    const worker = startProcess(['work', '--kinds', 'archive-log', '--json'], {
      cwd: source.folder,
      env: source.environment(),
    });
    await worker.says(/"event":"working","kinds":\["archive-log"\]/);
    const done = await until('the job is done', async () => {
      const job = await json('jobs', 'show', 'archive-log/a');
      return job.state === 'done' && job;
    });
    assert.equal(done.result.status, 'written');
    worker.signal('SIGTERM');
    assert.equal(await worker.exit(), 0);
    assert.match(worker.stderr, /did the job archive-log\/a/);
    assert.match(worker.stderr, /"msg":"stopping: .*\n(?:.*\n)*.*"msg":"stopped"/);
    assert.equal((await json('jobs', 'show', 'remove-ended-jobs/b')).state, 'queued');
  });

  itOnce('run none beside a server with --no-jobs', async () => {
    await add('a');
    const idle = await source.serve({ arguments: ['--no-jobs'] });
    const worker = startProcess(['work', '--json'], { cwd: source.folder, env: source.environment() });
    await worker.says(/did the job archive-log\/a/);
    assert.doesNotMatch(idle.process.stderr, /archive-log/);
    worker.signal('SIGTERM');
    await worker.exit();
  });
});
