import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openApp } from '../../src/app.ts';
import { FAILPOINTS } from '../../src/lib/failpoint.ts';
import { askJson } from '../support/ask.ts';
import { collect } from '../support/builders.ts';
import { describeOnEachStore } from '../support/each-store.ts';
import { findFreePort } from '../support/free-port.ts';
import type { RunningTidemark } from '../support/run-tidemark.ts';
import { testConfiguration } from '../support/start-app.ts';
import { until } from '../support/until.ts';
import { marc } from '../support/upload-packages.ts';
import { Workplace } from '../support/workplace.ts';

const RECORDS = 30;
/** A killed worker's job is taken over after this time without a heartbeat. */
const SETTINGS = {
  TIDEMARK_JOB_LEASE: '2s',
  TIDEMARK_BASE_URL: 'http://127.0.0.1:8080',
  TIDEMARK_LOG_LEVEL: 'error',
};

describeOnEachStore('an upload whose server is killed while it is processed', (store) => {
  let place: Workplace;

  beforeEach(async () => {
    place = await Workplace.make(store);
    await done('organizations', 'add', 'lane');
    await done('streams', 'add', 'lane', 'main');
    const records = Array.from({ length: RECORDS }, (_, id) => marc(`id${id}`));
    await writeFile(join(place.folder, 'full.mrc'), Buffer.concat(records));
    await writeFile(join(place.folder, 'changes.mrc'), Buffer.concat([marc('id0', 'new'), marc('id99')]));
    await writeFile(join(place.folder, 'deleted.txt'), 'id1\nid2\n');
  });
  afterEach(() => place.close());

  const done = async (...args: readonly string[]) => {
    const { exitCode, stdout, stderr } = await place.run([...args, '--json'], { env: SETTINGS });
    assert.equal(exitCode, 0, stderr);
    return JSON.parse(stdout);
  };

  /** In a process of its own where a failpoint stops or kills it, or else in this one. */
  async function serve(env: Readonly<Record<string, string>>): Promise<{ server: RunningTidemark; url: string }> {
    const port = await findFreePort();
    const server = place.start(['serve', '--no-sources', '--port', `${port}`], { env: { ...SETTINGS, ...env } });
    await server.says(/Serving/);
    return { server, url: `http://127.0.0.1:${port}` };
  }

  /** When no server runs. */
  async function changes(): Promise<readonly string[]> {
    const app = await openApp(testConfiguration(join(place.folder, 'data'), { store: place.store.location }));
    try {
      const { id } = await app.sets.bySlug('lane--main');
      const found = (await collect(app.index.changes(id, { after: 0 }))).flat();
      return found.map(({ kind, key }) => `${kind} ${key}`).toSorted();
    } finally {
      await app.close();
    }
  }

  /** Waits until so many jobs are done, and all are. */
  async function processed({ url }: { readonly url: string }, count: number): Promise<void> {
    await until(`${count} uploads are processed`, async () => {
      const { jobs } = (await askJson(`${url}/api/jobs?kind=process-upload`)).body;
      return jobs.length === count && jobs.every(({ state }: { state: string }) => state === 'done');
    });
  }

  async function stop({ server }: { readonly server: RunningTidemark }): Promise<void> {
    server.signal('SIGTERM');
    await server.exit();
  }

  const CREATED = Array.from({ length: RECORDS }, (_, id) => `created /id${id}`);
  const CHANGED = ['created /id99', 'deleted /id1', 'deleted /id2', 'updated /id0'];

  for (const failpoint of ['upload.recorded', ...FAILPOINTS.processing.filter((one) => one !== 'upload.fetched')]) {
    it(`is published once, and as a whole: at ${failpoint}`, async () => {
      const first = await serve({ TIDEMARK_FAILPOINT: `${failpoint}:kill` });
      const upload = ['upload', 'lane', 'full.mrc', '--server', first.url];
      await place.run(upload);
      assert.equal(await first.server.exit(), null, 'it was killed');

      const second = await serve({});
      await processed(second, 1);
      await done('upload', 'lane', 'changes.mrc', 'deleted.txt', '--server', second.url);
      await processed(second, 2);
      await stop(second);
      assert.deepEqual(await changes(), [...CREATED, ...CHANGED].toSorted());
    });
  }

  it('is published once when a worker was paused for longer than its lease, and goes on', async () => {
    // On SQLite in the thread that writes, which then holds no lock: the main thread could pause it in any write.
    const posted = store.kind === 'sqlite' ? 'commit.committed' : 'upload.posted';
    const paused = await serve({ TIDEMARK_FAILPOINT: `${posted}:stop` });
    await done('upload', 'lane', 'full.mrc', '--server', paused.url);
    const other = await serve({});
    await processed(other, 1);
    await done('upload', 'lane', 'changes.mrc', 'deleted.txt', '--server', other.url);
    await processed(other, 2);
    paused.server.signal('SIGCONT');
    await until('it answers again', async () => (await askJson(`${paused.url}/api/jobs`)).status === 200);
    await Promise.all([stop(paused), stop(other)]);
    assert.deepEqual(await changes(), [...CREATED, ...CHANGED].toSorted());
  });
});
