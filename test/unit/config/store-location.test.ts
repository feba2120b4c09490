import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { loadConfiguration } from '../../../src/config/load-configuration.ts';
import type { Surroundings } from '../../../src/config/setting-sources.ts';
import { isTidemarkError } from '../../../src/core/errors.ts';
import { describeStore, type StoreLocation } from '../../../src/stores/locations.ts';

type Environment = Surroundings['environment'];

/** No message may repeat it. */
const PASSWORD = 'open-sesame';
const CERTIFICATE = rootCertificates[0]!;
const MORE_CERTIFICATES = rootCertificates.slice(1, 3).join('\n');

describe('the location of the store', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'tidemark-store-location-'));
  });

  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  it('is a file, from the folder of the setting that names it', () => {
    assert.deepEqual(storeOf({ TIDEMARK_STORE: 'sqlite:kept/log.db' }), {
      kind: 'sqlite',
      file: join(folder, 'kept/log.db'),
    });
  });

  it('is an Elasticsearch server, with the indices that everybody uses', () => {
    assert.deepEqual(storeOf({ TIDEMARK_STORE: 'http://localhost:9200' }), {
      kind: 'elasticsearch',
      nodes: ['http://localhost:9200'],
      prefix: 'omtd-resourcesync',
    });
  });

  it('is a cluster below the path of a proxy, with a user, an authority and indices of its own', () => {
    writeFileSync(join(folder, 'ca.pem'), `The authority:\n${CERTIFICATE}\n${MORE_CERTIFICATES}\n`);

    const location = storeOf({
      TIDEMARK_STORE: 'https://user:pass@one:9200/search/, HTTPS://Two:9200//,https://user:pass@one:9200/search',
      TIDEMARK_STORE_CA: 'ca.pem',
      TIDEMARK_INDEX_PREFIX: 'maps-2026',
    });

    assert.deepEqual(location, {
      kind: 'elasticsearch',
      nodes: ['https://one:9200/search', 'https://two:9200'],
      prefix: 'maps-2026',
      authorization: `Basic ${btoa('user:pass')}`,
      caFile: join(folder, 'ca.pem'),
    });
  });

  it('is asked with an API key', () => {
    const location = storeOf({
      TIDEMARK_STORE: 'http://localhost:9200',
      TIDEMARK_STORE_API_KEY: 'VnVhQ2ZHY0JDZGJrUQ==',
    });

    assert.equal(location.kind === 'elasticsearch' && location.authorization, 'ApiKey VnVhQ2ZHY0JDZGJrUQ==');
  });

  it('takes its settings from flags and from the file, too', () => {
    mkdirSync(join(folder, 'etc'));
    writeFileSync(join(folder, 'etc/ca.pem'), CERTIFICATE);
    const settings = { store: 'https://u:p@one', storeCa: 'ca.pem', indexPrefix: 'a' };
    writeFileSync(join(folder, 'etc/settings.json'), JSON.stringify(settings));

    const { store } = load({ flags: { indexPrefix: 'b' }, configurationFile: 'etc/settings.json' }).configuration;

    assert.deepEqual(store, {
      kind: 'elasticsearch',
      nodes: ['https://one'],
      prefix: 'b',
      authorization: `Basic ${btoa('u:p')}`,
      caFile: join(folder, 'etc/ca.pem'),
    });
  });

  const USERS: readonly (readonly [written: string, sent: string])[] = [
    ['elastic:p%40ss%2Cw%2Fo%25r%3Ad', 'elastic:p@ss,w/o%r:d'],
    ['elastic:p@ss:word', 'elastic:p@ss:word'],
    ['j%C3%B6rg:%E2%82%AC', 'jörg:€'],
    ['jörg:€', 'jörg:€'],
  ];
  for (const [written, sent] of USERS) {
    it(`sends the user and password of http://${written}@host`, () => {
      const location = storeOf({ TIDEMARK_STORE: `http://${written}@host:9200` });

      assert.deepEqual(location.kind === 'elasticsearch' && location.nodes, ['http://host:9200']);
      assert.equal(
        location.kind === 'elasticsearch' && location.authorization,
        `Basic ${Buffer.from(sent).toString('base64')}`,
      );
    });
  }

  const WRONG_STORES: readonly (readonly [store: string, message: RegExp])[] = [
    ['tidemark.db', /is not a store: use sqlite:PATH, .* or the URL of an Elasticsearch server/],
    ['localhost:9200', /is not a store/],
    [`elastic:${PASSWORD}@localhost:9200`, /is not a store/],
    [`elasticsearch://elastic:${PASSWORD}@localhost:9200`, /is not a store/],
    ['sqlite:', /lacks the path of the file/],
    ['http:', /is not a URL: use http:\/\/HOST:PORT/],
    ['http:localhost:9200', /is not a URL/],
    [`http://elastic:${PASSWORD}@:9200`, /is not a URL/],
    [`http://elastic:${PASSWORD}@localhost:99999`, /is not a URL/],
    ['http://elastic:ab/cd@localhost:9200', /is not a URL: .*write %2C %2F %3F %23 %25/],
    // These are URLs of a host named "elastic", at the ports 12 and 80.
    [`http://elastic:12/${PASSWORD}@localhost:9200`, /has an @ in its path: write %2F for \/ in a password/],
    [`http://elastic:80\\${PASSWORD}@localhost:9200`, /has an @ in its path/],
    [`http://elastic:12,${PASSWORD}@localhost:9200`, /\(node 2\) is not a URL/],
    ['http://one:9200,', /\(node 2\) is not a URL/],
    ['http://one:9200,two:9200', /\(node 2\) is not a URL/],
    ['http://one:9200,sqlite:data/tidemark.db', /\(node 2\) is not a URL/],
    [`http://elastic:${PASSWORD}@localhost:9200?pretty`, /has a query or a fragment/],
    [`http://elastic:1?${PASSWORD}@localhost:9200`, /has a query or a fragment/],
    [`http://elastic:1#${PASSWORD}@localhost:9200`, /has a query or a fragment/],
    [`http://:${PASSWORD}@localhost:9200`, /has a password without a user/],
    ['http://elastic@localhost:9200', /has a user without a password/],
    [`http://a%3Ab:${PASSWORD}@localhost:9200`, /has a colon in the name of the user/],
    [`http://elastic:100%${PASSWORD}@localhost:9200`, /has a % .* that encodes nothing: write %25/],
    [`http://elastic:%FF${PASSWORD}@localhost:9200`, /has a % .* that encodes nothing/],
    [`http://a:${PASSWORD}@one:9200,http://b:${PASSWORD}@two:9200`, /different users or passwords: use one/],
  ];
  for (const [store, message] of WRONG_STORES) {
    it(`is not ${store}`, () => isRefused({ TIDEMARK_STORE: store }, 'TIDEMARK_STORE', message));
  }

  const WRONG_PREFIXES: readonly (readonly [prefix: string, message: RegExp])[] = [
    ['Maps', /"Maps" cannot begin the names of indices: use lower case/],
    ['ΜΑΠΣ', /use lower case/],
    [' ', /it is empty/],
    ...[...'\\/*?"<>|,# :\t'].map((sign) => [`a${sign}b`, /leave out spaces and/] as const),
    ...[...'-_+.'].map((sign) => [`${sign}a`, /begin with a letter or a digit/] as const),
    ['a'.repeat(201), /use 200 bytes or fewer/],
    ['ä'.repeat(101), /use 200 bytes or fewer/],
  ];
  for (const [prefix, message] of WRONG_PREFIXES) {
    it(`has no indices that begin with ${JSON.stringify(prefix)}`, () => {
      isRefused({ TIDEMARK_INDEX_PREFIX: prefix }, 'TIDEMARK_INDEX_PREFIX', message);
    });
  }

  it('has indices that begin with up to 200 bytes', () => {
    const prefix = `2026.maps_${'ä'.repeat(95)}`;
    const location = storeOf({ TIDEMARK_STORE: 'http://localhost:9200', TIDEMARK_INDEX_PREFIX: prefix });

    assert.equal(location.kind === 'elasticsearch' && location.prefix, prefix);
  });

  for (const key of ['short', 'id:open-sesame', 'open sesame', 'ApiKey open-sesame']) {
    it(`is not asked with the API key ${key}`, () => {
      isRefused({ TIDEMARK_STORE_API_KEY: key }, 'TIDEMARK_STORE_API_KEY', /is not an API key: use .* "encoded"/);
    });
  }

  it('refuses an API key beside a password', () => {
    const environment = { TIDEMARK_STORE: `http://u:${PASSWORD}@one`, TIDEMARK_STORE_API_KEY: PASSWORD };

    isRefused(environment, 'TIDEMARK_STORE_API_KEY', /TIDEMARK_STORE contains a user and a password: leave out one/);
  });

  it('refuses a password on the command line, which others can read', () => {
    assert.deepEqual(problemsOf({ flags: { store: `http://u:${PASSWORD}@one` } }), [
      '--store contains a password, and a command line can be read by others: use TIDEMARK_STORE',
    ]);
    assert.equal(load({ flags: { store: 'http://one' } }).configuration.store.kind, 'elasticsearch');
  });

  it('refuses settings for Elasticsearch when it is a file, all in one message', () => {
    const environment = { TIDEMARK_STORE_API_KEY: PASSWORD, TIDEMARK_INDEX_PREFIX: 'maps' };
    const message =
      'is for a store on Elasticsearch, and the store is a file: set TIDEMARK_STORE to the URL of a server, or leave it out';

    for (const store of ['', 'sqlite:log.db']) {
      assert.deepEqual(
        problemsOf({ flags: { storeCa: 'ca.pem' }, environment: { ...environment, TIDEMARK_STORE: store } }),
        [`TIDEMARK_STORE_API_KEY ${message}`, `--store-ca ${message}`, `TIDEMARK_INDEX_PREFIX ${message}`],
      );
    }
  });

  it('does not complain of settings for Elasticsearch when its URL is what is wrong', () => {
    isRefused({ TIDEMARK_STORE: 'http://', TIDEMARK_INDEX_PREFIX: 'maps' }, 'TIDEMARK_STORE', /is not a URL/);
  });

  it('refuses an authority when no server has a certificate', () => {
    writeFileSync(join(folder, 'ca.pem'), CERTIFICATE);

    isRefused(
      { TIDEMARK_STORE: 'http://one,http://two', TIDEMARK_STORE_CA: 'ca.pem' },
      'TIDEMARK_STORE_CA',
      /is for servers with https:\/\/, and TIDEMARK_STORE has none/,
    );
  });

  const WRONG_AUTHORITIES: readonly (readonly [file: string, message: RegExp])[] = [
    ['none.pem', /names \/.*none\.pem, which does not exist/],
    ['.', /names a file that cannot be read: EISDIR/],
    ['key.pem', /names \/.*key\.pem, which does not contain a certificate in PEM form \(-----BEGIN CERTIFICATE-----\)/],
    ['ca.der', /names \/.*ca\.der, which does not contain a certificate in PEM form/],
    ['torn.pem', /names \/.*torn\.pem, of which certificate 2 is damaged/],
  ];
  for (const [file, message] of WRONG_AUTHORITIES) {
    it(`does not trust ${file}`, () => {
      writeFileSync(join(folder, 'key.pem'), '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n');
      writeFileSync(join(folder, 'ca.der'), Buffer.from(CERTIFICATE.split('\n').slice(1, -1).join(''), 'base64'));
      writeFileSync(join(folder, 'torn.pem'), `${CERTIFICATE}\n${CERTIFICATE.replace(/\n.{20}/, '\n')}\n`);

      isRefused({ TIDEMARK_STORE: 'https://one', TIDEMARK_STORE_CA: file }, 'TIDEMARK_STORE_CA', message);
    });
  }

  it('is shown without what gives access to it', () => {
    const location = storeOf({ TIDEMARK_STORE: `https://u:${PASSWORD}@one:9200,https://two:9200` });

    assert.equal(describeStore(location), 'https://one:9200,https://two:9200 (indices omtd-resourcesync-*)');
    assert.equal(describeStore({ kind: 'sqlite', file: '/srv/log.db' }), 'sqlite:/srv/log.db');
  });

  it('can be handed to a thread', () => {
    const location = storeOf({ TIDEMARK_STORE: `https://u:${PASSWORD}@one:9200` });

    assert.deepEqual(structuredClone(location), location);
  });

  function load(surroundings: Partial<Surroundings>) {
    return loadConfiguration({ flags: {}, environment: {}, workingDirectory: folder, ...surroundings });
  }

  function storeOf(environment: Environment): StoreLocation {
    return load({ environment }).configuration.store;
  }

  function isRefused(environment: Environment, variable: string, message: RegExp): void {
    const [problem, ...others] = problemsOf({ environment });

    assert.deepEqual(others, []);
    assert.ok(problem?.startsWith(`${variable} `), problem);
    assert.match(problem ?? '', message);
  }

  /** What is wrong, each as `SETTING message`; none of it contains a password. */
  function problemsOf(surroundings: Partial<Surroundings>): string[] {
    try {
      load(surroundings);
    } catch (error) {
      assert.ok(isTidemarkError(error, 'invalid'));
      assert.doesNotMatch(error.message, new RegExp(PASSWORD));
      const problems = error.details.problems as readonly { from: string; message: string }[];
      assert.doesNotMatch(JSON.stringify(problems), new RegExp(PASSWORD));
      return problems.map(({ from, message }) => `${from} ${message}`);
    }
    throw new Error('it was taken');
  }
});
