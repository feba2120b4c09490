import assert from 'node:assert/strict';
import { ask } from '../support/ask.ts';
import { SQLITE } from '../support/each-store.ts';
import { closeApps, type StartedApp, startApp } from '../support/start-app.ts';
import { BROWSER, event, pageAt, post, publishSets } from '../support/web-source.ts';

const DOCUMENTS = [
  '/.well-known/resourcesync',
  '/sets/maps/capabilitylist.xml',
  '/sets/maps/resourcelist.xml',
  '/sets/maps/resourcelist-1-00000001.xml',
  '/sets/maps/changelist.xml',
  '/sets/maps/changelist-recent.xml',
];

describe('Documents in a browser', () => {
  let started: StartedApp;
  beforeEach(async () => {
    started = await startApp(SQLITE);
    await publishSets(started);
  });
  afterEach(closeApps);

  const typeOf = async (path: string, accept?: string) => {
    const { headers } = await ask(started.url + path, { headers: accept === undefined ? {} : { Accept: accept } });
    return headers['content-type'];
  };

  it('are pages for clients that prefer HTML, and XML for all others', async () => {
    const XML = 'application/xml; charset=utf-8';
    const HTML = 'text/html; charset=utf-8';
    for (const path of DOCUMENTS) {
      for (const accept of [undefined, '*/*', 'application/xml', 'text/html;q=0.8, application/xml', 'text/*']) {
        assert.equal(await typeOf(path, accept), XML, `${path} for ${accept}`);
      }
      for (const accept of [BROWSER.Accept, 'text/html', 'text/html, */*;q=0.1']) {
        assert.equal(await typeOf(path, accept), HTML, `${path} for ${accept}`);
      }
      assert.equal(await typeOf(`${path}?format=xml`, BROWSER.Accept), XML);
    }
  });

  it('have the same bytes as XML however they are asked for, also after a page was', async () => {
    for (const path of DOCUMENTS) {
      const before = await ask(started.url + path);
      await pageAt(started.url + path);
      const raw = await ask(`${started.url + path}?format=xml`, { headers: BROWSER });
      const after = await ask(started.url + path, { headers: { Accept: '*/*' } });
      for (const answer of [raw, after]) {
        assert.deepEqual([answer.text, answer.headers.etag], [before.text, before.headers.etag]);
        assert.equal(answer.headers.vary, 'Accept, Accept-Encoding');
      }
    }
  });

  it('show what the XML contains', async () => {
    const list = await pageAt(`${started.url}/sets/maps/resourcelist-1-00000001.xml`);
    assert.match(list, /<h1>Page of the Resource List<\/h1>/);
    assert.match(list, /<a rel="up" href="\.\.\/\.\.\/sets\/maps\/capabilitylist\.xml">/);
    assert.match(list, /<link rel="index" href="\.\.\/\.\.\/sets\/maps\/resourcelist\.xml">/);
    assert.match(list, /<link rel="alternate" href="\?format=xml" type="application\/xml">/);
    const { text } = await ask(`${started.url}/sets/maps/changelist.xml`);
    const page = await pageAt(`${started.url}/sets/maps/changelist.xml`);
    for (const [, kind] of text.matchAll(/change="(\w+)"/g)) assert.ok(page.includes(`<span class="kind ${kind}">`));
    for (const [, time] of text.matchAll(/datetime="([^"]+)"/g)) assert.ok(page.includes(`<time datetime="${time}"`));
    assert.equal([...page.matchAll(/<th scope="row"/g)].length, [...text.matchAll(/<url>/g)].length);
    assert.match(page, /now: changes are still added/);
    const source = await pageAt(`${started.url}/.well-known/resourcesync`);
    assert.match(source, /href="\.\.\/sets\/maps\/capabilitylist\.xml"/);
  });

  it('show the times that their entries have, and no empty columns', async () => {
    const columnsOf = async (path: string) => {
      const page = await pageAt(started.url + path);
      const names = [...page.matchAll(/<th scope="col"[^>]*>([^<]*)</g)].map(([, name]) => name);
      return { names, saysUtc: page.includes('Times are UTC.') };
    };
    await started.app.sets.add({ slug: 'paged', urlPrefix: 'https://data.example.org/paged/', pageEntries: 10 });
    const many = Array.from({ length: 25 }, (_, at) => event(`sheet-${at}`));
    await post(started, 'paged', many);

    assert.deepEqual(await columnsOf('/sets/paged/resourcelist.xml'), {
      names: ['Document', 'Complete up to'],
      saysUtc: true,
    });
    assert.deepEqual(await columnsOf('/.well-known/resourcesync'), {
      names: ['Document', 'What it is'],
      saysUtc: false,
    });
  });

  it('show a hundred entries at a time', async () => {
    await started.app.sets.add({ slug: 'many', urlPrefix: 'https://data.example.org/many/', pageEntries: 1000 });
    await post(
      started,
      'many',
      Array.from({ length: 250 }, (_, at) => event(`sheet-${1000 + at}`)),
    );
    const seen: string[] = [];
    for (const page of ['', '?page=2', '?page=3']) {
      const text = await pageAt(`${started.url}/sets/many/resourcelist.xml${page}`);
      assert.match(text, /<dd>250 entries<\/dd>/);
      seen.push(...[...text.matchAll(/many\/<\/span>sheet-(\d+)<\/a>/g)].map(([, number]) => number!));
    }
    assert.deepEqual(
      seen,
      Array.from({ length: 250 }, (_, at) => String(1000 + at)),
    );
    assert.match(await pageAt(`${started.url}/sets/many/resourcelist.xml?page=99`), /Page 3 of 3/);
  });

  it('show the changes of a time, and where it goes on', async () => {
    const from = encodeURIComponent('2020-01-01T00:00:00Z');
    const text = await pageAt(`${started.url}/sets/maps/changelist.xml?from=${from}`);
    assert.match(text, /href="\?from=2020-01-01T00%3A00%3A00Z&amp;format=xml"/);
    const wrong = await ask(`${started.url}/sets/maps/changelist.xml?from=yesterday`, { headers: BROWSER });
    assert.equal(wrong.status, 400);
    assert.match(wrong.text, /<h1>This request is not valid<\/h1>/);
  });
});

