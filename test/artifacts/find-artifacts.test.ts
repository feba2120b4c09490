import assert from 'node:assert/strict';
import { formatKey } from '../../src/artifacts/artifact-key.ts';
import type { ArtifactStore, ObjectKey } from '../../src/artifacts/artifact-store.ts';
import {
  type FoundArtifact,
  findArtifact,
  latestArtifact,
  latestOfAll,
  listArtifacts,
} from '../../src/artifacts/find-artifacts.ts';
import type { Activity } from '../../src/artifacts/keys/activity.ts';
import { requireArtifact } from '../../src/artifacts/require-artifact.ts';
import { parseTimestamp } from '../../src/artifacts/timestamp.ts';
import { collect } from '../support/builders.ts';
import { describeOnEachArtifactStore } from '../support/each-artifact-store.ts';

const SCHEMAS: Readonly<Partial<Record<Activity, FoundArtifact['schema']>>> = {
  harvest: 'OriginalRecord.v1',
  mapping: 'MAP.4_0.MAPRecord.v1',
  enrichment: 'MAP.4_0.MAPRecord.v1',
  indexing: 'MAP.3_1.IndexRecord.v1',
};

describeOnEachArtifactStore('finding artifacts', (place) => {
  let store: ArtifactStore;

  beforeEach(() => {
    store = place.open();
  });
  afterEach(() => store.close());

  /** A file as a run that did not end leaves it. */
  async function writeTorn(provider: string, activity: Activity, timestamp: string): Promise<ObjectKey> {
    const key = keyOf(provider, activity, timestamp);
    await store.put(key, [Buffer.from(timestamp)]);
    return key;
  }

  async function write(provider: string, activity: Activity, timestamp: string): Promise<ObjectKey> {
    return complete(await writeTorn(provider, activity, timestamp));
  }

  async function complete(key: ObjectKey): Promise<ObjectKey> {
    await store.put(formatKey({ kind: 'provenance', of: key }), [Buffer.from('{"generator":"x","version":"1"}')]);
    return key;
  }

  const latest = async (provider: string, activity: Activity, before?: string) =>
    (await latestArtifact(store, { provider, activity, before: parseTimestamp(before ?? '') }))?.key;

  it('A35: assembles the newest of an activity for all providers by descending the folders', async () => {
    await write('cdl', 'mapping', '20170101_000000');
    const cdl = await write('cdl', 'mapping', '20170209_104428');
    const mdl = await write('mdl', 'mapping', '20160101_120000');
    await write('mdl', 'harvest', '20180101_120000');
    await write('harvest-only', 'harvest', '20180101_120000');
    await writeTorn('unknown', 'mapping', '20180101_120000');

    const found = await latestOfAll(store, { activity: 'mapping' });
    assert.deepEqual(
      found.map(({ key }) => key),
      [cdl, mdl],
    );
    assert.deepEqual(found[0], {
      ...{ kind: 'avro', key: cdl, provider: 'cdl', activity: 'mapping', schema: 'MAP.4_0.MAPRecord.v1', length: 15 },
      start: new Date('2017-02-09T10:44:28Z'),
    });
  });

  it('A36: finds the newest of an activity for one provider, by its timestamp', async () => {
    assert.equal(await latest('cdl', 'harvest'), undefined);
    await write('cdl', 'harvest', '20170209_104428');
    await write('cdl', 'harvest', '20170209_104430');
    const newest = await write('cdl', 'harvest', '20170210_000000');
    await write('cdl', 'harvest', '20161231_235959');
    await write('cdl-2', 'harvest', '20180101_000000');

    assert.equal(await latest('cdl', 'harvest'), newest);
    assert.equal(await latest('cd', 'harvest'), undefined);
  });

  it('A38: finds a snapshot at a time: the newest at it or before, over days without any', async () => {
    const early = await write('cdl', 'mapping', '20170105_100000');
    const morning = await write('cdl', 'mapping', '20170209_080000');
    const noon = await write('cdl', 'mapping', '20170209_120000');

    for (const [time, expected] of [
      ['20170105_100000', early],
      ['20170209_075959', early],
      ['20170131_000000', early],
      ['20170209_080000', morning],
      ['20170209_115959', morning],
      ['20170209_120000', noon],
      ['20300101_000000', noon],
    ] as const) {
      assert.equal(await latest('cdl', 'mapping', time), expected, time);
    }
  });

  it('A41: finds none before the first', async () => {
    await write('cdl', 'mapping', '20170105_100000');
    assert.equal(await latest('cdl', 'mapping', '20170105_095959'), undefined);
    assert.deepEqual(await latestOfAll(store, { activity: 'mapping', before: new Date('2016-12-31T00:00:00Z') }), []);
  });

  it('A42: has harvests, mappings, plans and provenance of all providers in one place', async () => {
    const key = await write('cdl', 'harvest', '20170209_104428');
    await store.put('cdl/plan/20170209_104428/20170209_104428-MappedRecord.json', [Buffer.from('{}')]);
    await write('mdl', 'mapping', '20170209_104428');

    assert.deepEqual(await store.folders(''), ['cdl', 'mdl']);
    assert.deepEqual(await store.folders('cdl/'), ['harvest', 'plan']);
    assert.ok((await store.head(formatKey({ kind: 'provenance', of: key }))) !== undefined);
  });

  it('a9: passes over what is not complete, in snapshots as everywhere', async () => {
    const whole = await write('cdl', 'harvest', '20170101_000000');
    const torn = await writeTorn('cdl', 'harvest', '20170209_104428');
    const newer = await writeTorn('cdl', 'harvest', '20170209_104429');
    // The provenance of one makes not the other complete.
    await write('cdl', 'harvest', '20170101_000001');

    assert.equal(await latest('cdl', 'harvest', '20170101_000000'), whole);
    assert.notEqual(await latest('cdl', 'harvest'), newer);
    assert.equal((await keys({})).includes(torn), false);
    assert.equal(await findArtifact(store, torn), undefined);
    await assert.rejects(requireArtifact(store, `/${torn}`), /it has no -prov\.json beside it/);
    await complete(torn);
    assert.equal(await latest('cdl', 'harvest'), torn);
    assert.equal((await requireArtifact(store, `/${torn}`)).key, torn);
  });

  it('a9: passes over a provenance without its file', async () => {
    await complete(keyOf('cdl', 'harvest', '20170209_104428'));
    assert.equal(await latest('cdl', 'harvest'), undefined);
    assert.deepEqual(await keys({}), []);
  });

  it('a8: finds files without the folder of their date, among those with it', async () => {
    const flatKey = (timestamp: string) =>
      keyOf('cdl', 'harvest', timestamp).replace(`/${timestamp.slice(0, 8)}/`, '/');
    const put = async (key: ObjectKey) => {
      await store.put(key, [Buffer.from('x')]);
      return complete(key);
    };
    const old = await put(flatKey('20160101_000000'));
    assert.equal(await latest('cdl', 'harvest'), old);
    const dated = await write('cdl', 'harvest', '20170101_000000');
    assert.equal(await latest('cdl', 'harvest'), dated);
    const newest = await put(flatKey('20170101_000001'));
    await store.put(flatKey('20180101_000001'), [Buffer.from('torn')]);

    assert.equal(await latest('cdl', 'harvest'), newest);
    assert.equal(await latest('cdl', 'harvest', '20170101_000000'), dated);
    assert.equal(await latest('cdl', 'harvest', '20161231_000000'), old);
    assert.deepEqual((await keys({ provider: 'cdl' })).toSorted(), [old, dated, newest].toSorted());
  });

  it('finds the file of deleted records only when that schema is asked for', async () => {
    const main = await write('cdl', 'harvest', '20170209_104428');
    const deleted = main.replace('OriginalRecord.v1', 'DeletedRecord.v1');
    await store.put(deleted, [Buffer.from('x')]);
    await complete(deleted);

    assert.equal(await latest('cdl', 'harvest'), main);
    assert.deepEqual(await keys({ schema: 'DeletedRecord.v1' }), [deleted]);
    assert.deepEqual(await keys({}), [deleted, main]);
  });

  it('lists all, or those of a provider, an activity or a schema', async () => {
    const harvest = await write('cdl', 'harvest', '20170209_104428');
    const mapping = await write('cdl', 'mapping', '20170209_104428');
    const other = await write('mdl', 'mapping', '20170209_104428');
    await store.put('cdl/harvest/20170209/notes.txt', [Buffer.from('of another program')]);

    assert.deepEqual(await keys({}), [harvest, mapping, other]);
    assert.deepEqual(await keys({ provider: 'cdl' }), [harvest, mapping]);
    assert.deepEqual(await keys({ activity: 'mapping' }), [mapping, other]);
    assert.deepEqual(await keys({ provider: 'mdl', activity: 'harvest' }), []);
    assert.deepEqual(await keys({ schema: 'OriginalRecord.v1' }), [harvest]);
  });

  async function keys(filter: Parameters<typeof listArtifacts>[1]): Promise<readonly ObjectKey[]> {
    return (await collect(flat(listArtifacts(store, filter)))).map((found) =>
      typeof found === 'string' ? found : found.key,
    );
  }
});

function keyOf(provider: string, activity: Activity, timestamp: string): ObjectKey {
  return formatKey({ kind: 'avro', provider, activity, start: parseTimestamp(timestamp)!, schema: SCHEMAS[activity]! });
}

/** As `collect` takes them: batches. */
async function* flat<Item>(items: AsyncIterable<Item>): AsyncGenerator<readonly Item[]> {
  for await (const item of items) yield [item];
}
