import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Secret } from '../../src/config/secret.ts';
import { originOfRoot } from '../../src/core/stored-set.ts';
import { ask, askJson } from '../support/ask.ts';
import { SQLITE } from '../support/each-store.ts';
import { checkSource, linesOf } from '../support/rules/check-source.ts';
import { scan } from '../support/scanned-set.ts';
import { closeApps, makeFolder, type StartedApp, startApp } from '../support/start-app.ts';

const PREFIX = 'https://data.example.org/maps/';
const HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n';
/** What the crawler of a search engine sends. */
const CRAWLER = { Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };

describe('Discovery', () => {
  let started: StartedApp;

  afterEach(closeApps);

  const get = (path: string, headers: Record<string, string> = {}) => ask(started.url + path, { headers });

  async function post(set: string, ...paths: readonly string[]): Promise<void> {
    const changes = paths.map((value) => ({
      location: { value, type: 'rel_path' },
      change: 'created',
      hash: `md5:${'0'.repeat(32)}`,
      lastmod: '2026-01-31T12:00:00Z',
      ln: [{ rel: 'collection', href: { value: 'https://example.org/all', type: 'url' } }],
    }));
    const { body } = await askJson(`${started.url}/api/sets/${set}/changes`, { changes });
    assert.equal(body.rejected, 0, JSON.stringify(body));
  }

  it('links from each resource and from the page of its set to the Capability List', async () => {
    started = await startApp(SQLITE);
    await started.app.sets.add({ slug: 'maps', urlPrefix: PREFIX });
    const root = await makeFolder(started, 'files');
    await writeFile(join(root, 'a.txt'), '0123456789');
    const set = await started.app.sets.add({ slug: 'files', origin: originOfRoot(root) });
    const { app } = started;
    await scan({ ...app.sources.rootOf(set), set, index: app.index, updater: app.updater });
    await app.sets.markReady('files');
    const list = `${started.url}/sets/files/capabilitylist.xml`;
    // Direct, through express because of its query, and a part of it.
    for (const [path, headers, status] of [
      ['a.txt', {}, 200],
      ['a.txt?x=1', {}, 200],
      ['a.txt', { Range: 'bytes=2-3' }, 206],
    ] as const) {
      const answer = await get(`/sets/files/resources/${path}`, headers);
      assert.deepEqual([answer.status, answer.headers.link], [status, `<${list}>; rel="resourcesync"`]);
    }
    // The page is not a resource of the set, so it must not have the relation `resourcesync` (ResourceSync 1.1, 6.3.3).
    const { headers, text } = await get('/sets/files/');
    assert.equal(headers.link, `<${list}>; rel="describes"`);
    assert.match(text, /<link rel="describes" href="\.\.\/\.\.\/sets\/files\/capabilitylist\.xml">/);
    const report = await checkSource(`${started.url}/sets/files/`);
    assert.deepEqual(linesOf(report), []);
    // Of this set alone.
    assert.ok(report.documents < (await checkSource(started.url)).documents);
  });

  it('gives search engines a sitemap without elements of ResourceSync, whatever they prefer', async () => {
    started = await startApp(SQLITE);
    await started.app.sets.add({ slug: 'maps', urlPrefix: PREFIX });
    assert.equal((await get('/sets/maps/sitemap.xml')).text, `${HEAD}</urlset>\n`);
    await post('maps', 'a&b.txt');
    const text = `${HEAD}<url><loc>${PREFIX}a&amp;b.txt</loc><lastmod>2026-01-31T12:00:00Z</lastmod></url>\n</urlset>\n`;
    const first = await get('/sets/maps/sitemap.xml', CRAWLER);
    assert.deepEqual([first.status, first.headers['content-type']], [200, 'application/xml; charset=utf-8']);
    assert.equal(first.text, text);
    assert.equal((await get('/sets/maps/sitemap.xml')).text, text);
    assert.doesNotMatch((await get('/sets/maps/capabilitylist.xml')).text, /sitemap\.xml/);
    // Another version is made of the older one.
    await post('maps', 'a.txt', 'c.txt');
    const again = (await get('/sets/maps/sitemap.xml')).text;
    assert.deepEqual(
      [...again.matchAll(/maps\/(.*?)</g)].map(([, name]) => name),
      ['a&amp;b.txt', 'a.txt', 'c.txt'],
    );
    assert.doesNotMatch(again, /rs:|openarchives/);
  });

  it('splits a sitemap where the Resource List is split, into pages of the same names', async () => {
    started = await startApp(SQLITE);
    await started.app.sets.add({ slug: 'maps', urlPrefix: PREFIX, pageEntries: 4 });
    await post('maps', ...Array.from({ length: 11 }, (_, at) => `${at + 10}.txt`));
    const index = (await get('/sets/maps/sitemap.xml')).text;
    assert.match(
      index,
      /^<\?xml .*\n<sitemapindex xmlns="[^"]*">\n(<sitemap><loc>[^<]*<\/loc><lastmod>[^<]*<\/lastmod><\/sitemap>\n)+<\/sitemapindex>\n$/,
    );
    const pages = [...index.matchAll(/<loc>(.*?)<\/loc>/g)].map(([, uri]) => uri!);
    const lists = [...(await get('/sets/maps/resourcelist.xml')).text.matchAll(/<loc>(.*?)<\/loc>/g)];
    assert.deepEqual(
      pages,
      lists.map(([, uri]) => uri!.replace('resourcelist-', 'sitemap-')),
    );
    const found: string[] = [];
    for (const page of pages) {
      const { text } = await ask(page, { headers: CRAWLER });
      assert.ok(text.startsWith(HEAD));
      found.push(...[...text.matchAll(/maps\/(\d+)\.txt</g)].map(([, number]) => number!));
    }
    assert.deepEqual(
      found,
      Array.from({ length: 11 }, (_, at) => String(at + 10)),
    );
    assert.equal((await get('/sets/maps/sitemap-1-00000099.xml')).status, 404);
  });

  it('names no sitemap in robots.txt unless the settings say so, and then those of public sets alone', async () => {
    started = await startApp(SQLITE, { token: new Secret('open-sesame'), robots: 'sitemaps' });
    await started.app.sets.add({ slug: 'maps', urlPrefix: PREFIX });
    await started.app.sets.add({ slug: 'sealed', urlPrefix: 'https://data.example.org/sealed/', private: true });
    await started.app.sets.add({ slug: 'early', origin: originOfRoot(await makeFolder(started, 'early')) });
    const expected = `User-agent: *\nDisallow:\nSitemap: ${started.url}/sets/maps/sitemap.xml\n`;
    for (const headers of [{}, { Authorization: 'Bearer open-sesame' }]) {
      const { status, headers: answered, text } = await get('/robots.txt', headers);
      assert.deepEqual([status, answered['content-type'], text], [200, 'text/plain; charset=utf-8', expected]);
    }
    // To those who may not read it, the sitemap of a private set is like one of a set that does not exist.
    const { status, text } = await get('/sets/sealed/sitemap.xml');
    const other = await get('/sets/nothing/sitemap.xml');
    assert.deepEqual([status, other.status], [404, 404]);
    const like = (answer: string) => answer.replaceAll('sealed', 'nothing').replace(/"requestId":"[^"]*"/, '');
    assert.equal(like(text), like(other.text));
    const own = await get('/sets/sealed/sitemap.xml', { Authorization: 'Bearer open-sesame' });
    assert.deepEqual([own.status, own.headers['cache-control']], [200, 'private, no-cache']);
  });

  it('keeps robots out when the settings say so, and says nothing by default', async () => {
    started = await startApp(SQLITE, { robots: 'disallow' });
    assert.equal((await get('/robots.txt')).text, 'User-agent: *\nDisallow: /\n');
    started = await startApp(SQLITE);
    await started.app.sets.add({ slug: 'maps', urlPrefix: PREFIX });
    assert.equal((await get('/robots.txt')).text, 'User-agent: *\nDisallow:\n');
  });
});
