import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openApp } from '../../src/app.ts';
import { ask, askJson } from '../support/ask.ts';
import { collect } from '../support/builders.ts';
import { describeOnEachStore } from '../support/each-store.ts';
import { findFreePort } from '../support/free-port.ts';
import { recordsOf } from '../support/removing-stream.ts';
import { testConfiguration } from '../support/start-app.ts';
import { until } from '../support/until.ts';
import { marc } from '../support/upload-packages.ts';
import { Workplace } from '../support/workplace.ts';

/** Each step of a removal; on SQLite all of them, elsewhere those that differ by the store. */
const STEPS = [
  'upload.recorded',
  'removal.marked',
  'upload.read',
  'upload.applying',
  'upload.posted',
  'removal.posted',
  'removal.synced',
  'removal.deleted',
] as const;

describeOnEachStore('131: a removal whose server is killed', (store) => {
  let place: Workplace;

  beforeEach(async () => {
    place = await Workplace.make(store);
    await done('organizations', 'add', 'lane');
    await writeFile(join(place.folder, '1.mrc'), Buffer.concat([marc('a', 'one'), marc('b', 'one')]));
    await writeFile(join(place.folder, '2.mrc'), Buffer.concat([marc('b', 'two'), marc('c', 'two'), marc('d')]));
    await writeFile(join(place.folder, '3.mrc'), marc('d'));
  });
  afterEach(() => place.close());

  const env = {
    TIDEMARK_JOB_LEASE: '2s',
    TIDEMARK_BASE_URL: 'http://127.0.0.1:8080',
    TIDEMARK_LOG_LEVEL: 'silent',
  };
  const done = async (...args: readonly string[]) => {
    const { exitCode, stdout, stderr } = await place.run([...args, '--json'], { env });
    assert.equal(exitCode, 0, stderr);
    return JSON.parse(stdout);
  };

  async function serve(failpoint?: string) {
    const port = await findFreePort();
    const given = failpoint === undefined ? env : { ...env, TIDEMARK_FAILPOINT: failpoint };
    const server = place.start(['serve', '--port', `${port}`], { env: given });
    await server.says(/Serving/);
    return { server, uploads: `http://127.0.0.1:${port}/api/organizations/lane/uploads` };
  }

  const isProcessed = async (uploads: string, number: number) => {
    const { status, body } = await askJson(`${uploads}/main/${number}`);
    return status === 200 && body.status === 'processed';
  };

  async function uploadAll(): Promise<void> {
    const { server, uploads } = await serve();
    for (const name of ['1.mrc', '2.mrc', '3.mrc'])
      await done('upload', 'lane', name, '--server', new URL(uploads).origin);
    await until('all are processed', () => isProcessed(uploads, 3));
    server.signal('SIGTERM');
    await server.exit();
  }

  const steps = store.kind === 'sqlite' ? STEPS : (['upload.recorded', 'upload.posted', 'removal.deleted'] as const);
  for (const step of steps) {
    it(`is not lost, and ends as without that, when it is killed at ${step}`, async () => {
      await uploadAll();
      const killed = await serve(`${step}:kill`);
      await ask(`${killed.uploads}/main/2?reason=test`, { method: 'DELETE' }).catch(() => {});
      assert.equal(await killed.server.exit(), null, 'it was killed');

      const { server, uploads } = await serve();
      await until('the delivery is processed', () => isProcessed(uploads, 4));
      assert.equal((await askJson(`${uploads}/main/2`)).body.status, 'removed');
      assert.equal((await ask(`${uploads}/main/2/files/1`)).status, 410);
      server.signal('SIGTERM');
      await server.exit();
      await requireRemoved();
    });
  }

  async function requireRemoved(): Promise<void> {
    const folder = join(place.folder, 'data');
    const artifacts = { kind: 'folder', folder: join(folder, 'artifacts') } as const;
    const app = await openApp(testConfiguration(folder, { store: place.store.location, artifacts }));
    try {
      const records = Object.entries(await recordsOf(app, 'lane--main'));
      const expected = { a: marc('a', 'one'), b: marc('b', 'one'), d: marc('d') };
      assert.deepEqual(
        records,
        Object.entries(expected).map(([id, bytes]) => [id, bytes.toString()]),
      );
      assert.deepEqual(Object.entries(await recordsOf(app, 'lane')), records);
      assert.deepEqual((await collect(app.artifacts.list('_streams/lane/main/000000002/'))).flat(), []);
    } finally {
      await app.close();
    }
  }
});
