import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openApp } from '../../src/app.ts';
import { ask, askJson } from '../support/ask.ts';
import { describeOnEachStore } from '../support/each-store.ts';
import { findFreePort } from '../support/free-port.ts';
import type { RunningTidemark } from '../support/run-tidemark.ts';
import { testConfiguration } from '../support/start-app.ts';
import { until } from '../support/until.ts';
import { marc } from '../support/upload-packages.ts';
import { Workplace } from '../support/workplace.ts';

const JOB = 'process-upload/lane~main~1';
const RECORDS = 5;

describeOnEachStore('an upload that is published in part', (store, itOnce) => {
  let place: Workplace;

  beforeEach(async () => {
    place = await Workplace.make(store);
    await done('organizations', 'add', 'lane');
    await done('streams', 'add', 'lane', 'main');
    const records = Array.from({ length: RECORDS }, (_, id) => marc(`id${id}`));
    await writeFile(join(place.folder, 'full.mrc'), Buffer.concat(records));
  });
  afterEach(() => place.close());

  /** A killed worker's job is taken over after this time without a heartbeat. */
  const env = {
    TIDEMARK_JOB_LEASE: '2s',
    TIDEMARK_BASE_URL: 'http://127.0.0.1:8080',
    TIDEMARK_LOG_LEVEL: 'error',
  };
  const done = async (...args: readonly string[]) => {
    const { exitCode, stdout, stderr } = await place.run([...args, '--json'], { env });
    assert.equal(exitCode, 0, stderr);
    return JSON.parse(stdout);
  };

  /** A server in this process, or one that is killed. */
  async function serve(failpoint: string | undefined, ...more: readonly string[]) {
    const port = await findFreePort();
    const given = failpoint === undefined ? env : { ...env, TIDEMARK_FAILPOINT: failpoint };
    const server = place.start(['serve', '--no-sources', '--port', `${port}`, ...more], { env: given });
    await server.says(/Serving/);
    return { server, url: `http://127.0.0.1:${port}` };
  }

  /** A server is killed when it has committed a part, before it has recorded that all is. */
  async function publishPart(...more: readonly string[]): Promise<void> {
    const { server, url } = await serve('upload.posted:kill', ...more);
    await place.run(['upload', 'lane', 'full.mrc', '--server', url]);
    assert.equal(await server.exit(), null, 'it was killed');
  }

  async function requireDump({ server, url }: { readonly server: RunningTidemark; readonly url: string }) {
    await until('the upload is processed', async () => {
      return (await askJson(`${url}/api/organizations/lane/uploads/main/1`)).body.status === 'processed';
    });
    server.signal('SIGTERM');
    await server.exit();
    const [dump] = (await done('streams', 'dump', 'lane')).dumps;
    assert.deepEqual([dump.kind, dump.totals.records], ['full', RECORDS]);
  }

  itOnce('cannot be cancelled, and the message says why and what to do', async () => {
    await publishPart();
    const why =
      /lane\/main\/000000001 is published in part, and its job goes on .* upload corrections or ids to delete/;
    const { exitCode, stderr } = await place.run(['jobs', 'cancel', JOB], { env });
    assert.match(stderr, why);
    assert.equal(exitCode, 2);
    const running = await serve(undefined, '--no-jobs');
    const { status, body } = await askJson(`${running.url}/api/jobs/${JOB}/cancel`, { method: 'POST' });
    assert.match(body.error.message, why);
    assert.equal(status, 409);
    const page = await ask(`${running.url}/jobs/${JOB}/cancel`, { method: 'POST' });
    assert.equal(page.status, 409);
    running.server.signal('SIGTERM');
    await running.server.exit();
    assert.equal((await done('jobs', 'show', JOB)).cancelling, undefined);
    await requireDump(await serve(undefined));
  });

  it('goes on by itself when its last attempt has failed, and dumps are made', async () => {
    await publishPart('--upload-retries', '0');
    await requireDump(await serve(undefined, '--upload-retries', '0'));
  });

  itOnce(
    'is not wrong usage of a command that makes a dump, which says how long it waited and what must run',
    async () => {
      await publishPart();
      const { exitCode, stderr } = await place.run(['streams', 'dump', 'lane'], { env });
      assert.match(
        stderr,
        /lane\/main\/000000001 is being applied: .* It waited \d+ s; a server \("tidemark serve"\) or "tidemark work" must run/,
      );
      assert.equal(exitCode, 1);
    },
  );

  it('counts what it has changed once, whichever attempt did it', async () => {
    const first = await serve(undefined);
    const processed = async (url: string, number: number) => {
      const { body } = await askJson(`${url}/api/organizations/lane/uploads/main/${number}`);
      return body.status === 'processed' && body.applied;
    };
    await done('upload', 'lane', 'full.mrc', '--server', first.url);
    const created = await until('the first is processed', () => processed(first.url, 1));
    assert.deepEqual([created.created, created.unchanged], [RECORDS, 0]);
    first.server.signal('SIGTERM');
    await first.server.exit();
    await writeFile(join(place.folder, 'new.mrc'), Buffer.concat([marc('id0'), marc('id1', 'changed'), marc('id9')]));
    await writeFile(join(place.folder, 'deleted.txt'), 'id2\nnever\n');
    const { server, url } = await serve('upload.posted:kill');
    await place.run(['upload', 'lane', 'new.mrc', 'deleted.txt', '--server', url]);
    assert.equal(await server.exit(), null, 'it was killed');
    const again = await serve(undefined);
    const { at: _, ...counts } = await until('the second is processed', () => processed(again.url, 2));
    assert.deepEqual(counts, {
      created: 1,
      updated: 1,
      deleted: 1,
      unchanged: 1,
      unknown: 1,
      superseded: 0,
      replaced: 0,
    });
    again.server.signal('SIGTERM');
    await again.server.exit();
  });

  itOnce('goes on by itself when it was cancelled just as it began to be published', async () => {
    await publishPart();
    const app = await openApp(testConfiguration(join(place.folder, 'data'), { store: place.store.location }));
    await app.jobs.queue.cancel(JOB).finally(() => app.close());
    await requireDump(await serve(undefined));
  });
});
