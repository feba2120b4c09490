import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import type { Stamp } from '../../../src/core/stamp.ts';
import { readListPage } from '../../../src/oai/lists/list-page.ts';
import { PlainProfile } from '../../../src/oai/profiles/plain-profile.ts';
import type { Profile } from '../../../src/oai/profiles/profile.ts';
import { SetRegistry } from '../../../src/sets/set-registry.ts';
import { openStores, type Stores } from '../../../src/stores/open-stores.ts';
import { deletion, upsert } from '../../support/builders.ts';
import { describeOnEachStore } from '../../support/each-store.ts';

const PATHS = Array.from({ length: 12 }, (_, at) => `r${at}`);
/** What happens to a record: it gets another state, or is deleted. */
const change = fc.record({ path: fc.constantFrom(...PATHS), isDeletion: fc.boolean() });
/** The changes before each page. */
const history = fc.array(fc.array(change, { maxLength: 8 }), { minLength: 1, maxLength: 6 });

describeOnEachStore('A list that is read while records change', (kind, itOnce) => {
  let stores: Stores;
  let sets: SetRegistry;
  let close: (() => Promise<void>) | undefined;
  let made = 0;

  before(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tidemark-'));
    const place = kind.place(folder);
    stores = await openStores(place.location);
    sets = new SetRegistry(stores.catalog, stores.index);
    await sets.useBaseUrl('http://localhost:8080', false);
    close = async () => {
      await stores.close();
      await place.dispose();
      await rm(folder, { recursive: true });
    };
  });
  after(() => close?.());

  async function newSet(): Promise<number> {
    made += 1;
    return (await sets.add({ slug: `set-${made}`, urlPrefix: 'http://example.org/set/' })).id;
  }

  const profile = new PlainProfile({ slug: 'set', host: 'example.org', sample: async () => undefined });
  const records = { read: async () => assert.fail('no record is read') };

  const pageAfter = (id: number, after: Stamp, most: number) =>
    readListPage(
      { id, profile, records, index: stores.index },
      { verb: 'ListIdentifiers', metadataPrefix: 'oai_dc', after },
      { most },
    );

  async function commit(id: number, changes: readonly { readonly path: string; readonly isDeletion: boolean }[]) {
    const events = changes.map(({ path, isDeletion }, at) =>
      isDeletion ? deletion(id, path) : upsert(id, path, { length: made * 1000 + at, lastmod: performance.now() | 0 }),
    );
    if (events.length > 0) await stores.index.commit(events);
  }

  it('has every record as it is at the end, whatever changes between its pages', async () => {
    await fc.assert(
      fc.asyncProperty(history, fc.integer({ min: 1, max: 4 }), async ([first = [], ...later], most) => {
        const id = await newSet();
        await commit(id, first);
        const listed = new Map<string, string>();
        for (let after: Stamp | undefined = 0; after !== undefined; ) {
          const page = await pageAfter(id, after, most);
          assert.ok(page.items.length <= most);
          if (page.hasNext) assert.equal(page.items.length, most, 'a page with a next one is full');
          for (const item of page.items) {
            const [, path = '', datestamp] = /set\/([^<]*)<.*<datestamp>([^<]*)/.exec(item)!;
            listed.set(path, `${item.includes('status="deleted"')} ${datestamp}`);
          }
          after = page.hasNext ? page.through : undefined;
          if (after !== undefined) await commit(id, later.shift() ?? []);
        }
        const expected = new Map<string, string>();
        for await (const batch of stores.index.read(id, { tombstones: true })) {
          for (const { key, state, stamp } of batch) {
            const second = new Date(Math.floor(stamp / 1e6) * 1000).toISOString().replace('.000', '');
            expected.set(key.slice(1), `${state === undefined} ${second}`);
          }
        }
        assert.deepEqual(listed, expected);
      }),
      { numRuns: kind.kind === 'sqlite' ? 150 : 15 },
    );
  });

  it('has a record that changes while its last page is read', async () => {
    const id = await newSet();
    await commit(
      id,
      PATHS.map((path) => ({ path, isDeletion: false })),
    );
    let hasChanged = false;
    const lastChanges: typeof stores.index.lastChanges = async (...of) => {
      if (!hasChanged) await commit(id, [{ path: 'r4', isDeletion: true }]);
      hasChanged = true;
      return stores.index.lastChanges(...of);
    };
    const index = { ...stores.index, lastChanges };
    const position = { verb: 'ListIdentifiers', set: id, metadataPrefix: 'oai_dc', after: 0, cursor: 0 } as const;
    const page = await readListPage({ id, profile, records, index }, position);
    assert.equal(page.items.length, PATHS.length);
    assert.match(page.items.at(-1)!, /status="deleted".*set\/r4</);
  });

  itOnce('keeps few long records in memory, also when only their headers are listed', async () => {
    const id = await newSet();
    const hashes = { 'sha-256': 'a'.repeat(64) };
    const stateOf = (at: number) => ({
      length: 3 * 1024 * 1024,
      hashes,
      record: { artifact: 'a', offset: at, length: 1, position: 0 },
    });
    await stores.index.commit(PATHS.map((path, at) => upsert(id, path, stateOf(at))));
    let unwritten = 0;
    let most = 0;
    const long = {
      read: async ({ offset }: { readonly offset: number }) => {
        most = Math.max(most, ++unwritten);
        return { id: PATHS[offset]!, mime: 'text/plain', document: new Uint8Array() };
      },
    };
    const harvested: Profile = {
      isHarvested: true,
      formats: async () => [],
      hasAll: () => true,
      identifierOf: (_key, identifier) => identifier,
      keyOf: () => undefined,
      read: async () => {
        unwritten -= 1;
        return { setSpecs: [], metadata: () => '<a xmlns="urn:a"/>', abouts: () => [] };
      },
    };
    const listed = { id, profile: harvested, records: long, index: stores.index };
    for (const [verb, expected] of [
      ['ListIdentifiers', PATHS.length],
      ['ListRecords', 2],
    ] as const) {
      const page = await readListPage(listed, { verb, metadataPrefix: 'a', after: 0 });
      assert.equal(page.items.length, expected, verb);
      assert.ok(most <= 3, `${most} records at a time`);
    }
  });

  itOnce('lists each record once when nothing changes, in the order of stamps', async () => {
    const id = await newSet();
    await commit(
      id,
      PATHS.map((path) => ({ path, isDeletion: false })),
    );
    await commit(
      id,
      [PATHS[3]!, PATHS[0]!].map((path) => ({ path, isDeletion: true })),
    );
    const items: string[] = [];
    for (let after: Stamp | undefined = 0; after !== undefined; ) {
      const page = await pageAfter(id, after, 5);
      items.push(...page.items.map((item) => /set\/([^<]*)/.exec(item)![1]!));
      after = page.hasNext ? page.through : undefined;
    }
    assert.deepEqual(items, [...PATHS.filter((path) => path !== 'r3' && path !== 'r0'), 'r3', 'r0']);
  });
});
