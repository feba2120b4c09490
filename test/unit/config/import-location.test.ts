import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { importLocation } from '../../../src/config/import-location.ts';
import { loadConfiguration } from '../../../src/config/load-configuration.ts';
import { isTidemarkError } from '../../../src/core/errors.ts';

/** No message may repeat it. */
const PASSWORD = 'open-sesame';

describe('the index to import', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'tidemark-import-location-'));
  });

  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  it('is what the argument names', () => {
    assert.deepEqual(locate('http://localhost:9200/omtd-resourcesync'), {
      nodes: ['http://localhost:9200'],
      index: 'omtd-resourcesync',
    });
  });

  it('is a pattern, or several, behind the path of a proxy and on several nodes', () => {
    assert.deepEqual(locate('https://one:9200/search,https://two:9200/resources,changes-*/'), {
      nodes: ['https://one:9200/search', 'https://two:9200'],
      index: 'resources,changes-*',
    });
  });

  it('is what the settings name, with a user or a key, and an authority', () => {
    writeFileSync(join(folder, 'ca.pem'), rootCertificates[0]!);
    const TIDEMARK_IMPORT = `https://user:${PASSWORD}@one:9200/old`;

    assert.deepEqual(locate(undefined, { TIDEMARK_IMPORT, TIDEMARK_IMPORT_CA: 'ca.pem' }), {
      nodes: ['https://one:9200'],
      index: 'old',
      authorization: `Basic ${btoa(`user:${PASSWORD}`)}`,
      caFile: join(folder, 'ca.pem'),
    });
    assert.deepEqual(locate('http://two:9200/new', { TIDEMARK_IMPORT, TIDEMARK_IMPORT_API_KEY: 'a-long-key' }), {
      nodes: ['http://two:9200'],
      index: 'new',
      authorization: 'ApiKey a-long-key',
    });
  });

  for (const [argument, message] of [
    [undefined, /which index\? Name it as URL\/INDEX, or set TIDEMARK_IMPORT/],
    ['omtd-resourcesync', /URL\/INDEX names no index: use http:\/\/HOST:PORT\/INDEX/],
    ['http://localhost:9200', /names no index/],
    ['http://localhost:9200/', /names no index/],
    ['ftp://localhost/old', /names no index/],
    ['http://localhost:9200/old?x=1', /names an index that there cannot be/],
    ['http://localhost:9200/_all', /names an index that there cannot be/],
    ['http://localhost:9200/old,', /names an index that there cannot be/],
    ['http://:9200/old', /is not a URL/],
    [`http://user:${PASSWORD}@localhost:9200/old`, /contains a password, and a command line can be read by others/],
    [`http://user:more/${PASSWORD}@localhost:9200/old`, /is not a URL: .*write %2C %2F/],
    [`http://user:more/${PASSWORD}@localhost:9200`, /write %2F for \/ in a password/],
  ] as const) {
    it(`is not ${argument}`, () => {
      assert.throws(
        () => locate(argument),
        (error) => {
          assert.ok(isTidemarkError(error, 'invalid'));
          assert.match(error.message, message);
          assert.ok(!error.message.includes(PASSWORD));
          return true;
        },
      );
    });
  }

  it('is refused with both a key and a password, or an authority that is none', () => {
    const TIDEMARK_IMPORT = `https://user:${PASSWORD}@one:9200/old`;
    assert.throws(() => locate(undefined, { TIDEMARK_IMPORT, TIDEMARK_IMPORT_API_KEY: 'a-long-key' }), /leave one out/);
    assert.throws(
      () => locate('https://one/old', { TIDEMARK_IMPORT_CA: 'none.pem' }),
      /none\.pem, which does not exist/,
    );
    assert.throws(() => locate('http://one/old', { TIDEMARK_IMPORT_CA: 'none.pem' }), /is for servers with https/);
  });

  function locate(argument: string | undefined, environment: Record<string, string> = {}) {
    const { importing } = loadConfiguration({ flags: {}, environment, workingDirectory: folder });
    return importLocation(argument, importing);
  }
});
