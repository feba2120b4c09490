import assert from 'node:assert/strict';
import { isTidemarkError } from '../../src/core/errors.ts';
import type { ResultRow } from '../../src/datasets/sinks/result-row.ts';
import type { ResultSink } from '../../src/datasets/sinks/result-sink.ts';
import { sentResult } from '../support/dataset-results.ts';

/** A database, as another program sees it. */
export interface RowsUnderTest {
  open(): Promise<ResultSink>;
  /** All rows by base_url, with the values of their columns as JSON has them. */
  rows(): Promise<readonly ResultRow[]>;
  /** Runs a statement. */
  run(sql: string): Promise<unknown>;
  /** The columns of the primary key, and those of other indexes. */
  indexes(): Promise<readonly string[]>;
  /** Makes it answer no more, until the returned function is called. */
  goAway(): Promise<() => Promise<void>>;
}

/** Compares a database of rows with the promises of the port. */
export function testResultRows(under: () => RowsUnderTest): void {
  let place: RowsUnderTest;
  let sink: ResultSink;

  beforeEach(async () => {
    place = under();
    await place.run('DROP TABLE IF EXISTS ingest_fileset_result').catch(() => {});
    sink = await place.open();
    await sink.create();
  });
  afterEach(() => sink.close());

  it('makes the table once, keyed by request, with an index of terminal URLs (D39, D48)', async () => {
    await sink.send([sentResult('one')]);
    assert.equal(await sink.exists(), true);
    await sink.create();
    assert.equal((await place.rows()).length, 1);
    assert.deepEqual(await place.indexes(), ['ingest_type,base_url', 'terminal_url']);
    await place.run('DROP TABLE ingest_fileset_result');
    assert.equal(await sink.exists(), false);
  });

  it('writes a row as it is read again, with nulls and numbers of 64 bits (D40-D47)', async () => {
    const nothing = { status: null, terminal_url: null, terminal_dt: null, platform: null, manifest: null };
    const sent = [sentResult('one'), sentResult('two', { ...nothing, hit: false, total_size: 2 ** 53 - 1 })];
    assert.deepEqual(await sink.send(sent), []);
    assert.deepEqual(
      await place.rows(),
      sent.map(({ row }) => row),
    );
  });

  it('has the current time for a row of others that says none (D40)', async () => {
    await place.run("INSERT INTO ingest_fileset_result (ingest_type, base_url, hit) VALUES ('dataset', 'x', true)");
    const [row] = await place.rows();
    assert.ok(Math.abs(Date.parse(row!.updated) - Date.now()) < 60_000);
  });

  it('replaces the row of a request that was ingested again (D49)', async () => {
    await sink.send([sentResult('one'), sentResult('two')]);
    const again = sentResult('one', {
      status: 'success-existing',
      updated: '2026-11-30T08:00:00.000Z',
      manifest: null,
    });
    await sink.send([again]);
    assert.deepEqual(await place.rows(), [again.row, sentResult('two').row]);
  });

  const refused: Readonly<Record<string, Partial<ResultRow>>> = {
    'an empty type': { ingest_type: '' },
    'an empty URL': { base_url: '' },
    'an empty status': { status: '' },
    'an empty terminal URL': { terminal_url: '' },
    'a terminal time of 13 digits': { terminal_dt: '2026112907590' },
    'a terminal hash of 41 digits': { terminal_sha1hex: 'a'.repeat(41) },
    'an empty platform': { platform: '' },
    'an empty domain': { platform_domain: '' },
    'an empty id': { platform_id: '' },
    'an empty strategy': { ingest_strategy: '' },
    'an empty item name': { item_name: '' },
    'an empty path of a bundle': { item_bundle_path: '' },
  };
  it('refuses what its checks refuse, says which, and writes the others (D39, D41-D43, D45, d3)', async () => {
    const wrong = Object.entries(refused);
    const sent = [
      sentResult('one'),
      ...wrong.map(([name, row]) => sentResult(`wrong-${name.length}`, row)),
      sentResult('two'),
    ];
    const leftOut = await sink.send(sent);
    assert.deepEqual(
      leftOut.map(({ what }) => what),
      wrong.map(() => 'row'),
    );
    assert.deepEqual(
      (await place.rows()).map(({ base_url }) => base_url),
      ['https://data.example.org/one', 'https://data.example.org/two'],
    );
  });

  it('takes the longest URLs of any characters, and a manifest of 10,000 files (d19)', async () => {
    const random = (length: number) =>
      Array.from({ length }, () => String.fromCharCode(0x21 + Math.floor(Math.random() * 90))).join('');
    const url = `https://data.example.org/${random(1_975)}`;
    const { row } = sentResult('one');
    const manifest = Array.from({ length: 10_000 }, (_, at) => ({ ...row.manifest![0]!, path: `f/${at}` }));
    const sent = sentResult('one', { base_url: url, terminal_url: url, manifest });
    assert.deepEqual(await sink.send([sent]), []);
    assert.deepEqual(await place.rows(), [sent.row]);
  });

  it('is unavailable while the database is away, and goes on after that', async () => {
    const comeBack = await place.goAway();
    await assert.rejects(sink.send([sentResult('one')]), (error) => {
      assert.ok(isTidemarkError(error, 'unavailable'));
      assert.equal(error.details.sink, 'rows');
      return true;
    });
    await comeBack();
    assert.deepEqual(await sink.send([sentResult('one')]), []);
    assert.equal((await place.rows()).length, 1);
  });
}
