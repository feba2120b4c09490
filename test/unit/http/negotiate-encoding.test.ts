import assert from 'node:assert/strict';
import { negotiateEncoding } from '../../../src/http/response/negotiate-encoding.ts';

describe('The encoding of an answer', () => {
  const GZIP = [
    'gzip',
    'GZIP',
    'x-gzip',
    '*',
    'gzip, deflate, br, zstd',
    'br;q=1.0, gzip;q=0.8, *;q=0.1',
    'gzip;q=0.001',
    'gzip;q=0.5, identity;q=0.5',
    'gzip ; q=0.5 , identity;q=0.4',
    'identity;q=0, gzip;q=0.1',
    'gzip;q=0.5x, identity;q=0.6',
    'identity;q=0.2, *;q=0.3',
    'gzip;q=, identity;q=0.5',
    'gzip;xq=0.5, identity;q=0.9',
  ];
  const IDENTITY = [
    undefined,
    '',
    'identity',
    'br, deflate',
    'gzip;q=0',
    'gzip;q=0.000, *',
    '*;q=0',
    'gzip;q=0.4, identity;q=0.5',
    'gzip;q=0.3, *;q=0.5',
    'gzip;q=0.00001',
    'gzip;q=...',
    'identity;q=0',
    'gzip;level=9;q=0.5, identity;q=0.6',
  ];

  for (const accepted of GZIP) it(`is gzip for ${accepted}`, () => assert.equal(negotiateEncoding(accepted), 'gzip'));
  for (const accepted of IDENTITY) {
    it(`is identity for ${accepted}`, () => assert.equal(negotiateEncoding(accepted), 'identity'));
  }
});
