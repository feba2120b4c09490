import assert from 'node:assert/strict';
import { text } from 'node:stream/consumers';
import { openArtifacts } from '../../../src/artifacts/open-artifacts.ts';
import { isTidemarkError } from '../../../src/core/errors.ts';
import type { ResourceSet } from '../../../src/core/resource-set.ts';
import { DumpArchives } from '../../../src/publish/archives/dump-archives.ts';
import { KnownArchives } from '../../../src/publish/archives/known-archives.ts';
import { DocumentCache, type RenderTask } from '../../../src/publish/cache/document-cache.ts';
import { writeDocument } from '../../../src/publish/cache/document-files.ts';
import type { SetDocumentKey } from '../../../src/publish/documents.ts';
import { KnownDumps } from '../../../src/publish/dumps/known-dumps.ts';
import type { StoredDirectory } from '../../../src/publish/pages/stored-directory.ts';
import type { PublishedDocument } from '../../../src/publish/published-document.ts';
import { Publisher } from '../../../src/publish/publisher.ts';
import { render } from '../../../src/publish/render/render-job.ts';
import { SetRegistry } from '../../../src/sets/set-registry.ts';
import { catalogId } from '../../../src/stores/document-of-set.ts';
import { openStores, type Stores } from '../../../src/stores/open-stores.ts';
import { upsert } from '../../support/builders.ts';
import { withAfter } from '../../support/published-sets.ts';
import { useTempFolder } from '../../support/temp-folder.ts';

const BASE_URL = 'https://data.example.org';

