import assert from 'node:assert/strict';
import { request } from 'node:http';
import { SaxesParser } from 'saxes';
import { ask } from '../support/ask.ts';
import { SQLITE } from '../support/each-store.ts';
import { closeApps, type StartedApp, startApp } from '../support/start-app.ts';
import { event, post } from '../support/web-source.ts';

describe('The Atom feed of a set', () => {
  let started: StartedApp;
  let url: string;
  beforeEach(async () => {
    started = await startApp(SQLITE);
    await started.app.sets.add({
      slug: 'maps',
      title: 'Maps & <plans>',
      urlPrefix: 'https://data.example.org/maps/',
    });
    url = `${started.url}/sets/maps/changes.atom`;
  });
  afterEach(closeApps);

  it('has the newest changes, each with a name of its own, in the order and by the rules of RFC 4287', async () => {
    await post(started, 'maps', [
      event('a & b.tif', { length: 3_000_000, mime: 'image/tiff' }),
      ...Array.from({ length: 99 }, (_, at) => event(`sheet ${at}`)),
      event('a & b.tif', { change: 'deleted' }),
    ]);
    const { headers, text } = await ask(url);
    assert.equal(headers['content-type'], 'application/atom+xml; charset=utf-8');
    const feed = parsed(text);
    assert.deepEqual(
      [feed.title, feed.id],
      ['Changes of Maps & <plans>', `${started.app.configuration.baseUrl}/sets/maps/changes.atom`],
    );
    assert.deepEqual([feed.titles.length, new Set(feed.ids).size], [100, 100]);
    assert.deepEqual(feed.titles.slice(0, 2), ['a & b.tif (deleted)', 'sheet 98 (created)']);
    assert.deepEqual(feed.times, feed.times.toSorted().toReversed());
    assert.equal(feed.updated, feed.times[0]);
    assert.ok(feed.related.includes('https://data.example.org/maps/sheet%2098'));
  });

  it('is valid without a change, and linked from the pages of its set', async () => {
    const feed = parsed((await ask(url)).text);
    assert.deepEqual(feed.titles, []);
    assert.ok(!Number.isNaN(Date.parse(feed.updated)));
    for (const path of ['', 'changes']) {
      const { text } = await ask(`${started.url}/sets/maps/${path}`, { headers: { Accept: 'text/html' } });
      assert.match(text, /<link rel="alternate" href="\.\/changes\.atom" type="application\/atom\+xml"/);
    }
  });

  it('is not sent again while nothing has changed', async () => {
    await post(started, 'maps', [event('a')]);
    const { headers } = await ask(url);
    const etag = headers.etag!;
    assert.equal(await statusOf(url, { 'If-None-Match': etag }), 304);
    assert.equal(await statusOf(url, { 'If-Match': '"another"' }), 412);
    await post(started, 'maps', [event('b')]);
    assert.equal(await statusOf(url, { 'If-None-Match': etag }), 200);
  });
});

/** The fetch of Node makes a conditional request one that no cache may answer. */
function statusOf(url: string, headers: Record<string, string>): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    request(url, { headers }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode));
    })
      .once('error', reject)
      .end();
  });
}

function parsed(text: string) {
  const parser = new SaxesParser({ xmlns: true });
  const path: string[] = [];
  const texts = new Map<string, string[]>();
  const related: string[] = [];
  parser.on('opentag', ({ local, uri, attributes }) => {
    assert.equal(uri, 'http://www.w3.org/2005/Atom');
    path.push(local);
    if (local === 'link' && attributes.rel?.value === 'related') related.push(attributes.href!.value);
  });
  parser.on('text', (value) => {
    const name = path.join('/');
    if (value.trim() !== '') texts.set(name, [...(texts.get(name) ?? []), value]);
  });
  parser.on('closetag', () => void path.pop());
  parser.write(text).close();
  const all = (name: string) => texts.get(name) ?? [];
  return {
    id: all('feed/id')[0],
    title: all('feed/title')[0],
    updated: all('feed/updated')[0]!,
    ids: all('feed/entry/id'),
    titles: all('feed/entry/title'),
    times: all('feed/entry/updated'),
    related,
  };
}
