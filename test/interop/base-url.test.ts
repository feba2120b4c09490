import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { originOfRoot } from '../../src/core/stored-set.ts';
import { auditSource, itWithScript } from '../support/check-scripts.ts';
import { SQLITE } from '../support/each-store.ts';
import { readSource } from '../support/read-source.ts';
import { checkSource, linesOf } from '../support/rules/check-source.ts';
import { scan } from '../support/scanned-set.ts';
import { closeApps, makeFolder, type StartedApp, startApp } from '../support/start-app.ts';
import { get, post } from './http.ts';
import { changesOf, locsOf } from './lists.ts';
import { ReverseProxy } from './reverse-proxy.ts';

describe('a source below a path of a proxy', () => {
  let proxy: ReverseProxy;
  let source: StartedApp;

  // No test changes anything.
  before(async () => {
    proxy = await ReverseProxy.start('/data/rs');
    source = await startApp(SQLITE, { baseUrl: proxy.baseUrl });
    proxy.target = source.url;
    await publishFiles(source, ['a.txt', 'b & c/d.txt', 'e.txt', 'f.txt']);
  });

  after(async () => {
    await closeApps();
    await proxy.close();
  });

  it('keeps every rule for a client that reads it there', async () => {
    const read = await readSource(proxy.baseUrl);
    assert.ok(read.documents.size >= 8);
    assert.deepEqual(linesOf(await checkSource(`${proxy.baseUrl}/`)), []);
  });

  it('names nowhere the address that it listens on', async () => {
    const { documents, answers } = await readSource(proxy.baseUrl);
    const address = new URL(source.url).host;
    for (const { uri, text } of documents.values()) {
      assert.ok(!text.includes(address), uri);
      for (const loc of locsOf(text)) assert.ok(loc.startsWith(`${proxy.baseUrl}/`), loc);
    }
    for (const [uri, { headers, body }] of answers) {
      assert.ok(!JSON.stringify(headers).includes(address), uri);
      assert.ok(!body.includes(address), uri);
    }
  });

  it('has pages for people whose links lead on there', async () => {
    const home = `${proxy.baseUrl}/`;
    const set = `${proxy.baseUrl}/sets/files/`;
    for (const [page, expected] of [
      [home, set],
      [set, home],
    ] as const) {
      const links = await linksOf(page);
      assert.ok(links.includes(expected), `${page} does not lead to ${expected}`);
      for (const link of links) {
        assert.ok(link.startsWith(home), link);
        assert.equal((await get(link)).status, 200, link);
      }
    }
    assert.equal((await fetch(set.slice(0, -1))).url, set, 'the slash at the end is not added');
  });

  itWithScript('audit', 'leaves an auditor nothing to find', async () => {
    const { exitCode, output } = await auditSource(proxy.baseUrl);
    assert.equal(exitCode, 0, output);
  });
});

describe('a window of 50,001 changes below a path of a proxy', () => {
  let proxy: ReverseProxy;

  afterEach(async () => {
    await closeApps();
    await proxy.close();
  });

  it('links to its rest there', async () => {
    proxy = await ReverseProxy.start('/data/rs');
    const { app, url } = await startApp(SQLITE, { baseUrl: proxy.baseUrl });
    proxy.target = url;
    await app.sets.add({ slug: 'records', urlPrefix: 'https://elsewhere.example/' });
    const many = Array.from({ length: 50_001 }, (_, number) => creation(`${number}`));
    await post(`${url}/sets/records/`, many);

    const { headers } = await get(`${proxy.baseUrl}/sets/records/changelist.xml?from=2020-01-01T00:00:00Z`);
    const [, next = ''] = /^<([^>]*)>; rel="next", /.exec(String(headers.link)) ?? [];
    assert.ok(next.startsWith(`${proxy.baseUrl}/sets/records/changelist.xml?`), next);
    assert.equal(changesOf((await get(next)).text).length, 1);
  });
});

describe('a set whose resources are elsewhere', () => {
  const PREFIX = 'https://elsewhere.example/a%20path/';
  let home: string;

  beforeEach(async () => {
    const { app, url } = await startApp(SQLITE);
    await app.sets.add({ slug: 'records', urlPrefix: PREFIX, publishHashes: ['md5'] });
    home = `${url}/sets/records/`;
  });

  afterEach(closeApps);

  it('lists them below its prefix, and others as they are', async () => {
    await post(home, [
      creation('x y/1.xml'),
      { change: 'created', location: { type: 'url', value: `${PREFIX}2.xml` } },
      { change: 'created', location: { type: 'url', value: 'https://other.example/3.xml?a=1&b=2' } },
    ]);
    const expected = ['https://other.example/3.xml?a=1&b=2', `${PREFIX}2.xml`, `${PREFIX}x%20y/1.xml`];
    for (const list of ['resourcelist.xml', 'changelist.xml']) {
      assert.deepEqual([...locsOf((await get(home + list)).text)].sort(), [...expected].sort(), list);
    }
  });

  it('takes the three types of location for the same resource', async () => {
    await post(home, [creation('1.xml')]);
    const { applied } = await post(home, [
      { change: 'created', location: { type: 'url', value: `${PREFIX}1.xml` } },
      { change: 'created', location: { type: 'rel_path', value: '1.xml' } },
    ]);
    assert.equal(applied, 0);
  });

  it('does not serve them', async () => {
    await post(home, [creation('1.xml')]);
    const { status, text } = await get(`${home}resources/1.xml`);
    assert.equal(status, 404);
    assert.ok(JSON.parse(text).error.message.includes(`${PREFIX}1.xml`));
  });

  it('publishes the hashes that it asks for beside the strongest, where they are known', async () => {
    const [md5, sha256] = ['md5', 'sha256'].map((algorithm) => createHash(algorithm).update('x').digest('hex'));
    await post(home, [
      { ...creation('both'), hash: `md5:${md5} sha-256:${sha256}` },
      { ...creation('md5'), md5 },
      { ...creation('sha-256'), hash: `sha-256:${sha256}` },
      { ...creation('none') },
    ]);
    const hashes = changesOf((await get(`${home}changelist.xml`)).text).map(({ hash }) => hash);
    assert.deepEqual(hashes, [`sha-256:${sha256} md5:${md5}`, `md5:${md5}`, `sha-256:${sha256}`, undefined]);
    assert.match((await get(`${home}resourcelist.xml`)).text, new RegExp(`hash="sha-256:${sha256} md5:${md5}"`));
  });
});

/** Where the links of a page lead that lead to the same host. */
async function linksOf(page: string): Promise<readonly string[]> {
  const { text } = await get(page);
  return [...text.matchAll(/href="([^"]*)"/g)]
    .map(([, href]) => new URL(href!.replaceAll('&amp;', '&'), page))
    .filter(({ host, hash }) => host === new URL(page).host && hash === '')
    .map(({ href }) => href);
}

const creation = (value: string) => ({ change: 'created', location: { type: 'rel_path', value } });

/** A set `files` of a folder in which every file holds its own path. */
async function publishFiles(source: StartedApp, paths: readonly string[]) {
  const { app } = source;
  const root = await makeFolder(source, 'files');
  await makeFolder(source, 'files/b & c');
  for (const path of paths) await writeFile(join(root, path), path);
  const set = await app.sets.add({ slug: 'files', origin: originOfRoot(root), pageEntries: 2, windowChanges: 2 });
  await scan({ ...app.sources.rootOf(set), set, index: app.index, updater: app.updater });
  await app.sets.markReady('files');
}
