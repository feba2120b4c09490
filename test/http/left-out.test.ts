import assert from 'node:assert/strict';
import { rmSync, symlinkSync } from 'node:fs';
import { originOfRoot } from '../../src/core/stored-set.ts';
import { formatS3Location, parseS3Location } from '../../src/lib/s3/s3-location.ts';
import { ask, askJson } from '../support/ask.ts';
import { upsert } from '../support/builders.ts';
import { SQLITE } from '../support/each-store.ts';
import { rootOf, useBucket, useKeys, useS3 } from '../support/s3.ts';
import { closeApps, type StartedApp, startApp } from '../support/start-app.ts';
import { LONG_AGO, useTempFolder } from '../support/temp-folder.ts';

const SECRET = 'a secret';

describe('What a root leaves out', () => {
  const folder = useTempFolder();
  let started: StartedApp;

  /** As when the set was added while the program kept its own files elsewhere. */
  beforeEach(async () => {
    // Old enough that answers are kept in memory.
    folder.write('site/public', 'x', LONG_AGO);
    started = await startApp(SQLITE, {
      dataFolder: folder.at('site/data'),
      artifacts: { kind: 'folder', folder: folder.at('site/kept/artifacts') },
      file: folder.at('site/other.json'),
    });
    await started.app.sets.add({
      slug: 'site',
      origin: originOfRoot(folder.at('site')),
      exclude: ['.env', '/private/'],
    });
    await started.app.sets.markReady('site');
  });
  afterEach(closeApps);

  const urlOf = (path: string) => `${started.url}/sets/site/resources/${path}`;
  const status = async (path: string) => (await ask(urlOf(path))).status;
  const post = (value: string, change = 'created') =>
    askJson(`${started.url}/api/sets/site/changes`, {
      changes: [{ location: { value, type: 'rel_path' }, change }],
    });

  /** What an earlier version let in. */
  async function publish(path: string): Promise<void> {
    await started.app.updater.post([upsert((await started.app.sets.bySlug('site')).id, path)]);
  }

  for (const path of [
    '.git/config',
    'a/.env',
    'private/a',
    '.tidemarkignore',
    'data/tidemark.db-wal',
    'b.log',
    'tidemark.config.json',
    'other.json',
    'kept/artifacts/_uploads/a',
  ]) {
    it(`cannot be posted, and is not served even if it is listed: ${path}`, async () => {
      folder.write('site/.tidemarkignore', '*.log\n!data/\n!artifacts/\n!other.json\n');
      if (path !== '.tidemarkignore') folder.write(`site/${path}`, SECRET);
      const { body } = await post(path);
      assert.deepEqual([body.rejected, body.results[0].code, body.results[0].field], [1, 'left-out', 'location.value']);
      assert.equal(await status(path), 404);

      await publish(path);
      const { status: code, text } = await ask(urlOf(path));
      assert.deepEqual([code, text.includes(SECRET)], [404, false]);
      assert.equal((await post(path, 'deleted')).body.applied, 1);
    });
  }

  it('follows the current patterns, before any scan', async () => {
    await publish('public');
    for (let times = 0; times < 2; times++) assert.equal(await status('public'), 200);
    folder.write('site/.tidemarkignore', 'public');
    assert.equal(await status('public'), 404);
    assert.equal((await post('public', 'updated')).body.results[0].code, 'left-out');
    rmSync(folder.at('site/.tidemarkignore'));
    assert.equal(await status('public'), 200);
  });

  for (const [link, target] of [
    ['x.txt', 'tidemark.config.json'],
    ['z.txt', 'data/secret'],
  ] as const) {
    it(`cannot be reached by a link to a file: ${target}`, async () => {
      folder.write(`site/${target}`, SECRET);
      symlinkSync(target, folder.at(`site/${link}`));
      await publish(link);
      await publish('public');
      // As when files of the folder are known to be on a local disk.
      assert.equal(await status('public'), 200);
      const { status: code, text } = await ask(urlOf(link));
      assert.deepEqual([code, text.includes(SECRET)], [404, false]);
    });
  }

  it('cannot be reached by a link to a folder, which is not followed', async () => {
    folder.write('site/private/a', SECRET);
    symlinkSync('private', folder.at('site/alias'));
    await post('alias/a');
    assert.equal(await status('alias/a'), 404);
    symlinkSync('public', folder.at('site/link'));
    await post('link');
    assert.equal(await status('link'), 200);
  });
});

describe('What a bucket leaves out', () => {
  const s3 = useS3();
  useKeys(s3);
  const bucket = useBucket(s3);
  let started: StartedApp;
  afterEach(closeApps);

  for (const presignedSeconds of [undefined, 60]) {
    const way = presignedSeconds === undefined ? 'served' : 'redirected to';
    it(`is not taken from a poster, and not ${way} when it is live`, async () => {
      started = await startApp(SQLITE);
      const root = formatS3Location(parseS3Location(rootOf(s3, bucket.name, 'files')));
      const set = await started.app.sets.add({
        slug: 'site',
        origin: originOfRoot(root),
        exclude: ['.env'],
        presignedSeconds,
      });
      for (const path of ['.tidemarkignore', '.env', 'a.log', 'public']) await bucket.put(`files/${path}`, '*.log');

      for (const path of ['.tidemarkignore', '.env', 'a.log', 'public']) {
        const changes = [{ location: { value: path, type: 'rel_path' }, change: 'created' }];
        const { body } = await askJson(`${started.url}/api/sets/site/changes`, { changes });
        assert.equal(body.results[0].code, path === 'public' ? undefined : 'left-out');
        await started.app.updater.post([upsert(set.id, path)]);
        const { status } = await ask(`${started.url}/sets/site/resources/${path}`);
        assert.equal(status, path !== 'public' ? 404 : presignedSeconds === undefined ? 200 : 307, path);
      }
    });
  }

  it('is the artifact store below its prefix', async () => {
    const place = parseS3Location(rootOf(s3, bucket.name, 'files/kept/artifacts'), 'artifacts');
    started = await startApp(SQLITE, { artifacts: { kind: 's3', place, settings: { timeoutMs: 5_000 } } });
    const root = formatS3Location(parseS3Location(rootOf(s3, bucket.name, 'files')));
    const set = await started.app.sets.add({ slug: 'site', origin: originOfRoot(root) });
    await bucket.put('files/kept/artifacts/_uploads/a', SECRET);
    await started.app.updater.post([upsert(set.id, 'kept/artifacts/_uploads/a')]);
    assert.equal((await ask(`${started.url}/sets/site/resources/kept/artifacts/_uploads/a`)).status, 404);
  });
});
