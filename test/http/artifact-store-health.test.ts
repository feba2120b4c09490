import assert from 'node:assert/strict';
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { ask, askJson } from '../support/ask.ts';
import { SQLITE } from '../support/each-store.ts';
import { parseExposition, sampleOf } from '../support/exposition.ts';
import { closeApps, type StartedApp, startApp } from '../support/start-app.ts';
import { Workplace } from '../support/workplace.ts';

describe('A server whose artifact store', () => {
  let started: StartedApp;
  beforeEach(async () => {
    started = await startApp(SQLITE);
  });
  afterEach(closeApps);

  const at = (path: string) => askJson(`${started.url}${path}`);
  const isUp = async () =>
    sampleOf(parseExposition((await ask(`${started.url}/metrics`)).text), 'tidemark_artifact_store_up');

  it('answers is ready, and says no more', async () => {
    assert.deepEqual((await at('/readyz')).body, { status: 'ready' });
    assert.equal((await at('/api/status')).body.artifactStore, 'available');
    assert.equal(await isUp(), 1);
  });

  it('is away stays ready, as lists and posting need it not, and says so without its name', async () => {
    const artifacts = join(started.folder, 'artifacts');
    // A link to itself is as unusable as a disk that fails.
    await symlink(artifacts, artifacts);
    const { status, body } = await at('/readyz');
    assert.deepEqual([status, body], [200, { status: 'ready', artifactStore: 'unavailable' }]);
    assert.equal((await at('/api/status')).body.artifactStore, 'unavailable');
    assert.equal(await isUp(), 0);
    const page = await ask(`${started.url}/status`, { headers: { Accept: 'text/html' } });
    assert.match(page.text, /The artifact store does not answer/);
  });
});

describe('tidemark status', () => {
  let place: Workplace;
  beforeEach(async () => {
    place = await Workplace.make(SQLITE);
  });
  afterEach(() => place.close());

  it('names the artifact store, and what is wrong with it', async () => {
    await place.run(['sets', 'add', 'maps', '--url-prefix', 'https://maps.example.org/']);
    const artifacts = join(place.folder, 'artifacts');
    const status = async (...more: readonly string[]) => {
      const env = { TIDEMARK_ARTIFACTS: `file:${artifacts}` };
      const { exitCode, stdout, stderr } = await place.run(['status', ...more], { env });
      assert.equal(exitCode, 0, stderr);
      return stdout;
    };
    assert.match(await status(), new RegExp(`\nArtifacts +${artifacts}\nData folder`));
    await symlink(artifacts, artifacts);
    assert.match(await status(), /\n +unavailable: the artifact store .* cannot be read: /);
    const { problem } = JSON.parse(await status('--json')).artifacts;
    assert.match(problem, /cannot be read/);
  });
});
