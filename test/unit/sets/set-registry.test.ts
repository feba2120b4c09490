import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HashAlgorithm } from '../../../src/core/hash.ts';
import type { SetFields } from '../../../src/core/resource-set.ts';
import type { StoredSet } from '../../../src/core/stored-set.ts';
import { SetRegistry } from '../../../src/sets/set-registry.ts';
import type { Catalog } from '../../../src/stores/catalog.ts';
import { openStores, type Stores } from '../../../src/stores/open-stores.ts';
import { describeOnEachStore, type StorePlace } from '../../support/each-store.ts';

const URL_PREFIX = 'http://example.org/';

describeOnEachStore('a registry of sets', (store) => {
  let folder: string;
  let place: StorePlace;
  let opened: Stores[];
  /** Of two processes. */
  let sets: SetRegistry;
  let others: SetRegistry;
  /** Sets that `others` has read. */
  let read: number;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tidemark-'));
    place = store.place(folder, { mayBeMade: true });
    const one = await openStores(place.location);
    const other = await openStores(place.location);
    opened = [one, other];
    read = 0;
    sets = new SetRegistry(one.catalog, one.index);
    others = new SetRegistry(
      counting(other.catalog, (count) => {
        read += count;
      }),
      other.index,
    );
    await sets.useBaseUrl('http://localhost:8080', false);
  });

  afterEach(async () => {
    for (const { close } of opened) await close();
    await place.dispose();
    await rm(folder, { recursive: true });
  });

  const add = (slug: string) => sets.add({ slug, urlPrefix: URL_PREFIX });
  const listed = async () => (await others.list()).map(({ slug }) => slug);

  it('gives a renewed set an epoch that no set has had, and a history that begins now', async () => {
    const { epochStart } = await add('a');
    await sets.move('a', 'http://example.net/');
    const renewed = await sets.renew('a');
    assert.ok(renewed.epochStart > epochStart);
    // In minutes since 2020, of which there were 3 million in 2026.
    assert.ok(renewed.epoch > 3_000_000);
    assert.equal((await sets.renew('a')).epoch, renewed.epoch + 1);
    assert.equal((await others.bySlug('a')).epoch, renewed.epoch + 1);
  });

  it('shows another one what was added, changed and removed', async () => {
    for (const slug of ['c', 'a', 'b']) await add(slug);
    assert.deepEqual(await listed(), ['a', 'b', 'c']);
    const version = await others.version();

    await sets.change('b', { title: 'B' });
    assert.equal((await others.bySlug('b')).title, 'B');
    assert.ok((await others.version()) > version);

    await sets.remove('a');
    assert.deepEqual(await listed(), ['b', 'c']);
    await assert.rejects(others.bySlug('a'), { code: 'gone' });

    const d = await add('d');
    assert.deepEqual(await listed(), ['b', 'c', 'd']);
    assert.deepEqual(await others.byId(d.id), d);
    const again = await others.add({ slug: 'a' });
    assert.deepEqual((await sets.bySlug('a')).id, again.id);
  });

  it('gives the id of a removed set to another one only when it never had a change', async () => {
    const { id } = await add('a');
    const index = opened[0]!.index;
    const change = (key: string) => ({ set: id, key, state: {}, weight: 0 });
    // A client posts while the set is being removed.
    const put: Catalog['put'] = async (kind, ...rest) => {
      if (kind === 'set') await index.commit([change('/late')]);
      return opened[0]!.catalog.put(kind, ...rest);
    };
    const removing = new SetRegistry({ ...counting(opened[0]!.catalog, () => {}), put }, index);
    assert.equal(await removing.remove('a'), false);
    await assert.rejects(sets.add({ slug: 'a' }), { code: 'conflict' });
  });

  it('gives no two sets the same name, be it an id or an alias', async () => {
    const addWith = (slug: string, ...aliases: string[]) => others.add({ slug, urlPrefix: URL_PREFIX, aliases });
    await sets.add({ slug: 'a', urlPrefix: URL_PREFIX, aliases: ['Maps', 'old'] });
    for (const [slug, alias] of [
      ['old', 'b'],
      ['b', 'a'],
      ['b', 'Maps'],
    ] as const) {
      await assert.rejects(addWith(slug, alias), { code: 'conflict' });
    }
    const imported = { index: 'i', name: 'Maps', through: 2 };
    await addWith('b', 'Plans');
    assert.deepEqual((await others.recordImport('b', imported)).aliases, ['Plans']);

    await sets.remove('a');
    // A set that was taken over before sets had aliases gets one with its next import.
    assert.deepEqual((await others.recordImport('b', imported)).aliases, ['Plans', 'Maps']);
    assert.deepEqual((await addWith('c', 'old', 'a')).aliases, ['old', 'a']);
  });

  it('reads what is new, and not all sets again', async () => {
    for (let number = 0; number < 5; number++) await add(`set-${number}`);
    await others.list();
    assert.equal(read, 5);
    await sets.markReady('set-3');
    await sets.change('set-3', { title: 'Three' });
    await others.list();
    await others.bySlug('set-3');
    assert.equal(read, 6);
  });

  it('knows its own changes, also when others were put meanwhile', async () => {
    for (const slug of ['a', 'b']) await add(slug);
    await others.change('a', { title: '1' });
    await sets.change('a', { title: '2' });
    await others.change('b', { title: '3' });
    const titles = async (registry: SetRegistry) => (await registry.list()).map(({ title }) => title);
    assert.deepEqual(await titles(sets), ['2', '3']);
    assert.deepEqual(await titles(others), ['2', '3']);
  });

  it('keeps no value that a set cannot have', async () => {
    const before = await add('a');
    const wrong: readonly (readonly [keyof SetFields, SetFields])[] = [
      ['title', { title: 'x'.repeat(5000) }],
      ['title', { title: 'a\u0001b' }],
      ['pageEntries', { pageEntries: 0 }],
      ['windowChanges', { windowChanges: 50_001 }],
      ['publishHashes', { publishHashes: ['crc' as HashAlgorithm] }],
      ['dumpSchedule', { dumpSchedule: 'at night' }],
      ['archiveDays', { archiveDays: 1.5 }],
      // Only a set with files can have these.
      ['exclude', { exclude: ['*.tmp'] }],
      ['linkRules', { linkRules: ['*.xml describes *.tif'] }],
      ['keepVersions', { keepVersions: true }],
    ];
    for (const [field, fields] of wrong) {
      const refused = { code: 'invalid' };
      await assert.rejects(sets.change('a', fields), refused, field);
      await assert.rejects(sets.add({ slug: 'b', urlPrefix: URL_PREFIX, ...fields }), refused, field);
    }
    assert.deepEqual(await sets.bySlug('a'), before);
    assert.deepEqual(await listed(), ['a']);
  });

  it('changes other settings of a set that has values which it could not get now', async () => {
    await sets.add({ slug: 'a', origin: { kind: 'folder', path: folder } });
    const { catalog } = opened[0]!;
    const stored = (await catalog.list<StoredSet>('set'))[0]!;
    const old = { title: 'x'.repeat(501), exclude: ['[[:no-such-class:]].tmp'] };
    await catalog.put('set', stored.id, { ...stored.body, ...old }, stored.version);

    // As `publish` does, which sends the exclusions with every change.
    const { title, exclude, pageEntries } = await others.change('a', { pageEntries: 7, exclude: old.exclude });
    assert.deepEqual({ title, exclude, pageEntries }, { ...old, pageEntries: 7 });
    await assert.rejects(others.change('a', { exclude: [...old.exclude, '*.tmp'] }), { code: 'invalid' });
  });
});

/** The same catalog, which counts how many documents were listed. */
function counting(catalog: Catalog, onListed: (count: number) => void): Catalog {
  return {
    get: (kind, id) => catalog.get(kind, id),
    put: (kind, id, body, replaces) => catalog.put(kind, id, body, replaces),
    head: (kind) => catalog.head(kind),
    latest: (kind, prefix, page) => catalog.latest(kind, prefix, page),
    async list<Body>(kind: Parameters<Catalog['list']>[0], after?: number) {
      const documents = await catalog.list<Body>(kind, after);
      onListed(documents.length);
      return documents;
    },
  };
}
