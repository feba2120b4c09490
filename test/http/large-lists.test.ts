import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import type { ChangeEvent } from '../../src/core/change.ts';
import { entryWeight } from '../../src/core/entry-weight.ts';
import { ask } from '../support/ask.ts';
import { upsert } from '../support/builders.ts';
import { SQLITE } from '../support/each-store.ts';
import { closeApps, type StartedApp, startApp } from '../support/start-app.ts';

const MOST = 50_000;

describe('An index', () => {
  let started: StartedApp;

  beforeEach(async () => {
    started = await startApp(SQLITE);
  });
  afterEach(closeApps);

  it('lists at most 50,000 pages, which are larger than the set says when they would be more', async () => {
    const { id } = await started.app.sets.add({ slug: 's', urlPrefix: 'https://example.org/s/', pageEntries: 1 });
    await post(id, 0, 40_000);
    const before = partsOf(await read('/sets/s/resourcelist.xml'));
    assert.equal(before.length, 40_000);
    await post(id, 40_000, MOST + 10);

    const index = await read('/sets/s/resourcelist.xml');
    const parts = partsOf(index);
    assert.ok(parts.length > 1 && parts.length <= MOST, String(parts.length));
    const first = partsOf(await read(new URL(parts[0]!).pathname), 'url');
    assert.equal(first.length, 3);
    assert.equal(first[0], 'https://example.org/s/00000');
    const last = partsOf(await read(new URL(parts.at(-1)!).pathname), 'url');
    assert.equal(last.at(-1), `https://example.org/s/${MOST + 9}`);
    const former = partsOf(await read(new URL(before[0]!).pathname), 'url');
    assert.deepEqual(former, ['https://example.org/s/00000']);
  }).timeout(60_000);

  it('has larger pages than the set says when their keys would take too many bytes of the catalog', async () => {
    const { id } = await started.app.sets.add({ slug: 's', urlPrefix: 'https://example.org/s/', pageEntries: 1 });
    const long = (number: number) => upsert(id, `${'k'.repeat(1_990)}${String(number).padStart(5, '0')}`);
    const postLong = (from: number, to: number) =>
      started.app.updater.post(Array.from({ length: to - from }, (_, at) => long(from + at)));
    await postLong(0, 3_000);
    const before = partsOf(await read('/sets/s/resourcelist.xml'));
    assert.equal(before.length, 3_000);
    // The pages that were there are kept for a day, beside the new ones.
    await postLong(3_000, 5_000);

    const parts = partsOf(await read('/sets/s/resourcelist.xml'));
    assert.ok(parts.length > 1 && parts.length <= 2_000, String(parts.length));
    const bytes = sizeOfDirectory();
    assert.ok(bytes <= 40 * 1024 * 1024, String(bytes));
    const last = partsOf(await read(new URL(parts.at(-1)!).pathname), 'url');
    assert.ok(last.at(-1)?.endsWith('04999'));
    const former = partsOf(await read(new URL(before.at(-1)!).pathname), 'url');
    assert.deepEqual(
      former.map((uri) => uri.slice(-5)),
      ['02999'],
    );
    // The same set, surveyed as a whole.
    await started.app.sets.move('s', 'https://example.org/t/');
    const moved = partsOf(await read('/sets/s/resourcelist.xml'));
    assert.ok(moved.length > 1 && moved.length <= 2_500, String(moved.length));
  }).timeout(60_000);

  it('lists the newest 50,000 windows of changes, from where the first of them begins', async () => {
    const { id } = await started.app.sets.add({ slug: 's', urlPrefix: 'https://example.org/s/', windowChanges: 1 });
    await post(id, 0, MOST + 10);

    const index = await read('/sets/s/changelist.xml');
    const parts = partsOf(index);
    assert.equal(parts.length, MOST);
    const begins = /<rs:md capability="changelist" from="(.*?)"/.exec(index)?.[1];
    assert.equal(/<sitemap>.*? from="(.*?)"/.exec(index)?.[1], begins);
    const first = await read(new URL(parts[0]!).pathname);
    assert.deepEqual(partsOf(first, 'url'), ['https://example.org/s/00010']);
    assert.match(first, new RegExp(`capability="changelist" from="${begins}"`));
  }).timeout(60_000);

  it('lists the parts of a Source Description of more than 50,000 sets', async () => {
    const { id } = await started.app.sets.add({ slug: 'some', urlPrefix: 'https://example.org/s/' });
    assert.match(await read('/.well-known/resourcesync'), /<urlset/);
    addSetsLike(id, MOST);

    const index = await read('/.well-known/resourcesync');
    assert.match(index, /<sitemapindex.*\n<rs:ln rel="describedby" .*\n<rs:md capability="description"\/>/);
    const parts = partsOf(index);
    assert.equal(parts.length, 2);
    const lists = [];
    for (const part of parts) {
      const text = await read(new URL(part).pathname);
      assert.match(
        text,
        /<rs:ln rel="index" href=".*\/\.well-known\/resourcesync"\/>\n<rs:md capability="description"\/>/,
      );
      const listed = partsOf(text, 'url');
      assert.ok(listed.length <= MOST);
      lists.push(...listed);
    }
    assert.equal(new Set(lists).size, MOST + 1);
    assert.equal((await ask(`${started.url}/description-00003.xml`)).status, 404);
  }).timeout(60_000);

  it('has pages of at most 50 MB, also after a move to a longer prefix', async () => {
    const { sets, updater } = started.app;
    const urlPrefix = 'http://a.org/';
    const { id } = await sets.add({ slug: 's', urlPrefix });
    const links = Array.from({ length: 1000 }, () => ({ rel: 'item', href: '/x' }));
    for (let at = 0; at < 800; at += 80) {
      const keys = Array.from({ length: 80 }, (_, more) => `/${at + more}`);
      const event = (key: string) => ({
        set: id,
        key,
        state: { links },
        weight: entryWeight(urlPrefix, key, { links }),
      });
      await updater.post(keys.map(event));
    }
    const lengthOf = async (path: string) => {
      const { headers } = await ask(started.url + path, { method: 'HEAD' });
      return Number(headers['content-length']);
    };
    assert.ok((await lengthOf('/sets/s/resourcelist.xml')) > 28_000_000, 'one page is enough');

    await sets.move('s', `http://a.org/${'b'.repeat(47)}/`);
    const pages = partsOf(await read('/sets/s/resourcelist.xml'));
    assert.ok(pages.length > 1);
    for (const page of pages) assert.ok((await lengthOf(new URL(page).pathname)) <= 52_428_800);
  }).timeout(60_000);

  async function post(set: number, from: number, to: number): Promise<void> {
    for (let at = from; at < to; at += 10_000) {
      const events: ChangeEvent[] = [];
      for (let number = at; number < Math.min(at + 10_000, to); number++) {
        events.push(upsert(set, String(number).padStart(5, '0')));
      }
      await started.app.updater.post(events);
    }
  }

  function sizeOfDirectory(): number {
    const database = new DatabaseSync(`${started.folder}/tidemark.db`);
    const row = database.prepare(`SELECT max(length(body)) AS bytes FROM catalog WHERE kind = 'page-directory'`).get();
    database.close();
    return row?.bytes as number;
  }

  /** Puts copies of a set into the catalog at once: to add them one by one would take minutes. */
  function addSetsLike(id: number, count: number): void {
    const database = new DatabaseSync(`${started.folder}/tidemark.db`);
    database
      .prepare(
        `WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?)
         INSERT INTO catalog (kind, id, version, body)
         SELECT kind, printf('%010d', ? + n), version + n, json_set(body, '$.id', ? + n, '$.slug', 'copy-' || n)
         FROM catalog, numbers WHERE kind = 'set' AND id = printf('%010d', ?)`,
      )
      .run(count, id, id, id);
    database.close();
  }

  async function read(path: string): Promise<string> {
    const { status, text } = await ask(started.url + path);
    assert.equal(status, 200, text);
    return text;
  }

  function partsOf(text: string, element = 'sitemap'): readonly string[] {
    return [...text.matchAll(new RegExp(`<${element}><loc>(.*?)</loc>`, 'g'))].map(([, uri]) => uri!);
  }
});
