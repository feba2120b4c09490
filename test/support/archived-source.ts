import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { type App, openApp } from '../../src/app.ts';
import type { ArtifactStore } from '../../src/artifacts/artifact-store.ts';
import { openArtifacts } from '../../src/artifacts/open-artifacts.ts';
import { chooseChain } from '../../src/backup/choose-chain.ts';
import { type Archived, type ArchiveInput, archiveLog } from '../../src/backup/log-archive.ts';
import { type RebuildInput, type Rebuilt, rebuild } from '../../src/backup/rebuild-store.ts';
import { partName } from '../../src/publish/pages/document-name.ts';
import type { PublishedDocument } from '../../src/publish/published-document.ts';
import type { StoreLocation } from '../../src/stores/locations.ts';
import { openStores } from '../../src/stores/open-stores.ts';
import { collect, deletion, shuffled, upsert } from './builders.ts';
import type { StoreKind, StorePlace } from './each-store.ts';
import { testConfiguration } from './start-app.ts';

const BASE_URL = 'http://source.example.org';
export const URL_OF_SETS = 'http://example.org/';

/** Stores and an artifact store for one test. Close it in `afterEach`. */
export class ArchiveBench {
  readonly folder: string;
  readonly artifacts: ArtifactStore;
  readonly #closers: (() => Promise<unknown>)[] = [];

  private constructor(folder: string) {
    this.folder = folder;
    this.artifacts = openArtifacts({ kind: 'folder', folder: this.artifactFolder });
    this.#closers.push(
      () => rm(folder, { recursive: true, force: true }),
      () => this.artifacts.close(),
    );
  }

  static async make(): Promise<ArchiveBench> {
    return new ArchiveBench(await mkdtemp(join(tmpdir(), 'archive-')));
  }

  get artifactFolder(): string {
    return join(this.folder, 'artifacts');
  }

  async place(kind: StoreKind): Promise<StorePlace & { readonly folder: string }> {
    const folder = await mkdtemp(join(this.folder, 'store-'));
    const place = kind.place(folder);
    this.#closers.push(() => place.dispose());
    return { ...place, folder };
  }

  async open(store: StoreLocation): Promise<App> {
    const app = await openApp(testConfiguration(await mkdtemp(join(this.folder, 'data-')), { store }));
    this.#closers.push(() => app.close());
    return app;
  }

  archive(stores: Pick<App, 'index' | 'catalog' | 'gauge'>, more: Partial<ArchiveInput> = {}): Promise<Archived> {
    return archiveLog({ stores, artifacts: this.artifacts, ...more });
  }

  /** Makes a store of the archive, in this process. */
  async rebuild(
    store: StoreLocation,
    { from, ...more }: { from?: string } & Partial<RebuildInput> = {},
  ): Promise<Rebuilt> {
    const chain = await chooseChain(this.artifacts, from);
    const stores = await openStores(store);
    try {
      return await rebuild({ stores, chain, name: 'the store', artifacts: this.artifacts, ...more });
    } finally {
      await stores.close();
    }
  }

  async close(): Promise<void> {
    for (const close of this.#closers.splice(0).reverse()) await close();
  }
}

/**
 * Gives a source sets of every kind, with a history that has all that a rebuilt one could get wrong; asks for lists in
 * between.
 * @param meanwhile is called twice
 */
