import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type App, openApp } from '../../src/app.ts';
import { ask, askJson } from '../support/ask.ts';
import { collect } from '../support/builders.ts';
import { describeOnEachStore } from '../support/each-store.ts';
import { findFreePort } from '../support/free-port.ts';
import { recordsOf } from '../support/removing-stream.ts';
import { testConfiguration } from '../support/start-app.ts';
import { until } from '../support/until.ts';
import { marc } from '../support/upload-packages.ts';
import { ProcessedStream } from '../support/upload-processing.ts';
import { Workplace } from '../support/workplace.ts';

/** Steps of a removal. All failpoints `removal.…` and those of uploads were tried; these differ most. */
const STEPS = ['upload.recorded', 'removal.marked', 'upload.posted', 'removal.deleted'] as const;

describeOnEachStore('131: a removal whose server is killed', (store) => {
  let place: Workplace;

  beforeEach(async () => {
    place = await Workplace.make(store);
  });
  afterEach(() => place.close());

  const env = {
    TIDEMARK_JOB_LEASE: '2s',
    TIDEMARK_BASE_URL: 'http://127.0.0.1:8080',
    TIDEMARK_LOG_LEVEL: 'silent',
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

  async function withApp(use: (app: App) => Promise<unknown>): Promise<void> {
    const folder = join(place.folder, 'data');
    const artifacts = { kind: 'folder', folder: join(folder, 'artifacts') } as const;
    const app = await openApp(testConfiguration(folder, { store: place.store.location, artifacts }));
    try {
      await use(app);
    } finally {
      await app.close();
    }
  }

  const uploadAll = () =>
    withApp(async (app) => {
      await app.sets.useBaseUrl(env.TIDEMARK_BASE_URL, true);
      const stream = await ProcessedStream.make(app);
      await stream.process(await stream.upload({ a: Buffer.concat([marc('a', 'one'), marc('b', 'one')]) }));
      await stream.process(await stream.upload({ a: Buffer.concat([marc('b', 'two'), marc('c', 'two'), marc('d')]) }));
      await stream.process(await stream.upload({ a: marc('d') }));
    });

  const steps = store.kind === 'sqlite' ? STEPS : (['upload.posted'] as const);
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

  const requireRemoved = () =>
    withApp(async (app) => {
      const expected = { a: marc('a', 'one'), b: marc('b', 'one'), d: marc('d') };
      const texts = Object.entries(expected).map(([id, bytes]) => [id, bytes.toString()]);
      assert.deepEqual(Object.entries(await recordsOf(app, 'lane--main')), texts);
      assert.deepEqual(Object.entries(await recordsOf(app, 'lane')), texts);
      assert.deepEqual((await collect(app.artifacts.list('_streams/lane/main/000000002/'))).flat(), []);
    });
});