/** Without a server: the documents are rendered in the thread of the test. */
describe('A publisher', () => {
  const folder = useTempFolder();
  let stores: Stores;
  let sets: SetRegistry;
  let maps: ResourceSet;
  let publisher: Publisher;
  /** The documents that were rendered, by their files. */
  let rendered: string[];

  beforeEach(async () => {
    stores = await openStores({ kind: 'sqlite', file: folder.at('store.db') });
    sets = new SetRegistry(stores.catalog, stores.index);
    await sets.useBaseUrl(BASE_URL, false);
    maps = await sets.add({ slug: 'maps', pageEntries: 3 });
    rendered = [];
    publisher = newPublisher();
    await commit('b', 'd', 'h', 'j');
  });
  afterEach(() => stores.close());

  function newPublisher({ index, catalog }: Pick<Stores, 'index' | 'catalog'> = stores): Publisher {
    const cache = new DocumentCache({
      folder: folder.at('documents'),
      mostBytes: 1_000_000_000,
      async render(record: string, { job, newest, immutable = false }: RenderTask) {
        rendered.push(record.replace(/.*\/(.*)@.*/, '$1'));
        return writeDocument(record, render(job, index), { newest, immutable });
      },
    });
    const renderer = { survey: (...asked: Parameters<typeof index.survey>) => index.survey(...asked) };
    const archives = new KnownArchives(catalog);
    const artifacts = openArtifacts({ kind: 'folder', folder: folder.at('artifacts') });
    return new Publisher({
      index,
      catalog,
      sets,
      cache,
      renderer,
      dumps: new KnownDumps(catalog),
      archives,
      dumpArchives: new DumpArchives({ catalog, sets, artifacts, known: archives }),
      hub: { kind: 'none' },
    });
  }

  const commit = (...paths: readonly string[]) => stores.index.commit(paths.map((path) => upsert(maps.id, path)));
  async function read(key: SetDocumentKey): Promise<string> {
    return textOf(await publisher.setDocument(key));
  }
  const resourceList = { kind: 'resourceList', set: 'maps' } as const;
  const namesOf = (document: string) =>
    [...document.matchAll(/<loc>([^<]*)/g)].map(([, uri]) => uri!.split('/').at(-1));

  it('publishes the sets that it is to list', async () => {
    const other = await sets.add({ slug: 'texts' });
    const document = await publisher.sourceDocument({ kind: 'sourceDescription' }, [other]);
    const body = await textOf(document);
    assert.ok(body.includes(`${BASE_URL}/sets/texts/capabilitylist.xml`));
    assert.ok(!body.includes('/sets/maps/'));
    const part = { kind: 'sourceDescriptionPart', part: '1' } as const;
    await assert.rejects(publisher.sourceDocument(part, [other]), (error) => isTidemarkError(error, 'not-found'));
  });

  it('publishes a part of the Source Description of very many sets', async () => {
    const shown = Array.from({ length: 50_001 }, (_, at) => ({ ...maps, id: at + 1, slug: `set-${at}` }));
    const document = await publisher.sourceDocument({ kind: 'sourceDescriptionPart', part: '00002' }, shown);
    const body = await textOf(document);
    assert.deepEqual(
      [...body.matchAll(/<loc>([^<]*)/g)].map(([, uri]) => uri),
      [`${BASE_URL}/sets/set-50000/capabilitylist.xml`],
    );
  });

  it('publishes a list and its pages with every change that was committed before', async () => {
    assert.deepEqual(namesOf(await read(resourceList)), ['resourcelist-1-00000001.xml', 'resourcelist-1-00000002.xml']);
    await commit('c');
    assert.deepEqual(namesOf(await read({ kind: 'resourceListPage', set: 'maps', name: '1-00000001' })), [
      'b',
      'c',
      'd',
    ]);
    assert.deepEqual(namesOf(await read({ kind: 'changeList', set: 'maps' })), ['b', 'd', 'h', 'j', 'c']);
    await assert.rejects(read({ kind: 'resourceListPage', set: 'maps', name: '1-00000009' }), (error) =>
      isTidemarkError(error, 'not-found'),
    );
  });

  it('publishes the changes of the time that a client asks for', async () => {
    const [, second] = await stores.index.latest(maps.id, { limit: 3 });
    const range = { from: second!.stamp - 1, until: undefined };
    assert.deepEqual(namesOf(await read({ kind: 'changeList', set: 'maps', range })), ['h', 'j']);
  });

  it('publishes only the Capability List of a set that is not complete yet, and says why', async () => {
    await sets.add({ slug: 'scanned', origin: { kind: 'folder', path: folder.path } });
    assert.match(await read({ kind: 'capabilityList', set: 'scanned' }), /capability="changelist"/);
    const isNotReady = (why: RegExp) => (error: unknown) =>
      isTidemarkError(error, 'not-ready') && why.test(error.message);
    await assert.rejects(read({ kind: 'resourceList', set: 'scanned' }), isNotReady(/read for the first time/));
    await assert.rejects(publisher.pages('scanned'), isNotReady(/read for the first time/));
    const { body, version } = (await stores.catalog.get<object>('set', catalogId(maps.id)))!;
    const moving = { ...body, ready: false, moving: { ready: true } };
    await stores.catalog.put('set', catalogId(maps.id), moving, version);
    await assert.rejects(read(resourceList), isNotReady(/moved/));
  });

  it('renders a document again only when its bytes can be others', async () => {
    const one = { kind: 'resourceListPage', set: 'maps', name: '1-00000001' } as const;
    const before = await read(one);
    await commit('x');
    assert.equal(await read(one), before);
    assert.deepEqual(rendered, ['resourcelist-1-00000001']);
    await sets.change('maps', { publishHashes: ['md5'] });
    await read(one);
    assert.equal(rendered.length, 2, 'it may have other hashes');
    await sets.move('maps', 'https://elsewhere.example.org/');
    assert.match(await read(resourceList), /resourcelist-2-00000001/);
    assert.match(await read({ ...one, name: '2-00000001' }), /https:\/\/elsewhere.example.org\/b/);
  });

  it('publishes under its new base URL when the source has moved', async () => {
    await sets.change('maps', { title: 'Maps' });
    assert.ok((await read(resourceList)).includes(`${BASE_URL}/sets/maps/capabilitylist.xml`));
    const { body, version } = (await stores.catalog.get<object>('source', 'source'))!;
    await stores.catalog.put('source', 'source', { ...body, baseUrl: 'https://new.example.org' }, version);
    const moved = await read(resourceList);
    assert.ok(moved.includes('https://new.example.org/sets/maps/capabilitylist.xml'));
    assert.ok(!moved.includes(BASE_URL));
  });

  it('lists its pages, with the size of those that were rendered', async () => {
    const bare = await publisher.pages('maps');
    const changes = await stores.index.latest(maps.id, { limit: 3 });
    assert.deepEqual(bare, [
      { name: '1-00000001', from: '', entries: 2, version: changes[2]!.stamp },
      { name: '1-00000002', from: '/h', entries: 2, version: changes[0]!.stamp },
    ]);
    const document = await publisher.setDocument({ kind: 'resourceListPage', set: 'maps', name: '1-00000002' });
    const { lengths, digest, rendered } = document;
    const [first, second] = await publisher.pages('maps');
    assert.deepEqual(first, bare[0]);
    assert.deepEqual(second, { ...bare[1], length: lengths.identity, digest, rendered });
    const some = await publisher.pagesFrom('maps', { start: 1, most: 5 });
    assert.deepEqual(some, { pages: [second], total: 2 });
    assert.deepEqual(await publisher.pagesFrom('maps', { start: 0, most: 1 }), { pages: [first], total: 2 });
  });

  it('renders one page again on request, and no other', async () => {
    await publisher.setDocument({ kind: 'resourceListPage', set: 'maps', name: '1-00000002' });
    const page = await publisher.refreshPage('maps', '1-00000002');
    assert.deepEqual(rendered, ['resourcelist-1-00000002', 'resourcelist-1-00000002']);
    assert.ok(page.name === '1-00000002' && page.length! > 0);
    await assert.rejects(publisher.refreshPage('maps', '1-00000003'), (error) => {
      return isTidemarkError(error, 'not-found') && error.details.name === '1-00000003';
    });
  });

  it('counts the pages that are cached in their current version, of one page and of several', async () => {
    assert.deepEqual(await publisher.countPages(), { current: 0, outOfDate: 0 });
    const small = await sets.add({ slug: 'small' });
    await stores.index.commit([upsert(small.id, 'only')]);
    await read({ kind: 'resourceList', set: 'small' });
    assert.deepEqual(await publisher.countPages(), { current: 1, outOfDate: 0 });
    await read(resourceList);
    await read({ kind: 'resourceListPage', set: 'maps', name: '1-00000002' });
    assert.deepEqual(await publisher.countPages(), { current: 2, outOfDate: 1 });
    await commit('j1');
    await read(resourceList);
    assert.deepEqual(await publisher.countPages(), { current: 1, outOfDate: 2 });
  });

  it('counts no pages of a set that was removed', async () => {
    const removed = await sets.add({ slug: 'removed' });
    await stores.index.commit([upsert(removed.id, 'only')]);
    await read({ kind: 'resourceList', set: 'removed' });
    assert.deepEqual(await publisher.countPages(), { current: 1, outOfDate: 0 });
    await sets.remove('removed');
    await sets.list();
    assert.deepEqual(await publisher.countPages(), { current: 0, outOfDate: 0 });
    await read(resourceList);
    assert.deepEqual(await publisher.countPages(), { current: 0, outOfDate: 2 });
  });

  it('lets others work while it counts very many pages', async () => {
    const many = await sets.add({ slug: 'many', pageEntries: 1 });
    await stores.index.commit(Array.from({ length: 2_001 }, (_, at) => upsert(many.id, `${at}`)));
    await read({ kind: 'resourceList', set: 'many' });
    let isCounting = true;
    let turns = 0;
    const turn = () => {
      if (!isCounting) return;
      turns += 1;
      setImmediate(turn);
    };
    setImmediate(turn);
    assert.deepEqual(await publisher.countPages(), { current: 0, outOfDate: 2_001 });
    isCounting = false;
    assert.ok(turns > 0 && turns < 10, `${turns} turns`);
  });

  it('loads the pages of a set once', async () => {
    let loads = 0;
    const catalog = withAfter(stores.catalog, 'get', async () => {
      loads += 1;
    });
    publisher = newPublisher({ ...stores, catalog });
    await read(resourceList);
    await read(resourceList);
    assert.equal(loads, 1);
  });

  it('goes on with its pages while the set is the same, and with others in a new epoch', async () => {
    await read(resourceList);
    await sets.change('maps', { title: 'Maps' });
    const before = (await stores.catalog.get('page-directory', catalogId(maps.id)))!.version;
    await read(resourceList);
    assert.equal((await stores.catalog.get('page-directory', catalogId(maps.id)))!.version, before);
    const { epoch } = await sets.renew('maps');
    assert.deepEqual(
      (await publisher.pages('maps')).map(({ name }) => name),
      [`${epoch}-00000001`, `${epoch}-00000002`],
    );
  });

  it('stores at its end what it has counted', async () => {
    await read(resourceList);
    await commit('c');
    await read(resourceList);
    await publisher.close();
    const stored = await stores.catalog.get<StoredDirectory>('page-directory', catalogId(maps.id));
    assert.equal(stored!.body.pages[0]!.entries, 3);
  });
});

async function textOf(document: PublishedDocument): Promise<string> {
  const body = await document.open('identity');
  return Buffer.isBuffer(body) ? body.toString() : text(body);
}