describe('Documents of 50,000 entries in a browser', () => {
  afterEach(closeApps);

  it('are read without holding the thread', async () => {
    const started = await startApp(SQLITE);
    const urlPrefix = 'https://data.example.org/large/';
    const set = await started.app.sets.add({ slug: 'large', urlPrefix, pageEntries: 50_000 });
    const events = Array.from({ length: 50_000 }, (_, at) => {
      return {
        set: set.id,
        key: `/items/${100_000 + at}/a-long-name-of-a-file.tiff`,
        state: { length: at },
        weight: 600,
      };
    });
    await started.app.updater.post(events);
    const url = `${started.url}/sets/large/resourcelist.xml`;
    await ask(url);
    let last = '';
    const longest = await longestTurn(async () => {
      last = await pageAt(`${url}?page=500`);
    });
    assert.match(last, /Page 500 of 500/);
    assert.match(last, /items\/149999\//);
    // A quarter of what parsing all of it at once takes; the limit is far above the 50 ms that it must keep to, for a
    // slow machine.
    assert.ok(longest < 250, `the thread was held for ${Math.round(longest)} ms`);
  });
});

/**
 * Milliseconds for which this thread worked at most without a break, of its own processor time: what a busy machine
 * gives to others does not count.
 */
async function longestTurn(work: () => Promise<void>): Promise<number> {
  let longest = 0;
  let before = process.threadCpuUsage();
  const look = (): void => {
    const { user, system } = process.threadCpuUsage(before);
    longest = Math.max(longest, (user + system) / 1000);
    before = process.threadCpuUsage();
  };
  const timer = setInterval(look, 1);
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
  return longest;
}
