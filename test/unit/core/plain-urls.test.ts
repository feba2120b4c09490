import assert from 'node:assert/strict';
import fc from 'fast-check';
import { isTidemarkError } from '../../../src/core/errors.ts';
import { resolveLocation, strictUri } from '../../../src/core/key.ts';

const BASE = { urlPrefix: 'https://set.example.org/below/' };
const ORIGINS = [
  'https://objects.example.org',
  'HTTPS://objects.example.org',
  'https://Objects.example.org',
  'https://objects.example.org:443',
  'https://objects.example.org:8443',
  'http://1.2',
  'http://[::1]',
  'https://ob%6Aects.example.org',
  'https://bücher.example.org',
  'ftp://files.example.org',
  'urn://names.example.org',
  'https:/one.example.org',
  'https:///three.example.org',
];
const path = fc.string({ unit: fc.constantFrom(...'aZ09-_~!$&\'()*+,;=:@/%?#[]"<>\\^`{|}é'), maxLength: 12 });
const url = fc.tuple(fc.constantFrom(...ORIGINS), path).map(([origin, path]) => `${origin}/${path}`);

describe('The key of a URL elsewhere', () => {
  it('is what the parser makes of it, whichever URLs were met before', () => {
    fc.assert(
      fc.property(fc.array(url, { minLength: 1, maxLength: 6 }), (urls) => {
        for (const value of urls) assert.equal(keyOf(value), expected(value), value);
      }),
      { numRuns: 1_000 },
    );
  });

  it('is refused with a user name, on a host that was met without', () => {
    assert.equal(keyOf('https://objects.example.org/a'), 'https://objects.example.org/a');
    assert.equal(keyOf('https://me@objects.example.org/a'), 'credentials');
    assert.equal(keyOf('https://@objects.example.org/a'), 'https://objects.example.org/a');
  });
});

function expected(value: string): string {
  const url = URL.parse(value);
  const isUri = url !== null && !/[ "<>\\^`{|}]|%(?![0-9A-Fa-f]{2})/.test(value);
  return isUri ? strictUri(url.href) : 'not-a-uri';
}

/** The key, or the code of what is wrong with it. */
function keyOf(value: string): unknown {
  try {
    return resolveLocation({ value, type: 'url' }, BASE);
  } catch (error) {
    if (isTidemarkError(error, 'invalid')) return error.details.code;
    throw error;
  }
}