export async function fillSource(app: App, meanwhile: () => Promise<unknown>): Promise<void> {
  const { publisher } = app.publishing;
  const { tokens } = app.access;
  const { sets, index } = app;
  await sets.useBaseUrl(BASE_URL, false);
  const add = (slug: string, more: object = {}) => sets.add({ slug, urlPrefix: `${URL_OF_SETS}${slug}/`, ...more });
  const maps = await add('maps', { pageEntries: 6, windowChanges: 7 });
  const texts = await add('texts', {
    pageEntries: 50,
    windowChanges: 4,
    publishHashes: ['md5'],
    title: 'Textes & Töne',
  });
  const secret = await add('secret', { private: true });
  const gone = await add('gone', { windowChanges: 2 });
  await add('empty');
  await tokens.create({ name: 'harvester', scopes: ['post:*'] });

  const paths = shuffled(Array.from({ length: 12 }, (_, at) => `k${at * 4}`));
  await index.commit(
    paths.map((path, at) => ({ ...upsert(maps.id, path, { length: at }), source: 'h', position: at })),
  );
  await publisher.setDocument({ kind: 'resourceList', set: 'maps' });
  // Keys in the middle split pages, which is agreed upon when a client asks.
  await index.commit([17, 18, 19, 21, 22, 23].map((at) => upsert(maps.id, `k${at}`)));
  await publisher.setDocument({ kind: 'resourceList', set: 'maps' });
  await index.commit([upsert(gone.id, 'a'), upsert(gone.id, 'b'), upsert(gone.id, 'a', {}), upsert(secret.id, 'x')]);
  await meanwhile();
  const state = {
    length: 9_007_199_254_740_991,
    lastmod: 1_486_123_500,
    mime: 'text/html; charset="utf-8"',
    hashes: { 'sha-256': 'b'.repeat(64), md5: 'a'.repeat(32) },
    links: [
      { rel: 'describedby', href: '/Vögel/1?x=ü', mime: 'application/xml' },
      { rel: 'up', href: 'urn:x:1' },
    ],
  };
  for (let round = 0; round < 3; round++) {
    await index.commit([upsert(texts.id, 'a', { length: round }), upsert(texts.id, `ö ${round}`, state)]);
    await publisher.setDocument({ kind: 'changeList', set: 'texts' });
    await sets.renew('texts');
  }
  await index.commit([
    { ...upsert(texts.id, 'a', state), source: 'h', position: 3 },
    { ...deletion(texts.id, 'none'), source: 'other', position: 8 },
    deletion(texts.id, 'ö 1'),
    upsert(texts.id, 'ö 1', { length: 3 }),
  ]);
  await sets.remove('gone');
  await meanwhile();
  // All that one page holds goes: it is taken out.
  const [, page] = await publisher.pages('maps');
  const held = await collect(index.read(maps.id, { from: page!.from }));
  await index.commit(held.slice(0, page!.entries).map(({ key }) => deletion(maps.id, key.slice(1))));
  await publisher.setDocument({ kind: 'resourceList', set: 'maps' });
  await index.commit([upsert(maps.id, 'k4', { length: 77 }), upsert(maps.id, 'k17', { length: 1 })]);
}

/** Every document of every set that a source publishes, by name. */
export async function readDocuments({
  sets,
  index,
  publishing: { publisher },
  catalog,
}: App): Promise<ReadonlyMap<string, string>> {
  const documents = new Map<string, string>();
  const take = async (name: string, document: Promise<PublishedDocument>) => {
    documents.set(name, (await buffer((await (await document).open('identity')) as AsyncIterable<Buffer>)).toString());
  };
  const shown = await sets.list();
  await take('description', publisher.sourceDocument({ kind: 'sourceDescription' }, shown));
  for (const { id, slug, epoch } of shown) {
    await take(`${slug} capabilities`, publisher.setDocument({ kind: 'capabilityList', set: slug }));
    await take(`${slug} resources`, publisher.setDocument({ kind: 'resourceList', set: slug }));
    const directory = await catalog.get<{ retired: { name: string }[] }>(
      'page-directory',
      String(id).padStart(10, '0'),
    );
    const pages = [...(await publisher.pages(slug)), ...(directory?.body.retired ?? [])];
    for (const { name } of pages)
      await take(`${slug} page ${name}`, publisher.setDocument({ kind: 'resourceListPage', set: slug, name }));
    await take(`${slug} changes`, publisher.setDocument({ kind: 'changeList', set: slug }));
    await take(`${slug} recent`, publisher.setDocument({ kind: 'recentChanges', set: slug }));
    for (const { number } of await index.windows(id, (await sets.bySlug(slug)).epochStart)) {
      const key = { kind: 'changeListWindow', set: slug, name: partName(epoch, number) } as const;
      await take(`${slug} window ${number}`, publisher.setDocument(key));
    }
  }
  return documents;
}
