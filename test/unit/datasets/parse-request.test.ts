import assert from 'node:assert/strict';
import { isTidemarkError } from '../../../src/core/errors.ts';
import { parseBaseUrl, parseRequest } from '../../../src/datasets/results/parse-request.ts';

const refusedAt = (field: string, message?: RegExp) => (error: unknown) => {
  assert.ok(isTidemarkError(error, 'invalid'), String(error));
  assert.equal(error.details.field, field);
  if (message !== undefined) assert.match(error.message, message);
  return true;
};

describe('a request of a client', () => {
  it('is a URL, a DOI or a handle in any spelling (D59)', () => {
    const doi = 'https://doi.org/10.7910/DVN/CLSFKX';
    for (const text of [
      ...['10.7910/DVN/CLSFKX', 'doi:10.7910/DVN/CLSFKX', ' DOI: 10.7910/DVN/CLSFKX\n', 'doi.org/10.7910/DVN/CLSFKX'],
      ...['http://dx.doi.org/10.7910/DVN/CLSFKX', 'https://www.doi.org/10.7910/DVN/CLSFKX', doi],
    ]) {
      assert.equal(parseBaseUrl(text), doi, text);
    }
    assert.equal(parseBaseUrl('hdl:1902.1/12612'), 'https://hdl.handle.net/1902.1/12612');
    const url = 'http://data.example.org/dataset?id=A%2fB&x=#part';
    for (const own of [url, 'https://data.example/10.5072/a'])
      assert.equal(parseBaseUrl(own), own, 'a URL stays as it is');
    assert.deepEqual(parseRequest(url), { ingest_type: 'dataset', base_url: url });
  });

  it('keeps members that are not known, and leaves out those without a value', () => {
    const request = {
      ingest_type: 'dataset',
      base_url: 'https://example.org/',
      ext_ids: { doi: '10.1/x' },
      more: [{}],
    };
    assert.deepEqual(parseRequest({ ...request, link_source: null }), request);
  });

  it('is refused with its field when it is of another type, or fits no sink (D01, D39, d19)', () => {
    const base_url = 'https://example.org/';
    const cases: readonly (readonly [value: unknown, field: string, message?: RegExp])[] = [
      [{ ingest_type: 'pdf', base_url }, 'ingest_type', /use dataset/],
      [{ ingest_type: 'dataset' }, 'base_url', /missing/],
      [{ base_url: 7 }, 'base_url', /use a text/],
      [{ base_url, ext_ids: { doi: 1 } }, 'ext_ids.doi'],
      [[], 'request'],
      [null, 'request'],
      ['', 'base_url', /DOI/],
      ['10.1234', 'base_url'],
      ['file:///etc/passwd', 'base_url'],
      ['https://name:secret@example.org/', 'base_url', /password/],
      [`https://example.org/${'x'.repeat(1_981)}`, 'base_url', /2000 bytes/],
      ['https://example.org/\ud800', 'base_url'],
      ['https://example.org/\0', 'request'],
      [{ base_url, note: 'a\0b' }, 'request', /U\+0000/],
      [{ base_url, note: 'x'.repeat(70_000) }, 'request', /65536 bytes/],
      [{ base_url, note: JSON.parse('['.repeat(50_000) + ']'.repeat(50_000)) }, 'request'],
    ];
    for (const [value, field, message] of cases) assert.throws(() => parseRequest(value), refusedAt(field, message));
    assert.equal(parseRequest({ base_url, note: 'a\\u0000b' }).base_url, base_url, 'that is no U+0000');
    assert.equal(Buffer.byteLength(parseBaseUrl(`https://example.org/${'x'.repeat(1_980)}`)), 2_000);
  });
});
