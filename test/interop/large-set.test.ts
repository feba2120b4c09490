import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { shuffled } from '../support/builders.ts';
import { describeOnEachStore, onElasticsearch, SQLITE, type StoreKind } from '../support/each-store.ts';
import { useElasticsearch } from '../support/elasticsearch.ts';
import { closeApps, type StartedApp, startApp } from '../support/start-app.ts';
import { get, head, post } from './http.ts';
import { locsOf } from './lists.ts';

const PREFIX = 'https://elsewhere.example/records/';

const name = (number: number) => `${String(number).padStart(7, '0')}.xml`;
const created = (path: string, length = 1) => ({
  change: 'created',
  location: { type: 'rel_path', value: path },
  length,
});
const namesOf = (count: number) => Array.from({ length: count }, (_, number) => name(number));
const FEW = namesOf(25);

interface Size {
  readonly count: number;
  readonly pageEntries?: number;
  readonly most: number;
  /** What one page cannot take in, however empty it was cut. */
  readonly more: number;
}

describe('120,001 resources in pages of the usual size', () => {
  areListedInPages(SQLITE, { count: 120_001, most: 10_000, more: 10_000 });
});

describe('120,001 resources in pages of 50,000', () => {
  areListedInPages(SQLITE, { count: 120_001, pageEntries: 50_000, most: 50_000, more: 20_000 });
});

describe('30,001 resources in pages of the usual size, on Elasticsearch', () => {
  areListedInPages(onElasticsearch(useElasticsearch()), { count: 30_001, most: 10_000, more: 10_000 });
});

function areListedInPages(store: StoreKind, { count, pageEntries, most, more }: Size): void {
  const first = namesOf(count);
  /** What was posted so far, in order. */
  let names: readonly string[];
  let home: string;

  before(async () => {
    const { app, url } = await startApp(store);
    await app.sets.add({ slug: 'records', urlPrefix: PREFIX, pageEntries });
    home = `${url}/sets/records/`;
    names = first;
    await postCreated(home, shuffled(names));
  });

  after(closeApps);

  it('are listed once each, in pages that keep to the limit', async () => {
    const pages = await readPages(home);
    assert.ok(pages.length >= count / most);
    assertHold(pages, { names, most });
  });

  it('leave all other pages as they are when one changes', async () => {
    const pages = await readPages(home);
    await post(home, [created(name(count - 1000), Date.now())]);

    const changed: Page[] = [];
    for (const page of pages) {
      const now = await head(page.uri);
      if (now.headers.etag !== page.etag) changed.push(page);
      else {
        assert.equal((await get(page.uri, { 'if-none-match': page.etag })).status, 304, page.uri);
        assert.equal((await readPage(page.uri)).digest, page.digest, page.uri);
      }
    }
    assert.equal(changed.length, 1);
    assert.ok(changed[0]!.resources.includes(PREFIX + name(count - 1000)));
    assert.deepEqual(urisOf(await readPages(home)), urisOf(pages));
  });

  it(`are all there for a client that read the index before ${more} more came into the middle`, async () => {
    const pages = await readPages(home);
    const known = names;
    const middle = first[count >> 1]!;
    const others = Array.from({ length: more }, (_, number) => `${middle}-${name(number)}`);
    names = [...names, ...others].sort();
    await postCreated(home, shuffled(others));

    const now = await readPages(home);
    assertHold(now, { names, most });
    const split = pages.filter(({ uri }) => !urisOf(now).includes(uri));
    assert.equal(split.length, 1, 'one page is split, all others keep their names');
    const underOldNames = await Promise.all(pages.map(({ uri }) => readPage(uri)));
    const found = new Set(underOldNames.flatMap(({ resources }) => resources));
    assert.deepEqual(
      known.filter((path) => !found.has(PREFIX + path)),
      [],
    );
    for (const { resources } of underOldNames) assert.ok(resources.length <= most);
  });
}

describeOnEachStore('a name of a page or window', (store) => {
  let source: StartedApp;
  let home: string;

  beforeEach(async () => {
    source = await startApp(store);
    await source.app.sets.add({ slug: 'records', urlPrefix: PREFIX, pageEntries: 10, windowChanges: 10 });
    home = `${source.url}/sets/records/`;
    await postCreated(home, FEW);
  });

  afterEach(closeApps);

  it('that never was answers 404', async () => {
    for (const unknown of ['1-00000099', '1-00000000', '1-1', '2-00000001', 'x']) {
      for (const list of ['resourcelist', 'changelist']) {
        const { status, text } = await get(`${home}${list}-${unknown}.xml`);
        assert.equal(status, 404, `${list}-${unknown}`);
        assert.equal(JSON.parse(text).error.code, 'not-found');
      }
    }
  });

  it('of an earlier epoch answers 410, and the lists have others', async () => {
    const names = async () => [
      ...locsOf((await get(`${home}resourcelist.xml`)).text),
      ...locsOf((await get(`${home}changelist.xml`)).text),
    ];
    const before = await names();
    await source.app.sets.move('records', 'https://moved.example/records/');

    const now = await names();
    for (const uri of before) {
      assert.equal((await get(uri)).status, 410, uri);
      assert.ok(!now.includes(uri), uri);
    }
    const resources = (await readPages(home)).flatMap((page) => page.resources);
    assert.deepEqual(
      resources,
      FEW.map((path) => `https://moved.example/records/${path}`),
    );
  });
});

interface Page {
  readonly uri: string;
  readonly etag: string;
  readonly digest: string;
  readonly resources: readonly string[];
}

const urisOf = (pages: readonly Page[]) => pages.map(({ uri }) => uri);

const postCreated = (home: string, paths: readonly string[]) =>
  post(
    home,
    paths.map((path) => created(path)),
  );

/** Every page of the index as it is now. */
async function readPages(home: string): Promise<readonly Page[]> {
  const { text } = await get(`${home}resourcelist.xml`);
  assert.ok(text.includes('<sitemapindex'));
  return Promise.all(locsOf(text).map(readPage));
}

function assertHold(
  pages: readonly Page[],
  { names, most }: { readonly names: readonly string[]; readonly most: number },
): void {
  for (const { uri, resources } of pages) assert.ok(resources.length <= most, `${uri} has ${resources.length}`);
  const listed = pages.flatMap(({ resources }) => resources);
  assert.deepEqual(
    listed,
    names.map((path) => PREFIX + path),
  );
}

async function readPage(uri: string): Promise<Page> {
  const { status, headers, body, text } = await get(uri);
  assert.equal(status, 200, uri);
  const digest = createHash('sha256').update(body).digest('hex');
  return { uri, etag: headers.etag!, digest, resources: locsOf(text) };
}
