import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdir, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openApp } from '../../src/app.ts';
import { ageOrganization } from '../support/aged-organization.ts';
import { ask, askJson } from '../support/ask.ts';
import { collect } from '../support/builders.ts';
import { describeOnEachArtifactStore } from '../support/each-artifact-store.ts';
import { describeOnEachStore, SQLITE } from '../support/each-store.ts';
import { findFreePort } from '../support/free-port.ts';
import { beginBody, file, formOf, postForm } from '../support/multipart.ts';
import { closeApps, type StartedApp, startApp, testConfiguration } from '../support/start-app.ts';
import { storedFiles } from '../support/stored-files.ts';
import { until } from '../support/until.ts';
import { Workplace } from '../support/workplace.ts';

const WEEK_AND_MORE_MS = 8 * 86_400_000;

describeOnEachArtifactStore('an upload whose client breaks off', (place) => {
  let started: StartedApp;

  beforeEach(async () => {
    started = await startApp(SQLITE, { artifacts: place.location });
    await started.app.records.organizations.add('lane', { contacts: [] });
    await started.app.records.organizations.addStream('lane', 'main');
  });
  afterEach(closeApps);

  it('leaves nothing, however much of it was stored', async () => {
    const { app, url } = started;
    const uploads = `${url}/api/organizations/lane/uploads`;
    // More than one part of an upload to S3.
    const form = formOf([file('a.mrc', 'a'), file('b.mrc', randomBytes(20_000_000)), file('c.mrc', 'c')]);
    const breakOff = await beginBody(uploads, form.subarray(0, -200), form.length);
    const keys = async () => (await collect(app.artifacts.list('_uploads/'))).flat().map(({ key }) => key);
    await until('the first file is stored', async () => (await keys()).length > 0);
    assert.deepEqual((await askJson(uploads)).body.uploads, []);
    breakOff();
    await until('it is removed', async () => (await keys()).length === 0);
    if (place.location.kind === 'folder') {
      await until('nothing is being written', async () => {
        return (
          (await readdir(join(place.location.kind === 'folder' ? place.location.folder : '', '.unfinished'))).length ===
          0
        );
      });
    }
    assert.deepEqual((await askJson(uploads)).body.uploads, []);

    const bytes = randomBytes(9_000_000);
    const whole = await postForm(uploads, [file('a.mrc', bytes)]);
    assert.deepEqual([whole.status, whole.json.number], [201, 1]);
    const read = await ask(`${url}/api/${whole.json.files[0].url}`, { headers: { Range: 'bytes=8500000-' } });
    assert.ok(read.bytes.equals(bytes.subarray(8_500_000)));
  });
});

describe('an upload whose artifact store fails', () => {
  afterEach(closeApps);

  it('is refused, and taken when it works again', async () => {
    const started = await startApp(SQLITE);
    const { app, url, folder } = started;
    await app.records.organizations.add('lane', { contacts: [] });
    await app.records.organizations.addStream('lane', 'main');
    const uploads = `${url}/api/organizations/lane/uploads`;
    await writeFile(join(folder, 'artifacts'), 'a file where the folder should be');
    const refused = await postForm(uploads, [file('a.mrc', randomBytes(3_000_000)), file('b.mrc', 'b')]);
    assert.equal(refused.status, 503, refused.text);
    assert.deepEqual((await askJson(uploads)).body.uploads, []);
    await rm(join(folder, 'artifacts'));
    await mkdir(join(folder, 'artifacts'));
    assert.equal((await postForm(uploads, [file('a.mrc', 'a')])).json.number, 1);
    assert.equal((await storedFiles(started, 'lane')).length, 1);
  });
});

describeOnEachStore('an upload whose server is killed', (store, itOnce) => {
  let place: Workplace;

  beforeEach(async () => {
    place = await Workplace.make(store);
    await done('organizations', 'add', 'lane');
    await done('streams', 'add', 'lane', 'main');
    for (const name of ['a.mrc', 'b.mrc']) await writeFile(join(place.folder, name), name);
  });
  afterEach(() => place.close());

  const done = async (...args: readonly string[]) => {
    const { exitCode, stdout, stderr } = await place.run([...args, '--json']);
    assert.equal(exitCode, 0, stderr);
    return JSON.parse(stdout);
  };
  const upload = async (server: string) => place.run(['upload', 'lane', 'a.mrc', 'b.mrc', '--server', server]);

  async function killedAt(failpoint: string): Promise<void> {
    const port = await findFreePort();
    const env = { TIDEMARK_FAILPOINT: `${failpoint}:kill` };
    const serving = place.startProcess(['serve', '--port', `${port}`], { env });
    await serving.says(/Serving \d+ sets/);
    const { exitCode, stderr } = await upload(`http://127.0.0.1:${port}`);
    assert.match(stderr, /did not answer: .*"tidemark uploads list" shows whether the upload was stored/);
    assert.equal(exitCode, 3);
    assert.equal(await serving.exit(), null);
  }

  // Until it is recorded, files are written and the store is only read.
  itOnce('is not seen when its files were stored, and they are removed when they are old', async () => {
    await killedAt('upload.stored');
    assert.deepEqual((await done('uploads', 'list', 'lane')).uploads, []);
    const port = await findFreePort();
    const serving = place.start(['serve', '--port', `${port}`, '--log-level', 'error']);
    await serving.says(/Serving \d+ sets/);
    const { exitCode, stderr } = await upload(`http://127.0.0.1:${port}`);
    assert.equal(exitCode, 0, stderr);
    serving.signal('SIGTERM');
    await serving.exit();
    const { uploads } = await done('uploads', 'list', 'lane');
    assert.deepEqual(
      uploads.map(({ number }: { number: number }) => number),
      [1],
    );

    const artifacts = join(place.folder, 'data/artifacts');
    const names = async () => {
      const found = await readdir(join(artifacts, '_uploads'), { recursive: true, withFileTypes: true });
      return found.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
    };
    assert.equal((await names()).length, 3);
    const app = await openApp(
      testConfiguration(join(place.folder, 'data'), {
        store: place.store.location,
        artifacts: { kind: 'folder', folder: artifacts },
      }),
    );
    try {
      const { signal } = new AbortController();
      assert.equal(
        await app.records.uploads.removeAbandoned(signal),
        0,
        'it may be of an upload that is being received',
      );
      const old = new Date(Date.now() - WEEK_AND_MORE_MS);
      for (const name of await names()) await utimes(name, old, old);
      await ageOrganization(app, 'lane');
      assert.equal(await app.records.uploads.removeAbandoned(signal), 1);
      assert.equal((await names()).length, 2);
      const found = await app.records.uploads.get('lane', 'main', 1);
      for (const stored of found.files) {
        assert.equal((await (await app.records.uploads.open(stored, undefined)).toArray()).join(''), stored.name);
      }
    } finally {
      await app.close();
    }
  });

  it('is whole when it has its number, though its client had no answer', async () => {
    await killedAt('upload.recorded');
    const shown = await done('uploads', 'show', 'lane/main/1');
    assert.deepEqual(
      shown.files.map(({ name, length }: { name: string; length: number }) => [name, length]),
      [
        ['a.mrc', 5],
        ['b.mrc', 5],
      ],
    );
  });
});
