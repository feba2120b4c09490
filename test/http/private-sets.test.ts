import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Secret } from '../../src/config/secret.ts';
import { originOfRoot } from '../../src/core/stored-set.ts';
import { ask, askJson } from '../support/ask.ts';
import { describeOnEachStore } from '../support/each-store.ts';
import { closeApps, makeFolder, type StartedApp, startApp } from '../support/start-app.ts';
import { until } from '../support/until.ts';

const CHANGES = { changes: [{ location: { value: 'a.txt', type: 'rel_path' }, change: 'created' }] };

describeOnEachStore('A private set', (store, itOnce) => {
  let started: StartedApp;
  let reader: Record<string, string>;

  beforeEach(async () => {
    started = await startApp(store, { token: new Secret('open-sesame') });
    await started.app.sets.add({ slug: 'open', urlPrefix: 'https://data.example.org/open/' });
  });

  afterEach(closeApps);

  async function addSealed(): Promise<void> {
    const root = await makeFolder(started, 'sealed');
    await writeFile(join(root, 'a.txt'), 'a secret');
    await started.app.sets.add({ slug: 'sealed', origin: originOfRoot(root), private: true });
    await started.app.sets.markReady('sealed');
    const { token } = await started.app.access.tokens.create({ name: 'reader', scopes: ['read:sealed'] });
    reader = { Authorization: `Bearer ${token}` };
    const administrator = { Authorization: 'Bearer open-sesame' };
    const posted = await askJson(`${started.url}/api/sets/sealed/changes`, CHANGES, administrator);
    assert.equal(posted.body.applied, 1);
  }

  const get = (path: string, headers: Record<string, string> = {}) => ask(`${started.url}${path}`, { headers });

  itOnce('changes nothing that others see of the source', async () => {
    const paths = ['/.well-known/resourcesync', '/api/sets', '/', '/readyz', '/api/openapi.json'];
    const seen = async () => {
      const answers = await Promise.all(paths.map((path) => get(path)));
      return answers.map(({ status, headers, text }) => ({
        status,
        text: text.replaceAll(String(headers['x-request-id']), ''),
        etag: headers.etag,
        caching: [headers['cache-control'], headers.vary, headers['last-modified']],
      }));
    };
    // A page does not wait long for what it draws of a set.
    await until('the sparkline is drawn', async () => (await get('/')).text.includes('class="sparkline"'));
    const before = await seen();
    await addSealed();
    assert.deepEqual(await seen(), before);
    await started.app.sets.add({
      slug: 'scanning',
      origin: originOfRoot(await makeFolder(started, 'scanning')),
      private: true,
    });
    assert.deepEqual(await seen(), before);
  });

  itOnce('is in the lists of those who may read it, which no cache may share', async () => {
    await addSealed();
    for (const path of ['/.well-known/resourcesync', '/api/sets', '/']) {
      const { text, headers } = await get(path, reader);
      assert.match(text, /sealed/, path);
      assert.match(headers['cache-control'] ?? '', /^private/, path);
      assert.match(headers.vary ?? '', /Authorization/, path);
      assert.doesNotMatch((await get(path)).text, /sealed/, path);
    }
    assert.match((await get('/', reader)).text, /<span class="state">private</);
    const description = await get('/.well-known/resourcesync');
    assert.equal(description.headers['cache-control'], 'no-cache');
    assert.doesNotMatch(description.headers.vary ?? '', /Authorization/);
    const etag = String((await get('/.well-known/resourcesync', reader)).headers.etag);
    assert.notEqual(etag, description.headers.etag);
    assert.equal((await get('/.well-known/resourcesync', { ...reader, 'If-None-Match': etag })).status, 304);
    assert.equal((await get('/.well-known/resourcesync', { 'If-None-Match': etag })).status, 200);
  });

  itOnce('has parts that never change, which no cache may share either', async () => {
    await addSealed();
    await started.app.sets.change('sealed', { windowChanges: 1 });
    const administrator = { Authorization: 'Bearer open-sesame' };
    for (const change of ['updated', 'deleted']) {
      const changes = [{ location: { value: 'a.txt', type: 'rel_path' }, change }];
      await askJson(`${started.url}/api/sets/sealed/changes`, { changes }, administrator);
    }
    const { text } = await get('/sets/sealed/changelist.xml', reader);
    const [closed] = [...text.matchAll(/<loc>([^<]*)<\/loc>/g)].map(([, uri]) => new URL(uri!).pathname);
    const { status, headers } = await get(closed!, reader);
    assert.deepEqual([status, headers['cache-control']], [200, 'private, max-age=31536000, immutable']);
    assert.match(headers.vary ?? '', /Authorization/);
    assert.equal((await get(closed!)).status, 404);
  });

  itOnce('is in the Source Description of its own readers alone, also where others read as many sets', async () => {
    const { tokens } = started.app.access;
    const { sets } = started.app;
    for (const slug of ['one', 'two']) {
      await sets.add({ slug, urlPrefix: `https://data.example.org/${slug}/`, private: true });
    }
    // The newest set is visible to both, so that their descriptions have one date.
    await sets.add({ slug: 'latest', urlPrefix: 'https://data.example.org/latest/' });
    for (const slug of ['one', 'two']) {
      const { token } = await tokens.create({ name: slug, scopes: [`read:${slug}`] });
      const { text } = await get('/.well-known/resourcesync', { Authorization: `Bearer ${token}` });
      const listed = [...text.matchAll(/\/sets\/(\w+)\/capabilitylist\.xml/g)].map(([, name]) => name);
      assert.deepEqual(listed.sort(), ['latest', 'open', slug].sort());
    }
  });

  itOnce('is not in the Source Description any more when it was removed, though a newer one is', async () => {
    await started.app.sets.add({ slug: 'latest', urlPrefix: 'https://data.example.org/latest/' });
    const before = await get('/.well-known/resourcesync');
    assert.match(before.text, /\/sets\/open\//);
    await started.app.sets.remove('open');
    const after = await get('/.well-known/resourcesync');
    assert.doesNotMatch(after.text, /\/sets\/open\//);
    assert.match(after.text, /\/sets\/latest\//);
    assert.notEqual(after.headers.etag, before.headers.etag);
  });

  itOnce('is read with a token, by documents and bytes that are for its sender alone', async () => {
    await addSealed();
    const documents = ['capabilitylist.xml', 'resourcelist.xml', 'changelist.xml', 'changelist-recent.xml'];
    for (const path of [...documents, 'resources/a.txt']) {
      const answer = await get(`/sets/sealed/${path}`, reader);
      assert.equal(answer.status, 200, path);
      assert.equal(answer.headers['cache-control'], 'private, no-cache', path);
      assert.match(answer.headers.vary ?? '', /Authorization/, path);
      assert.equal((await get(`/sets/sealed/${path}`)).status, 404, path);
      const again = await get(`/sets/sealed/${path}`, { ...reader, 'If-None-Match': String(answer.headers.etag) });
      assert.equal(again.status, 304, path);
      assert.equal(again.headers['cache-control'], 'private, no-cache', path);
      assert.match(again.headers.vary ?? '', /Authorization/, path);
    }
    const { headers, text } = await get('/sets/sealed/resources/a.txt', reader);
    assert.equal(text, 'a secret');
    assert.equal(headers['cross-origin-resource-policy'], 'same-origin');
    const set = await askJson(`${started.url}/api/sets/sealed`, undefined, reader);
    assert.equal(set.body.private, true);
    assert.match(set.headers['cache-control'] ?? '', /^private, no-store/);
  });

  it('becomes public at once, and private again', async () => {
    await addSealed();
    const status = async () => (await get('/sets/sealed/capabilitylist.xml')).status;
    assert.equal(await status(), 404);
    await started.app.sets.change('sealed', { private: false });
    assert.equal(await status(), 200);
    assert.equal((await get('/sets/sealed/capabilitylist.xml')).headers['cache-control'], 'no-cache');
    assert.match((await get('/.well-known/resourcesync')).text, /sealed/);
    await started.app.sets.change('sealed', { private: true });
    assert.equal(await status(), 404);
    assert.doesNotMatch((await get('/.well-known/resourcesync')).text, /sealed/);
  });

  itOnce('takes posts of those who may post to it, and shows them nothing', async () => {
    await addSealed();
    const { token } = await started.app.access.tokens.create({ name: 'poster', scopes: ['post:sealed'] });
    const poster = { Authorization: `Bearer ${token}` };
    assert.equal((await askJson(`${started.url}/api/sets/sealed/changes`, CHANGES, poster)).status, 200);
    assert.equal((await get('/api/sets/sealed/changes', poster)).status, 404);
    assert.doesNotMatch((await get('/api/sets', poster)).text, /sealed/);
  });
});
