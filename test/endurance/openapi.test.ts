import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Secret } from '../../src/config/secret.ts';
import { originOfRoot } from '../../src/core/stored-set.ts';
import { askJson } from '../support/ask.ts';
import { SQLITE } from '../support/each-store.ts';
import { itWithSchemathesis, runSchemathesis } from '../support/schemathesis.ts';
import { closeApps, makeFolder, type StartedApp, startApp } from '../support/start-app.ts';

const TOKEN = 'open-sesame-1234';
const ADMINISTRATOR = `Bearer ${TOKEN}`;

describe('Schemathesis finds no answer that the API does not describe', () => {
  let started: StartedApp;
  beforeEach(async () => {
    started = await startApp(SQLITE, { token: new Secret(TOKEN) });
    const { sets } = started.app;
    const urlPrefix = 'https://data.example.org/papers/';
    await sets.add({ slug: 'papers', title: 'Open papers', urlPrefix, pageEntries: 5 });
    await sets.add({ slug: 'changed', urlPrefix });
    await sets.add({ slug: 'secret', urlPrefix, private: true });
    const root = await makeFolder(started, 'files');
    // The example of the description for the path of a resource.
    await mkdir(join(root, '2026'));
    await writeFile(join(root, '2026/a.pdf'), 'the bytes of a paper');
    await sets.add({ slug: 'files', origin: originOfRoot(root) });
    await sets.markReady('files');
    for (const set of ['papers', 'secret', 'files']) await postSome(set);
  });
  afterEach(closeApps);

  async function postSome(set: string): Promise<void> {
    const changes = ['2026/a.pdf', 'b', 'c', 'd', 'e', 'f', '2026/a.pdf'].map((value, at) => ({
      location: { value, type: 'rel_path' },
      change: 'updated',
      length: at,
    }));
    const url = `${started.url}/api/sets/${set}/changes`;
    assert.equal((await askJson(url, { changes }, { Authorization: ADMINISTRATOR })).body.applied, 7);
  }

  async function run(authorization: string, ...options: readonly string[]): Promise<void> {
    const { isWell, output } = await runSchemathesis({
      description: `${started.url}/api/openapi.json`,
      environment: { TIDEMARK_TEST_AUTHORIZATION: authorization },
      folder: started.folder,
      options,
    });
    assert.ok(isWell, output);
  }

  itWithSchemathesis('to an administrator', () => run(ADMINISTRATOR));

  itWithSchemathesis('to a sender who may do a part of it', async () => {
    const { token } = await started.app.access.tokens.create({
      name: 'harvester',
      scopes: ['post:papers', 'read:files'],
    });
    // Wrong requests are answered as the administrator's are, or with 403 like right ones.
    await run(`Bearer ${token}`, '--phases', 'examples,coverage', '--mode', 'positive');
  });
});
