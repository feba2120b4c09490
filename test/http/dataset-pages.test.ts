import assert from 'node:assert/strict';
import { Secret } from '../../src/config/secret.ts';
import { requestId } from '../../src/datasets/results/requests.ts';
import { ask } from '../support/ask.ts';
import { startPlatforms } from '../support/dataset-platforms.ts';
import { SQLITE } from '../support/each-store.ts';
import { endRequest, shownFiles } from '../support/ended-requests.ts';
import { closeApps, type StartedApp, startApp } from '../support/start-app.ts';

const RESULT = { hit: false, status: 'platform-restricted', message: '1 file is not public: ask its owner' } as const;
const NAVIGATION = />Datasets<\/a><\/li>/;

describe('Pages of datasets', () => {
  let started: StartedApp;
  beforeEach(async () => {
    started = await startApp(SQLITE, { token: new Secret('open-sesame') });
  });
  afterEach(closeApps);

  async function bearer(...scopes: Parameters<StartedApp['app']['access']['tokens']['create']>[0]['scopes']) {
    const { token } = await started.app.access.tokens.create({ name: scopes.join(), scopes });
    return { Authorization: `Bearer ${token}` };
  }
  const get = (path: string, headers: Record<string, string> = {}) => ask(`${started.url}${path}`, { headers });
  const submit = (path: string, headers: Record<string, string>, body = '') =>
    ask(`${started.url}${path}`, {
      method: 'POST',
      body,
      headers: { ...headers, 'Content-Type': 'application/x-www-form-urlencoded' },
    });

  it('show requests to readers of their set, and buttons to senders who may post to it', async () => {
    const { app } = started;
    assert.doesNotMatch((await get('/')).text, NAVIGATION);
    await app.sets.add({ slug: 'sealed', origin: { kind: 'datasets' }, private: true });
    const id = await endRequest(app, {
      url: 'https://example.org/a',
      set: 'sealed',
      result: RESULT,
      files: shownFiles(1),
    });
    assert.doesNotMatch((await get('/')).text, NAVIGATION);
    assert.match((await get('/datasets/')).text, /No dataset was requested yet/);
    assert.equal((await get(`/datasets/${id}/`)).status, 404);

    const reader = await bearer('read:sealed');
    assert.match((await get('/', reader)).text, NAVIGATION);
    const seen = await get(`/datasets/${id}/`, reader);
    assert.match(seen.text, /1 file is not public: ask its owner\./);
    assert.doesNotMatch(`${seen.text}${(await get('/datasets/', reader)).text}`, /<button>Try again|Add a dataset/);
    assert.equal((await submit(`/datasets/${id}/retry`, reader)).status, 403);
    assert.equal((await submit('/datasets/?set=sealed', reader, 'base_url=10.5072/X')).status, 403);
    assert.equal((await submit('/datasets/?set=sealed', {}, 'base_url=10.5072/X')).status, 404);

    const sender = await bearer('read:sealed', 'post:sealed');
    assert.match((await get(`/datasets/${id}/`, sender)).text, /<button>Try again/);
    assert.match((await get('/datasets/', sender)).text, /action="\.\/\?set=sealed"/);
    assert.equal((await submit(`/datasets/${id}/retry`, sender)).headers.location, './?did=retry');
    const { headers } = await submit('/datasets/?set=sealed', sender, 'base_url=10.5072/X&followLatest=yes');
    assert.match(String(headers.location), /^\.\/[0-9a-f]{32}\/\?did=add$/);
    const { options, set } = await app.datasets.get('https://doi.org/10.5072/X');
    assert.deepEqual([options, set], [{ followLatest: true }, 'sealed']);
  });

  it('show what was left out, and the message of a file with its name as it is', async () => {
    const [file] = shownFiles(1);
    const id = await endRequest(started.app, {
      url: 'https://example.org/a',
      result: { hit: false, status: 'mismatch-md5', message: 'a.csv has another md5: try again' },
      files: [{ ...file!, path: 'a.csv', status: 'mismatch-md5' }],
      notes: ['2 files are left out'],
    });
    const { text } = await get(`/datasets/${id}/`);
    assert.match(text, /<p>a\.csv has another md5: try again\.<\/p>/);
    assert.match(text, /<p>2 files are left out\.<\/p>/);
    assert.match((await get(`/api/datasets/${id}/files`)).text, /"notes":\["2 files are left out"\]/);
  });

  it('lead from a stored dataset to the resources of its files and to its manifest', async () => {
    await closeApps();
    const platforms = await startPlatforms();
    try {
      started = await startApp(SQLITE, { datasetNetworks: ['127.0.0.1'] });
      const base_url = platforms.add({ platform: 'zenodo', id: '12', files: [{ name: 'a b.csv' }, { name: 'c.csv' }] });
      const { signal } = new AbortController();
      await started.app.datasets.ingest({ ingest_type: 'dataset', base_url }, { signal });
      const at = `/datasets/${requestId({ ingest_type: 'dataset', base_url })}/`;
      const { text } = await get(at);
      const links = [...text.matchAll(/href="([^"]*resource\?key=[^"]+)">([^<]+)/g)];
      assert.deepEqual(
        links.map(([, , name]) => name),
        ['manifest', 'a b.csv', 'c.csv'],
      );
      for (const [, href = ''] of links) {
        assert.equal((await ask(new URL(href, started.url + at).href)).status, 200, href);
      }
    } finally {
      await platforms.close();
    }
  });
});
