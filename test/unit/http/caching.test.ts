import assert from 'node:assert/strict';
import { type CacheControl, CREDENTIALS, cachingHeaders } from '../../../src/http/response/caching.ts';

describe('The headers for caching', () => {
  const forPrivate: readonly (readonly [CacheControl, string])[] = [
    ['no-cache', 'private, no-cache'],
    ['no-store', 'private, no-store'],
    ['public, max-age=31536000, immutable', 'private, max-age=31536000, immutable'],
    ['public, max-age=60', 'private, max-age=60'],
  ];
  for (const [control, expected] of forPrivate) {
    it(`let only its sender keep a private response that would be sent with ${control}`, () => {
      for (const [vary, varies] of [
        [undefined, CREDENTIALS],
        ['Accept-Encoding', `Accept-Encoding, ${CREDENTIALS}`],
      ]) {
        const headers = cachingHeaders({ control, isPrivate: true, vary });
        assert.deepEqual(headers, { 'Cache-Control': expected, Vary: varies });
      }
    });

    it(`let every cache keep a public response as ${control} says`, () => {
      assert.deepEqual(cachingHeaders({ control, isPrivate: false }), { 'Cache-Control': control });
      const vary = 'Accept-Encoding';
      assert.deepEqual(cachingHeaders({ control, isPrivate: false, vary }), { 'Cache-Control': control, Vary: vary });
    });
  }
});
