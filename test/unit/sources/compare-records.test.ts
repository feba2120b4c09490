import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { mock } from 'node:test';
import type { OriginalRecord } from '../../../src/artifacts/avro/avro-schemas.ts';
import { FolderStore } from '../../../src/artifacts/folder/folder-store.ts';
import { entryWeight } from '../../../src/core/entry-weight.ts';
import { decodeState } from '../../../src/core/resource.ts';
import type { PublishedSet } from '../../../src/publish/published-set.ts';
import {
  type Comparison,
  type ComparisonParts,
  type ComparisonStep,
  compareRecords,
} from '../../../src/sources/records/artifact/compare-records.ts';
import { upsert } from '../../support/builders.ts';
import { PublishedSets } from '../../support/published-sets.ts';
import { putArtifact, record } from '../../support/record-artifacts.ts';
import { useTempFolder } from '../../support/temp-folder.ts';

describe('A comparison of records', () => {
  const folder = useTempFolder();
  let sets: PublishedSets;
  let published: PublishedSet;
  let artifacts: FolderStore;
  /** Artifacts whose existence was asked for. */
  let asked: string[];
  let days: number;
  let now: number;
  /** Milliseconds that pass each time the clock is read. */
  let tick: number;
  before(async () => {
    sets = await PublishedSets.open();
  });
  after(() => sets.close());
  beforeEach(async () => {
    published = await sets.add();
    artifacts = new FolderStore(folder.at('artifacts'));
    asked = [];
    days = 0;
    now = 1_000;
    tick = 0;
    // A slow machine would make more steps.
    mock.method(performance, 'now', () => {
      now += tick;
      return now;
    });
  });
  afterEach(async () => {
    mock.restoreAll();
    await artifacts.close();
  });

  const put = (...records: readonly OriginalRecord[]) => {
    days += 1;
    return putArtifact(artifacts, records, { start: `2017-02-${String(days).padStart(2, '0')}T00:00:00Z` });
  };
  const numbered = (count: number, document?: string) =>
    Array.from({ length: count }, (_, at) => record(`r${String(at).padStart(5, '0')}`, document));

  /** The steps of a comparison with an artifact. */
  async function compare(key: string, fields: Partial<Comparison> = {}): Promise<readonly ComparisonStep[]> {
    const { set } = published;
    const start = Date.parse(`2017-02-${String(days).padStart(2, '0')}T00:00:00Z`) / 1000;
    const parts: ComparisonParts = {
      index: sets.index,
      folder: folder.path,
      startDigester: undefined,
      artifacts: {
        name: artifacts.name,
        get: artifacts.get.bind(artifacts),
        head: (key) => {
          asked.push(key);
          return artifacts.head(key);
        },
      },
    };
    const steps: ComparisonStep[] = [];
    const comparison = {
      set: set.id,
      urlPrefix: set.urlPrefix,
      publishHashes: [],
      artifact: { key, start, bytes: (await artifacts.head(key))!.length },
      acceptsEmpty: false,
      ...fields,
    } as Comparison;
    for await (const step of compareRecords(comparison, parts)) steps.push(step);
    return steps;
  }
  async function mirror(steps: readonly ComparisonStep[]): Promise<void> {
    const { id, urlPrefix } = published.set;
    const events = steps.flatMap(({ differences }) =>
      differences.map(({ key, state }) => {
        const decoded = state === undefined ? undefined : decodeState(state);
        return { set: id, key, state: decoded, weight: entryWeight(urlPrefix, key, decoded) };
      }),
    );
    await sets.commit(...events);
  }
  const counts = ({ read, compared, unchanged, duplicates, differences }: ComparisonStep) =>
    `${read} read, ${compared} compared, ${unchanged} same, ${duplicates} twice, ${differences.length} differ`;

  it('takes steps of at most a thousand differences, and has all counts in the last', async () => {
    const key = await put(...numbered(2_500));
    const steps = await compare(key);
    assert.deepEqual(
      steps.map(({ differences }) => differences.length).filter((count) => count > 0),
      [1_000, 1_000, 500],
    );
    const last = steps.at(-1)!;
    assert.equal(counts(last), '2500 read, 2500 compared, 0 same, 0 twice, 500 differ');
    assert.ok(last.bytes > 0 && last.bytes === last.ofBytes);
    const keys = steps.flatMap(({ differences }) => differences.map((difference) => difference.key));
    assert.deepEqual(keys, keys.toSorted());
    assert.equal(new Set(keys).size, 2_500);
  });

  it('has what differs with what was known of it, and leaves what is the same', async () => {
    const first = await put(record('a'), record('b', 'old'), record('gone'));
    await mirror(await compare(first));
    const second = await put(record('a'), record('b', 'new'), record('c'));
    const steps = await compare(second);
    assert.equal(counts(steps.at(-1)!), '3 read, 3 compared, 1 same, 0 twice, 3 differ');
    const found = steps.at(-1)!.differences.map(({ key, state, known }) => {
      const artifactIn = (text: string | undefined) => text && decodeState(text as never).record!.artifact;
      return [key, artifactIn(state), artifactIn(known)];
    });
    assert.deepEqual(found, [
      ['/b', second, first],
      ['/c', second, undefined],
      ['/gone', undefined, first],
    ]);
    assert.deepEqual(asked, [first], 'it is asked once whether an artifact is there');
  });

  it('asks nothing of an artifact that states point at when it is the compared one', async () => {
    const key = await put(...numbered(3));
    await mirror(await compare(key));
    assert.equal(counts((await compare(key)).at(-1)!), '3 read, 3 compared, 3 same, 0 twice, 0 differ');
    assert.deepEqual(asked, []);
    assert.deepEqual(readdirSync(folder.path), ['artifacts'], 'nothing is left behind');
  });

  it('takes a state that describes the record in another way as the same', async () => {
    const key = await put(record('a'));
    await mirror(await compare(key, { publishHashes: ['md5'] }));
    assert.equal(counts((await compare(key)).at(-1)!), '1 read, 1 compared, 1 same, 0 twice, 0 differ');
  });

  it('lists a record whose state describes it, but says nothing of its place', async () => {
    const key = await put(record('a'));
    const [step] = await compare(key);
    const { record: _, ...state } = decodeState(step!.differences[0]!.state!);
    await sets.commit(upsert(published.set.id, 'a', state));
    assert.equal(counts((await compare(key)).at(-1)!), '1 read, 1 compared, 0 same, 0 twice, 1 differ');
  });

  it('lists a record anew whose artifact is not there, and one that a client posted', async () => {
    const first = await put(record('a'), record('b'), record('c'));
    await mirror(await compare(first));
    await sets.commit(upsert(published.set.id, 'b', { length: 7 }));
    folder.remove(`artifacts/${first}`);
    const second = await put(record('a'), record('b'), record('c'));
    const steps = await compare(second);
    assert.deepEqual(
      steps.at(-1)!.differences.map(({ key }) => key),
      ['/a', '/b', '/c'],
    );
  });

  it('reports a record without an id, and one whose URI would be too long', async () => {
    const long = `http://example.org/${'x'.repeat(150)}/`.padEnd(1_900, 'y');
    const key = await put(record('', 'x'), record('a'), record('', 'y'), record('z'.repeat(190)));
    const steps = await compare(key, { urlPrefix: long });
    const problems = steps.flatMap(({ problems }) => problems);
    assert.deepEqual(problems.slice(0, 2), Array(2).fill({ key: '/', problem: 'a record has an empty id' }));
    assert.equal(problems.length, 3);
    assert.equal(problems[2]!.key, `/${'z'.repeat(190)}`);
    assert.match(problems[2]!.problem, /^its URI would have 2090 characters/);
    assert.equal(counts(steps.at(-1)!), '2 read, 2 compared, 0 same, 0 twice, 1 differ');
  });

  it('counts each record that another one of its id came after, and names a hundred', async () => {
    const key = await put(...Array.from({ length: 103 }, (_, at) => record('twice', `${at}`)), record('once'));
    const steps = await compare(key);
    assert.equal(counts(steps.at(-1)!), '104 read, 2 compared, 0 same, 102 twice, 2 differ');
    assert.deepEqual(
      steps.flatMap(({ duplicateKeys }) => duplicateKeys),
      Array(100).fill('/twice'),
    );
  });

  it('reports how far it is each tenth of a second, and only then', async () => {
    const key = await put(...numbered(3_000));
    await mirror(await compare(key));
    assert.equal((await compare(key)).length, 1, 'while no time passes');
    tick = 100;
    const steps = await compare(key);
    assert.ok(steps.length > 3, `${steps.length} steps`);
    const reached = steps.map(({ compared }) => compared);
    assert.deepEqual(
      reached,
      reached.toSorted((a, b) => a - b),
    );
    assert.ok(reached.some((count) => count > 0 && count < 3_000));
    assert.ok(
      steps.some(({ read, compared }) => read > 0 && compared === 0),
      'also while it is read',
    );
    assert.deepEqual(
      steps.flatMap(({ duplicateKeys, problems, differences }) => [...duplicateKeys, ...problems, ...differences]),
      [],
    );
  });

  it('refuses an artifact without records where there are resources, unless that is accepted', async () => {
    const empty = await put();
    assert.equal(counts((await compare(empty)).at(-1)!), '0 read, 0 compared, 0 same, 0 twice, 0 differ');
    await sets.commit(upsert(published.set.id, 'a'));
    await assert.rejects(compare(empty), { code: 'unavailable', details: { artifact: empty } });
    const steps = await compare(empty, { acceptsEmpty: true });
    assert.deepEqual(steps.at(-1)!.differences, [{ key: '/a', state: undefined, known: '{"length":1}' }]);
  });
});
