import assert from 'node:assert/strict';
import { latestChangesSchema } from '../../src/api/resource-view.ts';
import { verify } from '../../src/backup/verify/verify.ts';
import { URI_LENGTH } from '../../src/core/key.ts';
import { ask, askJson } from '../support/ask.ts';
import { describeOnEachStore } from '../support/each-store.ts';
import { SetReader } from '../support/set-reader.ts';
import { closeApps, type StartedApp, startApp } from '../support/start-app.ts';

const PREFIX = 'https://data.example.org/papers/';
const COUNT = 30;

describeOnEachStore('A set whose URIs are as long as they may be, and differ at their ends', (store) => {
  let started: StartedApp;
  let api: string;
  const room = URI_LENGTH.most - PREFIX.length - 2;
  const paths = Array.from({ length: COUNT }, (_, at) => 'x'.repeat(room) + String(at).padStart(2, '0'));

  before(async () => {
    started = await startApp(store);
    await started.app.sets.add({ slug: 'papers', urlPrefix: PREFIX, pageEntries: 7 });
    api = `${started.url}/api/sets/papers`;
    await post(paths.map((value) => ({ location: { value, type: 'rel_path' }, change: 'created' })));
  });
  after(closeApps);

  async function post(changes: readonly object[]): Promise<void> {
    const { body } = await askJson(`${api}/changes`, { changes });
    assert.equal(body.applied, changes.length, JSON.stringify(body).slice(0, 1_000));
  }

  /** The keys of all answers, one after the other. */
  async function listed(query: Readonly<Record<string, string>>): Promise<readonly string[]> {
    const keys: string[] = [];
    for (let after: string | undefined = ''; after !== undefined; ) {
      const parameters = new URLSearchParams({ ...query, ...(after !== '' && { after }) });
      const { status, text } = await ask(`${api}/resources?${parameters}`);
      assert.equal(status, 200, text);
      const { resources, next } = JSON.parse(text);
      keys.push(...resources.map(({ key }: { key: string }) => key));
      after = next;
    }
    return keys;
  }

  it('is published whole, page by page, and again after an update', async () => {
    const reader = new SetReader(`${started.url}/sets/papers/`);
    const { resources, pages } = await reader.resourceList();
    assert.ok(pages >= 5, `${pages} pages`);
    assert.deepEqual(
      [...resources.keys()],
      paths.map((path) => PREFIX + path),
    );
    await post([{ location: { value: paths[17], type: 'rel_path' }, change: 'updated', length: 17 }]);
    assert.equal((await reader.resourceList()).resources.get(PREFIX + paths[17])!.length, 17);
    assert.equal((await reader.changeWindows()).flatMap(({ changes }) => changes).length, COUNT + 1);
  });

  it('is listed, searched and verified', async () => {
    const keys = paths.map((path) => `/${path}`);
    assert.deepEqual(await listed({ limit: '7' }), keys);
    assert.deepEqual(await listed({ limit: '7', contains: 'xx1' }), keys.slice(10, 20));
    assert.deepEqual(await listed({ limit: '7', contains: 'X'.repeat(119) }), keys);
    assert.deepEqual(await listed({ limit: '7', contains: `^${'x'.repeat(120)}` }), keys);
    const { app } = started;
    const { differences, resources } = await verify({ set: await app.sets.bySlug('papers'), index: app.index });
    assert.deepEqual([differences.total, resources], [0, COUNT]);
  });

  it('has the history of each resource', async () => {
    const { status, text } = await ask(`${api}/resource/history?${new URLSearchParams({ key: `/${paths[3]}` })}`);
    assert.equal(status, 200, text);
    assert.deepEqual(
      latestChangesSchema.parse(JSON.parse(text)).changes.map(({ change }) => change),
      ['created'],
    );
  });
});
