import assert from 'node:assert/strict';
import { fileResultOf } from '../../../src/datasets/sinks/file-result.ts';
import { rowOf } from '../../../src/datasets/sinks/result-row.ts';
import { endedDocument, manifestFile } from '../../support/dataset-results.ts';

describe('the row of a result', () => {
  it('has the columns of sandcrawler, and the files of the manifest (D41-D47)', () => {
    const file = manifestFile('data/a.csv');
    const { stored: _, ...published } = file;
    assert.deepEqual(rowOf(endedDocument('one', { itemName: 'item', itemBundlePath: 'all.zip' }), [file]), {
      ingest_type: 'dataset',
      base_url: 'https://data.example.org/one',
      updated: '2026-11-29T08:00:00.000Z',
      hit: true,
      status: 'success',
      terminal_url: 'https://data.example.org/landing/one',
      terminal_dt: '20261129075900',
      terminal_status_code: 200,
      terminal_sha1hex: 'a'.repeat(40),
      platform: 'dataverse',
      platform_domain: 'data.example.org',
      platform_id: 'doi:10.5555/one',
      ingest_strategy: 'web-fileset',
      total_size: 5_000_000_000,
      file_count: 2,
      item_name: 'item',
      item_bundle_path: 'all.zip',
      manifest: [published],
    });
  });

  it('exists for a request without a platform, with nulls in place of what is unknown or empty (d11, D45)', () => {
    const { result: _, ...document } = endedDocument('one');
    const result = { hit: false, status: 'no-platform-match', updated: 0, itemName: '' } as const;
    const row = rowOf({ ...document, result }, undefined);
    const { ingest_type: _1, base_url: _2, updated: _3, hit, status, ...others } = row;
    assert.deepEqual([hit, status], [false, 'no-platform-match']);
    assert.deepEqual(new Set(Object.values(others)), new Set([null]));
  });

  it('says in extra what was wrong with a file (D47)', () => {
    const failed = manifestFile('a.csv', { status: 'mismatch-md5', message: 'the MD5 differs' });
    const [file] = rowOf(endedDocument('one'), [failed]).manifest!;
    assert.deepEqual(file!.extra, { description: 'Größe in µm', message: 'the MD5 differs' });
    assert.equal('message' in file!, false);
  });

  it('has U+FFFD in place of what databases refuse, also deep in a manifest (d19)', () => {
    const extra = { 'a\0': ['b\0', { c: 'half \ud83d', n: 1, nothing: null }] };
    const platform = { name: 'p\0', domain: 'd', id: '\udc00' };
    const row = rowOf(endedDocument('one', { platform }), [manifestFile('a.csv', { extra })]);
    assert.deepEqual([row.platform, row.platform_id], ['p\u{fffd}', '\u{fffd}']);
    assert.deepEqual(row.manifest![0]!.extra, {
      'a\u{fffd}': ['b\u{fffd}', { c: 'half \u{fffd}', n: 1, nothing: null }],
    });
  });
});

describe('the result of a single file', () => {
  it('is that of the file of a dataset that is one, as importers of files take it (D32, D36)', () => {
    const document = endedDocument('one', { strategy: 'web-file', fileCount: 1 });
    assert.deepEqual(fileResultOf(document, rowOf(document, [manifestFile('a.csv')])), {
      request: document.request,
      hit: true,
      status: 'success',
      ingest_strategy: 'web-file',
      terminal: {
        terminal_url: 'https://s3.example.org/a.csv',
        terminal_dt: '20261129075930',
        terminal_status_code: 200,
        terminal_sha1hex: '2'.repeat(40),
      },
      file_meta: {
        size_bytes: 12,
        md5hex: '1'.repeat(32),
        sha1hex: '2'.repeat(40),
        sha256hex: '3'.repeat(64),
        mimetype: 'text/csv',
      },
    });
  });

  it('does not exist for filesets and for what was not stored (D32)', () => {
    const fileset = endedDocument('one');
    assert.equal(fileResultOf(fileset, rowOf(fileset, [manifestFile('a.csv')])), undefined);
    const failed = endedDocument('one', { strategy: 'web-file', hit: false, status: 'mismatch-md5' });
    assert.equal(fileResultOf(failed, rowOf(failed, [manifestFile('a.csv')])), undefined);
  });
});
