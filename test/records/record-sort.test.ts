import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { keyOfRecordId } from '../../src/core/record-key.ts';
import { decodeState, encodeState, type ResourceState } from '../../src/core/resource.ts';
import { DigestRow, placeIn, rowsOf } from '../../src/records/digests/digest-row.ts';
import { RecordSort } from '../../src/records/digests/record-sort.ts';
import { RowSorter } from '../../src/records/digests/row-sorter.ts';
import { shuffled } from '../support/builders.ts';
import { useTempFolder } from '../support/temp-folder.ts';

/** Ids whose keys are odd, or are the beginning of one another. */
const IDS = ['.', '..', '=', '==', '=:', 'a', 'a!', 'a.b', 'a/b', 'a b', 'é', '\u{1f5fa}', '%', '~', 'x'.repeat(199)];

describe('Sorting rows', () => {
  const folder = useTempFolder();
  let sort: RecordSort;
  beforeEach(() => {
    sort = new RecordSort({ publishHashes: [], folder: folder.path });
  });
  afterEach(() => sort.close());
  /** As two threads that digest do. */
  function addRows(rows: readonly string[]): void {
    const sorters = [new RowSorter(), new RowSorter()];
    for (const [at, row] of rows.entries()) sorters[at % 2]!.add(row);
    for (const sorter of sorters) for (const run of sorter.end()) sort.addRun(run);
  }
  const described = { length: 9, mime: 'application/xml', hashes: { 'sha-256': 'ab'.repeat(32) } };
  const byBytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));

  it('gives the order of the bytes, whatever rows have in common, and of more than memory holds', () => {
    const numbers = Array.from({ length: 50_000 }, (_, number) => `/oai:example.org:${number}`);
    const long = Array.from(
      { length: 300 },
      (_, number) => `/${'long'.repeat(number % 50)}/${'y'.repeat(90)}${number}`,
    );
    const keys = [...numbers, ...long, ...IDS.map((id) => keyOfRecordId(id))];
    addRows(shuffled(keys).map((key) => `${key}\u0001${'z'.repeat(200)}`));
    const expected = keys.toSorted(byBytes);
    assert.deepEqual(
      [...sort.sorted(() => assert.fail())].map(({ key }) => key),
      expected,
    );
  });

  it('gives the record of an id that comes last in the file, and names each other one', () => {
    const places = Array.from({ length: 1_500 }, (_, at) => ({ offset: at * 70_000, length: at + 20, records: 3 }));
    const rows = places.flatMap((place) =>
      IDS.slice(0, 3).map((id, at) => rowsOf(place)(keyOfRecordId(id), at, described)),
    );
    addRows(shuffled(rows));
    const replaced: DigestRow[] = [];
    const records = [...sort.sorted((record) => replaced.push(record))];
    assert.deepEqual(
      records.map(({ key }) => key),
      ['/=.', '/=..', '/=='],
    );
    const offsets = records.map((record) => decodeState(record.stateAt('a.avro', 1)).record!.offset);
    assert.deepEqual(new Set(offsets), new Set([1_499 * 70_000]));
    assert.equal(replaced.length, 3 * 1_499);
    for (const [at, { key, offset, position }] of replaced.entries()) {
      const expected = [keyOfRecordId(IDS[Math.floor(at / 1_499)]!), (at % 1_499) * 70_000, Math.floor(at / 1_499)];
      assert.deepEqual([key, offset, position], expected);
    }
  });

  it('takes rows that are longer than a page, or than all that is sorted at once', () => {
    const keys = [5_000_000, 3, 40_000, 3_000_000, 4].map((length) => `/${'k'.repeat(length)}`);
    addRows(keys.map((key) => `${key}\u0001`));
    assert.deepEqual(
      [...sort.sorted(() => assert.fail())].map(({ key }) => key.length),
      [4, 5, 40_001, 3_000_001, 5_000_001],
    );
  });

  it('leaves no file behind', async () => {
    addRows(['/a\u0001']);
    await sort.close();
    assert.deepEqual(readdirSync(folder.path), []);
  });
});

describe('A row of a record', () => {
  const hashes = { 'sha-256': 'ab'.repeat(32), md5: 'cd'.repeat(16) };
  const described = { length: 1_000, mime: 'text/turtle', hashes };
  const record = (state = described) =>
    new DigestRow(rowsOf({ offset: 2 ** 42, length: 512, records: 9 })('/a', 7, state));

  it('makes the state that is posted, as every state is written', () => {
    const state = {
      lastmod: 5,
      ...described,
      record: { artifact: 'x.avro', offset: 2 ** 42, length: 512, position: 7 },
    };
    assert.equal(record().stateAt('x.avro', 5), encodeState(state));
  });

  it('is described by a state of the same document, whenever and wherever it was read', () => {
    const place = { artifact: 'old.avro', offset: 1, length: 2, position: 0 };
    const known = { lastmod: 99, ...described, record: place };
    assert.ok(record().isDescribedBy(encodeState(known)));
    assert.ok(record().isDescribedBy(encodeState({ ...described, record: place })));
    assert.ok(record().isDescribedBy(encodeState({ ...known, hashes: { ...hashes, 'sha-1': 'ef'.repeat(20) } })));
    assert.ok(!record().isDescribedBy(encodeState({ ...known, length: 1_001 })));
    assert.ok(!record().isDescribedBy(encodeState({ ...known, mime: 'application/xml' })));
    assert.ok(!record().isDescribedBy(encodeState({ ...known, hashes: { 'sha-256': hashes['sha-256'] } })));
    assert.ok(!record().isDescribedBy(encodeState({ ...known, hashes: { ...hashes, md5: 'ce'.repeat(16) } })));
    assert.ok(!record().isDescribedBy(encodeState({ lastmod: 99 })));
  });

  it('finds its text in a state with a place in the artifact that is named, and in no other one', () => {
    const place = { artifact: 'old.avro', offset: 1, length: 2, position: 0 };
    const known = { lastmod: 99, ...described, record: place };
    const isWritten = (state: ResourceState) => record().isWrittenIn(encodeState(state), placeIn('old.avro'));
    assert.ok(isWritten(known));
    assert.ok(!isWritten({ ...known, record: { ...place, artifact: 'older.avro' } }));
    assert.ok(!isWritten({ ...known, hashes: { ...hashes, md5: 'ce'.repeat(16) } }));
    assert.ok(!isWritten({ lastmod: 99, ...described }));
  });
});
