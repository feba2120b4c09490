import assert from 'node:assert/strict';
import { setSchema, setsSchema } from '../../src/api/resource-set-view.ts';
import {
  changesSchema,
  pageSchema,
  pagesSchema,
  resourceSchema,
  resourcesSchema,
} from '../../src/api/resource-view.ts';
import { originOfRoot } from '../../src/core/stored-set.ts';
import { ask, askJson } from '../support/ask.ts';
import { URL_PREFIX, upsert } from '../support/builders.ts';
import { describeOnEachStore } from '../support/each-store.ts';
import { closeApps, type StartedApp, startApp } from '../support/start-app.ts';

interface Listed {
  readonly resources?: { key: string }[];
  readonly changes?: { key: string; length?: number }[];
  readonly next?: string;
}

const MD5 = 'd41d8cd98f00b204e9800998ecf8427e';

describeOnEachStore('The JSON API', (store, itOnce) => {
  let started: StartedApp;
  let sets = 0;
  let slug: string;
  let set: string;
  before(async () => {
    started = await startApp(store);
  });
  // One source for all tests, and a set for each.
  beforeEach(async () => {
    sets += 1;
    slug = `papers-${sets}`;
    const urlPrefix = 'https://data.example.org/papers/';
    await started.app.sets.add({ slug, title: 'Open papers', urlPrefix, pageEntries: 2 });
    set = `${started.url}/api/sets/${slug}`;
    const names = ['a', 'b', 'c', 'd', 'e'];
    const changes: object[] = names.map((value) => ({ location: { value, type: 'rel_path' }, change: 'created' }));
    changes.push({
      location: { value: 'b', type: 'rel_path' },
      change: 'updated',
      length: 3,
      md5: MD5,
      mime: 'text/plain',
      lastmod: '2026-01-31T12:00:00Z',
      ln: [{ rel: 'describedby', href: { value: 'a', type: 'rel_path' } }],
    });
    changes.push({ location: { value: 'e', type: 'rel_path' }, change: 'deleted' });
    assert.equal((await askJson(`${set}/changes`, { changes })).body.applied, 7);
  });
  after(closeApps);

  async function get(url: string): Promise<unknown> {
    const { status, body } = await askJson(url);
    assert.equal(status, 200, JSON.stringify(body));
    return body;
  }

  itOnce('shows the order of a resource, and that of each of its changes', async () => {
    const event = { location: { value: 'a', type: 'rel_path' }, change: 'updated', length: 1 };
    const changes = [{ ...event, order: 4 }, { ...event, order: 9 }, { ...event, length: 2 }, event];
    const { results } = (await askJson(`${set}/changes`, { changes: [...changes, { ...event, order: 5 }] })).body;
    assert.deepEqual(
      results.map(({ status, reason }: { status: string; reason?: string }) => reason ?? status),
      ['applied', 'same-state', 'applied', 'applied', 'superseded'],
    );
    const [a, b] = resourcesSchema.parse(await get(`${set}/resources`)).resources;
    assert.deepEqual([a!.order, b!.order], [9, undefined]);
    const listed = changesSchema.parse(await get(`${set}/changes`)).changes.filter(({ key }) => key === '/a');
    assert.deepEqual(
      listed.map(({ order }) => order),
      [undefined, 4, 9, 9],
    );
  });

  itOnce('lists the sets, some at a time', async () => {
    const { app, url } = await startApp(store);
    for (const slug of ['atlas', 'papers', 'zoo']) await app.sets.add({ slug, urlPrefix: 'https://data.example.org/' });
    const seen: string[] = [];
    for (let after: string | undefined = ''; after !== undefined; ) {
      const { sets, next } = setsSchema.parse(await get(`${url}/api/sets?limit=2&after=${after}`));
      seen.push(...sets.map(({ set }) => set));
      after = next;
    }
    assert.deepEqual(seen, ['atlas', 'papers', 'zoo']);
  });

  it('returns one set, with its figures and its documents', async () => {
    const { lastChange, ...rest } = setSchema.parse(await get(set));
    assert.match(lastChange ?? '', /^\d{4}-.*Z$/);
    assert.deepEqual(rest, {
      set: slug,
      title: 'Open papers',
      ready: true,
      resources: 4,
      changes: 7,
      urlPrefix: 'https://data.example.org/papers/',
      hasRoot: false,
      private: false,
      exclude: [],
      publishHashes: [],
      pageSize: 2,
      windowSize: 50_000,
      epoch: 1,
      documents: {
        capabilityList: `${started.url}/sets/${slug}/capabilitylist.xml`,
        resourceList: `${started.url}/sets/${slug}/resourcelist.xml`,
        changeList: `${started.url}/sets/${slug}/changelist.xml`,
        changeListArchive: `${started.url}/sets/${slug}/changelist-archive.xml`,
        recentChanges: `${started.url}/sets/${slug}/changelist-recent.xml`,
      },
    });
  });

  itOnce('lists the resources that are live, each once, some at a time', async () => {
    const seen: string[] = [];
    for (let after: string | undefined = ''; after !== undefined; ) {
      const url = `${set}/resources?limit=2&after=${encodeURIComponent(after)}`;
      const { resources, next } = resourcesSchema.parse(await get(url));
      seen.push(...resources.map(({ key }) => key));
      after = next;
    }
    assert.deepEqual(seen, ['/a', '/b', '/c', '/d']);
  });

  itOnce('returns all of one resource, by its URI or its key', async () => {
    const uri = 'https://data.example.org/papers/b';
    const byUri = resourceSchema.parse(await get(`${set}/resource?uri=${encodeURIComponent(uri)}`));
    assert.deepEqual(byUri, resourceSchema.parse(await get(`${set}/resource?key=/b`)));
    const { changed, created, page, ...rest } = byUri;
    assert.ok(created < changed);
    assert.match((await ask(page!)).text, new RegExp(`<loc>${uri}</loc>`));
    assert.deepEqual(rest, {
      uri,
      key: '/b',
      lastmod: '2026-01-31T12:00:00Z',
      length: 3,
      mime: 'text/plain',
      hashes: { md5: MD5 },
      ln: [{ rel: 'describedby', href: 'https://data.example.org/papers/a' }],
    });
  });

  itOnce('says why a resource is not found', async () => {
    const gone = await askJson(`${set}/resource?key=/e`);
    assert.equal(gone.status, 404);
    assert.match(gone.body.error.deleted, /Z$/);
    assert.equal((await askJson(`${set}/resource?key=/nothing`)).status, 404);
    assert.equal((await askJson(`${set}/resource`)).status, 400);
    const { error } = (await askJson(`${set}/resource?uri=b`)).body;
    assert.deepEqual([error.code, error.field], ['not-a-uri', 'uri']);
  });

  it('lists every change in order, some at a time', async () => {
    const seen: string[] = [];
    let url: string | undefined = `${set}/changes?limit=3`;
    while (url !== undefined) {
      const { changes, next } = changesSchema.parse(await get(url));
      seen.push(...changes.map(({ change, key }) => `${change} ${key}`));
      url = next && `${set}/changes?limit=3&from=${next}`;
    }
    const created = ['a', 'b', 'c', 'd', 'e'].map((name) => `created /${name}`);
    assert.deepEqual(seen, [...created, 'updated /b', 'deleted /e']);
  });

  itOnce('lists fewer entries than were asked for when they are large', async () => {
    const { app, url } = started;
    const { id } = await app.sets.add({ slug: 'large', urlPrefix: URL_PREFIX });
    // A megabyte.
    const links = Array.from({ length: 1000 }, () => ({ rel: 'item', href: `/${'l'.repeat(1000)}` }));
    const keys = Array.from({ length: 10 }, (_, at) => `/${String(at).padStart(2, '0')}`);
    await app.updater.post(keys.map((key) => upsert(id, key.slice(1), { links })));
    await app.updater.post([...keys.keys()].map((length) => upsert(id, '00', { links, length })));
    const pages = async (path: string, from: string, keyOf: (entry: { key: string; length?: number }) => unknown) => {
      const seen: unknown[][] = [];
      for (let query = ''; ; ) {
        const { resources, changes, next } = (await get(`${url}/api/sets/large/${path}limit=1000${query}`)) as Listed;
        seen.push((resources ?? changes ?? []).map(keyOf));
        if (next === undefined) return seen;
        query = `&${from}=${encodeURIComponent(next)}`;
      }
    };
    const keyOf = ({ key }: { key: string }) => key;
    const lengths = [...[...keys.keys()].reverse(), undefined];
    const updates = keys.map(() => '/00');
    for (const [path, from, entry, expected] of [
      ['resources?', 'after', keyOf, keys],
      ['resources?contains=/&', 'after', keyOf, keys],
      ['changes?', 'from', keyOf, [...keys, ...updates]],
      ['changes/latest?', 'until', keyOf, [...updates, ...keys.toReversed()]],
      ['resource/history?key=/00&', 'until', ({ length }: { length?: number }) => length, lengths],
    ] as const) {
      const seen = await pages(path, from, entry);
      assert.deepEqual(seen.flat(), expected, path);
      for (const { length } of seen) assert.ok(length > 0 && length <= 8, `${path} ${length}`);
    }
    const page = await ask(`${url}/sets/large/resource?key=/00`);
    assert.ok(page.text.split('<tr').length <= 10);
    assert.ok(page.text.includes('Older'));
  });

  itOnce('refuses a limit that is not a valid number', async () => {
    for (const limit of ['0', '-1', '1.5', 'x', '10001', '']) {
      const { status, body } = await askJson(`${set}/changes?limit=${limit}`);
      assert.deepEqual([status, body.error.field], [400, 'limit'], limit);
    }
  });

  itOnce('lists the pages of the Resource List, and renders one anew', async () => {
    const before = pagesSchema.parse(await get(`${set}/pages`)).pages;
    assert.deepEqual(
      before.map(({ entries }) => entries).reduce((sum, entries) => sum + entries),
      4,
    );
    const [, second] = before;
    assert.ok(second);
    const { status, text } = await ask(`${set}/pages/${second.name}/refresh`, { method: 'POST' });
    assert.equal(status, 200, text);
    const refreshed = pageSchema.parse(JSON.parse(text));
    assert.equal(refreshed.name, second.name);
    const { headers } = await ask(refreshed.uri);
    assert.equal(headers.etag, `"${refreshed.digest}"`);
    assert.equal((await ask(`${set}/pages/nothing/refresh`, { method: 'POST' })).status, 404);
  });

  itOnce('says whether the server is alive, and whether it is ready', async () => {
    assert.equal((await ask(`${started.url}/healthz`)).status, 200);
    assert.equal((await ask(`${started.url}/readyz`)).status, 200);
    await started.app.sets.add({ slug: 'scanning', origin: originOfRoot(started.folder) });
    const { status, body } = await askJson(`${started.url}/readyz`);
    assert.deepEqual([status, body.error.scanning], [503, ['scanning']]);
    await started.app.sets.markReady('scanning');
    assert.equal((await ask(`${started.url}/readyz`)).status, 200);
  });
});
