import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { base32Of } from '../../../../src/datasets/backends/base32.ts';
import { isAsStated } from '../../../../src/datasets/backends/remote/as-stated.ts';
import { isWhole, parseCdx } from '../../../../src/datasets/backends/remote/cdx.ts';
import { fileMetadataHeaders, metadataHeaders } from '../../../../src/datasets/backends/remote/item-headers.ts';
import { itemPath } from '../../../../src/datasets/backends/remote/item-paths.ts';
import { spnErrorOf } from '../../../../src/datasets/backends/remote/spn-errors.ts';

const ROW = ['org,example)/', '20260102030405', 'https://example.org/', 'text/csv', '200', 'ABC', '42'];
const NAMES = ['urlkey', 'timestamp', 'original', 'mimetype', 'statuscode', 'digest', 'length'];
const LINE = { urlkey: ROW[0], timestamp: ROW[1], url: ROW[2], mime: ROW[3], status: ROW[4], digest: 'sha1:abc' };

describe('parseCdx', () => {
  it('reads an array of arrays, and an object on each line, as the same (d6)', () => {
    const capture = {
      url: 'https://example.org/',
      timestamp: '20260102030405',
      mimetype: 'text/csv',
      statusCode: 200,
      digest: 'ABC',
    };
    assert.deepEqual(parseCdx(JSON.stringify([NAMES, ROW])), [capture]);
    assert.deepEqual(parseCdx(`${JSON.stringify(LINE)}\n${JSON.stringify(LINE)}\n`), [capture, capture]);
  });

  it('reads an index without captures', () => {
    for (const text of ['', '\n', '[]', JSON.stringify([NAMES])]) assert.deepEqual(parseCdx(text), []);
  });

  it('refuses what is no index', () => {
    for (const text of ['<html>', '{}', '[1]', JSON.stringify([NAMES, []]), '{"timestamp":"now"}']) {
      assert.throws(() => parseCdx(text), text);
    }
  });

  it('takes 200, 203 and references to an earlier capture for whole, and no others (d17)', () => {
    const statuses = ['200', '203', '202', '302', '404', '-'];
    const captures = parseCdx(statuses.map((status) => JSON.stringify({ ...LINE, status })).join('\n'));
    assert.deepEqual(captures.map(isWhole), [true, true, false, false, false, false]);
    assert.ok(parseCdx(JSON.stringify({ ...LINE, status: '-', mime: 'warc/revisit' })).every(isWhole));
  });
});

describe('base32Of', () => {
  it('writes a SHA-1 as web archives do, with zeros at its beginning (d14)', () => {
    // Of an empty body, as every CDX has it.
    assert.equal(base32Of(hash('sha1', '')), '3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ');
    assert.equal(base32Of('0'.repeat(39).concat('1')), `${'A'.repeat(31)}B`);
  });
});

describe('headers of an item', () => {
  it('number values, and encode all but plain ASCII', () => {
    const headers = metadataHeaders({ creator: ['Ada', 'Zoë (B)'], long_name: 'a b', 'no name': 'x', empty: '' }, {});
    assert.deepEqual(headers, {
      'x-archive-meta00-collection': 'opensource',
      'x-archive-meta00-mediatype': 'data',
      'x-archive-meta00-creator': 'Ada',
      'x-archive-meta01-creator': 'uri(Zo%C3%AB%20%28B%29)',
      'x-archive-meta00-long--name': 'uri(a%20b)',
    });
  });

  it('stay below 8 kB, and keep what is fixed', () => {
    const long = { description: 'é'.repeat(100_000), subject: Array(500).fill('a subject\r\n'), dataset: 'other' };
    const headers = metadataHeaders(long, { dataset: 'ours' });
    assert.equal(headers['x-archive-meta00-dataset'], 'ours');
    assert.ok(JSON.stringify(headers).length < 8_000);
    assert.ok(Object.values(headers).every((value) => /^[\x21-\x7e]+$/.test(value)));
  });

  it('take a text for no code of theirs', () => {
    assert.equal(fileMetadataHeaders({ title: 'uri(x)' })['x-archive-filemeta00-title'], 'uri(uri%28x%29)');
  });
});

describe('itemPath', () => {
  it('keeps paths, but for those that archive.org has reserved (d15)', () => {
    const files = [{ path: '_NAME', hashes: [] }];
    const paths = ['a/name', 'name', 'names', 'history/files/a', 'X_meta.xml', 'x_files.xml', 'Y_meta.xml'];
    assert.deepEqual(
      paths.map((path) => itemPath({ path }, 'X', files)),
      ['a/name', '__name', 'names', '_history/files/a', '_X_meta.xml', '_x_files.xml', 'Y_meta.xml'],
    );
  });
});

describe('isAsStated', () => {
  const hashes = { md5: hash('md5', 'x'), 'sha-1': hash('sha1', 'x') };
  const file = { path: 'x', size: 1 };

  it('requires each hash that is stated to be known, and equal (D26)', () => {
    const stated = (algorithm: string, digest: string) => ({ ...file, hashes: [{ algorithm, digest }] });
    assert.ok(isAsStated(stated('md5', hashes.md5), { size: 1, hashes }));
    assert.ok(!isAsStated(stated('md5', hash('md5', 'y')), { size: 1, hashes }));
    assert.ok(!isAsStated(stated('sha256', hash('sha256', 'x')), { size: 1, hashes }));
    assert.ok(!isAsStated(stated('md5', hashes.md5), { size: 2, hashes }));
    assert.ok(!isAsStated({ path: 'x', hashes: [] }, { size: 1, hashes }));
  });
});

describe('spnErrorOf', () => {
  it('knows what to do about an error that it does not know', () => {
    const { status, advice } = spnErrorOf('error:constructor');
    assert.deepEqual([status, /try again later/.test(advice)], ['error-backend', true]);
  });
});
