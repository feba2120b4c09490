import assert from 'node:assert/strict';
import { storedHead } from '../../../src/datasets/backends/warc/response-head.ts';
import { headerOf } from '../../../src/datasets/backends/warc/warc-record.ts';

const head = (...lines: readonly string[]): string => ['HTTP/1.1 200 OK', ...lines, '', ''].join('\r\n');
const stored = (text: string, length?: number): string => storedHead(text, length).toString('latin1');

describe('records of a WARC', () => {
  it('begin with the fields of WARC 1.1 (d14)', () => {
    const record = {
      type: 'metadata',
      id: '<urn:uuid:0>',
      time: Date.UTC(2026, 10, 29, 7, 54, 58, 123),
      contentType: 'application/warc-fields',
      fields: { 'WARC-Target-URI': 'https://x.example/', 'WARC-IP-Address': undefined },
      block: { bytes: Buffer.alloc(0) },
    } as const;
    assert.deepEqual(headerOf(record).toString().split('\r\n'), [
      'WARC/1.1',
      'WARC-Type: metadata',
      'WARC-Record-ID: <urn:uuid:0>',
      'WARC-Date: 2026-11-29T07:54:58Z',
      'WARC-Target-URI: https://x.example/',
      'WARC-Block-Digest: sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ',
      'Content-Type: application/warc-fields',
      'Content-Length: 0',
      '',
      '',
    ]);
  });

  it('have the head of a response as it came, when its body is stored as it came', () => {
    const plain = head('Content-Type: text/csv', 'content-length: 3', 'X-Odd: é');
    assert.equal(stored(plain), plain);
    assert.equal(stored(plain, 3), plain);
  });

  it('have other names for headers that are not true of the stored body, so that it can be replayed', () => {
    const orig = (line: string): string => `X-Archive-Orig-${line}`;
    assert.equal(
      stored(head('Transfer-Encoding: chunked', 'ETag: "1"')),
      head(orig('Transfer-Encoding: chunked'), 'ETag: "1"'),
    );
    assert.equal(
      stored(head('content-encoding: gzip', 'Content-Length: 20')),
      head(orig('content-encoding: gzip'), orig('Content-Length: 20')),
    );
    assert.equal(stored(head('Content-Length: 90000'), 65_536), head(orig('Content-Length: 90000')));
  });
});
