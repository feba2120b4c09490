import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { loadConfiguration } from '../../../src/config/load-configuration.ts';
import type { Surroundings } from '../../../src/config/setting-sources.ts';
import { documentedSettings, SETTING_NAMES, settingOf } from '../../../src/config/settings.ts';
import { STORE_SETTINGS } from '../../../src/config/store-settings.ts';
import { isTidemarkError, type TidemarkError } from '../../../src/core/errors.ts';
import { itNeeding } from '../../support/it-needing.ts';

describe('the configuration', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'tidemark-configuration-'));
  });

  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  it('has a default for everything', () => {
    const { configuration, given } = load();

    assert.partialDeepStrictEqual(
      { ...configuration },
      {
        store: { kind: 'sqlite', file: join(folder, 'data/tidemark.db') },
        artifacts: { kind: 'folder', folder: join(folder, 'data/artifacts') },
        archiveIntervalMs: undefined,
        dropLimit: 0.3,
        dropWarning: 0.15,
        dataFolder: join(folder, 'data'),
        file: undefined,
        baseUrl: 'http://localhost:8080',
        host: '127.0.0.1',
        port: 8080,
        sharePort: false,
        ownPort: undefined,
        sources: true,
        runsJobs: true,
        concurrency: 2,
        jobLeaseMs: 30_000,
        timeZone: 'UTC',
        verifyArtifactsDays: 30,
        verifyArtifactsRate: 50_000_000,
        token: undefined,
        publicReadOnly: false,
        tokenRequests: 6000,
        tokenBody: 1_000_000_000,
        anonymousRequests: Number.POSITIVE_INFINITY,
        s3TimeoutMs: 30_000,
        s3PollIntervalMs: 300_000,
        folderScanIntervalMs: 3_600_000,
        recordTimeoutMs: 10_000,
        recordsPollIntervalMs: 5_000,
        publicMetrics: false,
        robots: 'quiet',
        hub: { kind: 'none' },
        subscriberNetworks: [],
        validateNetworks: [],
        uploadNetworks: [],
        uploadFetchSize: 10_000_000_000,
        uploadFetchRetryMs: 3_600_000,
        uploadRetries: 3,
        harvestNetworks: [],
        harvestResponseSize: 256_000_000,
        harvestRetries: 8,
        datasetNetworks: [],
        datasetFiles: 1000,
        datasetSize: 128_000_000_000,
        datasetWebFiles: 20,
        datasetWebSize: 1024 ** 3,
        datasetWebFileSize: 128 * 1024 ** 2,
        datasetFetches: 4,
        platformTokens: [],
        datasetWeb: undefined,
        datasetArchiveorg: undefined,
        datasetArchiveorgMetadata: 'https://archive.org/',
        datasetArchiveorgKeys: undefined,
        datasetRows: undefined,
        datasetKafka: [],
        datasetKafkaEnvironment: 'prod',
        apiRoots: [],
        accessLog: true,
        logFormat: 'auto',
        cacheBytes: 2_000_000_000,
        idleTimeoutMs: 60_000,
        logLevel: 'info',
        failpoint: undefined,
      },
    );
    assert.deepEqual([...given], []);
  });

  it('has a field for each row of the table, and no others', () => {
    const { configuration } = load();

    const fields = SETTING_NAMES.filter((name) => !(name in STORE_SETTINGS)).map(
      (name) => settingOf(name).field ?? name,
    );
    const computed = ['store', 'artifacts', 'dataFolder', 'file'];
    assert.deepEqual(Object.keys(configuration).toSorted(), [...fields, ...computed].toSorted());
  });

  it('takes flags before variables, and variables before the file', () => {
    writeFile({ port: 1001, host: '127.0.0.1', logLevel: 'error' });

    const { configuration } = load({
      flags: { port: '1003' },
      environment: { TIDEMARK_PORT: '1002', TIDEMARK_HOST: '::1' },
    });

    assert.deepEqual(
      [configuration.port, configuration.host, configuration.logLevel, configuration.baseUrl],
      [1003, '::1', 'error', 'http://localhost:1003'],
    );
  });

  it('reads every setting from its variable', () => {
    const { configuration } = load({
      environment: {
        TIDEMARK_STORE: 'sqlite:elsewhere/log.db',
        TIDEMARK_DATA: 'kept',
        TIDEMARK_BASE_URL: 'https://example.org/sync/',
        TIDEMARK_HOST: '0.0.0.0',
        TIDEMARK_PORT: '0',
        TIDEMARK_SHARE_PORT: 'true',
        TIDEMARK_OWN_PORT: '8081',
        TIDEMARK_SOURCES: 'false',
        TIDEMARK_JOBS: 'false',
        TIDEMARK_CONCURRENCY: '5',
        TIDEMARK_JOB_LEASE: '1m',
        TIDEMARK_TIME_ZONE: 'Europe/Vienna',
        TIDEMARK_TOKEN: 'a-long-secret',
        TIDEMARK_PUBLIC_READ_ONLY: 'true',
        TIDEMARK_TOKEN_REQUESTS: '100',
        TIDEMARK_TOKEN_BODY: 'unlimited',
        TIDEMARK_ANONYMOUS_REQUESTS: '60',
        TIDEMARK_S3_TIMEOUT: '45s',
        TIDEMARK_S3_POLL_INTERVAL: '1m',
        TIDEMARK_FOLDER_SCAN_INTERVAL: '2h',
        TIDEMARK_RECORDS_POLL_INTERVAL: '2s',
        TIDEMARK_RECORD_TIMEOUT: '5s',
        TIDEMARK_PUBLIC_METRICS: 'true',
        TIDEMARK_ROBOTS: 'sitemaps',
        TIDEMARK_VALIDATE_NETWORKS: '10.1.0.0/16, ::1',
        TIDEMARK_UPLOAD_NETWORKS: '10.2.0.0/16',
        TIDEMARK_UPLOAD_FETCH_SIZE: '20gb',
        TIDEMARK_UPLOAD_FETCH_RETRY: '90s',
        TIDEMARK_UPLOAD_RETRIES: '0',
        TIDEMARK_VERIFY_ARTIFACTS_WITHIN: 'never',
        TIDEMARK_VERIFY_ARTIFACTS_RATE: '1mb',
        TIDEMARK_API_ROOTS: 'files, s3://papers/2026',
        TIDEMARK_HUB: 'https://hub.example.org',
        TIDEMARK_SUBSCRIBER_NETWORKS: '127.0.0.1',
        TIDEMARK_ACCESS_LOG: 'false',
        TIDEMARK_LOG_FORMAT: 'text',
        TIDEMARK_CACHE_SIZE: '1.5GB',
        TIDEMARK_IDLE_TIMEOUT: '2m',
        TIDEMARK_LOG_LEVEL: 'debug',
        TIDEMARK_ARTIFACTS: 'file:files',
        TIDEMARK_ARCHIVE: '10m',
        TIDEMARK_DROP_LIMIT: '20%',
        TIDEMARK_DROP_WARNING: '10%',
        TIDEMARK_FAILPOINT: 'commit.begun:kill',
      },
    });

    const { token, ...others } = configuration;
    assert.partialDeepStrictEqual(others, {
      store: { kind: 'sqlite', file: join(folder, 'elsewhere/log.db') },
      artifacts: { kind: 'folder', folder: join(folder, 'files') },
      archiveIntervalMs: 600_000,
      dropLimit: 0.2,
      dropWarning: 0.1,
      dataFolder: join(folder, 'kept'),
      file: undefined,
      baseUrl: 'https://example.org/sync',
      host: '0.0.0.0',
      port: 0,
      sharePort: true,
      ownPort: 8081,
      sources: false,
      runsJobs: false,
      concurrency: 5,
      jobLeaseMs: 60_000,
      timeZone: 'Europe/Vienna',
      verifyArtifactsDays: Number.POSITIVE_INFINITY,
      verifyArtifactsRate: 1_000_000,
      publicReadOnly: true,
      tokenRequests: 100,
      tokenBody: Number.POSITIVE_INFINITY,
      anonymousRequests: 60,
      s3TimeoutMs: 45_000,
      s3PollIntervalMs: 60_000,
      folderScanIntervalMs: 7_200_000,
      recordTimeoutMs: 5_000,
      recordsPollIntervalMs: 2_000,
      publicMetrics: true,
      robots: 'sitemaps',
      hub: { kind: 'elsewhere', url: 'https://hub.example.org/' },
      subscriberNetworks: ['127.0.0.1'],
      validateNetworks: ['10.1.0.0/16', '::1'],
      uploadNetworks: ['10.2.0.0/16'],
      uploadFetchSize: 20_000_000_000,
      uploadFetchRetryMs: 90_000,
      uploadRetries: 0,
      apiRoots: [join(folder, 'files'), 's3://papers/2026'],
      accessLog: false,
      logFormat: 'text',
      cacheBytes: 1_500_000_000,
      idleTimeoutMs: 120_000,
      logLevel: 'debug',
      failpoint: 'commit.begun:kill',
    });
    assert.equal(token?.reveal(), 'a-long-secret');
  });

  it('means relative paths of a file from the folder of that file', () => {
    const other = mkdtempSync(join(folder, 'other-'));
    writeFileSync(join(other, 'settings.json'), '{"data": "kept", "store": "sqlite:log.db"}');

    const { configuration } = load({ configurationFile: join(other, 'settings.json') });

    assert.equal(configuration.dataFolder, join(other, 'kept'));
    assert.deepEqual(configuration.store, { kind: 'sqlite', file: join(other, 'log.db') });
  });

  it('puts the store into the data folder when only that is set', () => {
    const { store } = load({ flags: { data: '/srv/tidemark' } }).configuration;
    assert.deepEqual(store, { kind: 'sqlite', file: '/srv/tidemark/tidemark.db' });
  });

  it('takes an empty variable as one that is not set', () => {
    assert.equal(load({ environment: { TIDEMARK_PORT: '' } }).configuration.port, 8080);
  });

  it('never prints a token', () => {
    const { configuration } = load({ environment: { TIDEMARK_TOKEN: 'a-long-secret' } });

    for (const text of [
      JSON.stringify(configuration),
      inspect(configuration, { depth: 9 }),
      `${configuration.token}`,
    ]) {
      assert.doesNotMatch(text, /a-long-secret/);
    }
  });

  it('reads each secret from the file that its _FILE variable names, without the line break at its end', () => {
    writeFileSync(join(folder, 'token'), 'a-long-secret\n');
    writeFileSync(join(folder, 'store'), 'https://user:secret@host:9200\r\n');
    const { configuration, given } = load({
      environment: { TIDEMARK_TOKEN_FILE: join(folder, 'token'), TIDEMARK_STORE_FILE: 'store', TIDEMARK_TOKEN: '' },
    });

    assert.equal(configuration.token?.reveal(), 'a-long-secret');
    assert.partialDeepStrictEqual(configuration.store, { nodes: ['https://host:9200'] });
    assert.deepEqual([...given].sort(), ['store', 'token']);
    // One that has no flag is a secret.
    for (const [, { variable, flag, secret }] of documentedSettings()) {
      assert.ok(flag !== undefined || secret, variable);
    }
  });

  it('says what is wrong with the file of a secret, without its content', () => {
    const file = (name: string, text: string) => {
      writeFileSync(join(folder, name), text);
      return join(folder, name);
    };
    const named = (value: string, others = {}) =>
      problems(loadingError({ environment: { TIDEMARK_TOKEN_FILE: value, ...others } })).join();

    const token = file('token', 'a-long-secret\n');
    assert.equal(
      named(token, { TIDEMARK_TOKEN: 'another-secret' }),
      'TIDEMARK_TOKEN_FILE and TIDEMARK_TOKEN are both set: leave one out',
    );
    assert.equal(
      named('/nowhere/token'),
      'TIDEMARK_TOKEN_FILE names /nowhere/token, which does not exist: mount or write the secret there, or correct the path',
    );
    assert.match(named(`${token}/token`), /which does not exist/);
    assert.equal(
      named(folder),
      `TIDEMARK_TOKEN_FILE names ${folder}, which is a folder: name the file in it that contains the secret`,
    );
    assert.match(named(file('empty', '\n')), /empty, which is empty: write the secret into it$/);
    assert.equal(
      named(file('wrong', 'a secret of two lines\nwith-spaces\n')),
      `TIDEMARK_TOKEN_FILE (${folder}/wrong) is not a token: use 8 or more ASCII characters without spaces`,
    );
    assert.match(named(token, { TIDEMARK_STORE_FIL: token }), /TIDEMARK_STORE_FIL is not a setting; did you mean/);
  });

  const canChangeUser = process.getuid?.() === 0 && typeof process.seteuid === 'function';
  const missing = canChangeUser ? undefined : 'needs root, whose right to read it gives up';
  itNeeding({ name: 'root', missing }, 'says that the account may not read the file of a secret', () => {
    writeFileSync(join(folder, 'token'), 'a-long-secret\n', { mode: 0o600 });
    chmodSync(folder, 0o755);
    process.seteuid!(65534);
    try {
      const { message } = loadingError({ environment: { TIDEMARK_TOKEN_FILE: 'token' } });
      assert.match(message, /token, which this account may not read: give it the right to/);
    } finally {
      process.seteuid!(0);
    }
  });

  it('names every wrong setting of every source in one message', () => {
    writeFile({ prot: 8080, idleTimeout: 5 });

    const error = loadingError({
      flags: { port: '99999' },
      environment: { TIDEMARK_STORE: 'https://user:secret@host:9200?a=b', TIDEMARK_BASEURL: 'http://localhost' },
    });

    assert.deepEqual(problems(error), [
      '--port "99999" is not a port number: use a number from 0 to 65535',
      'TIDEMARK_BASEURL is not a setting; did you mean TIDEMARK_BASE_URL?',
      'TIDEMARK_STORE has a query or a fragment: leave it out, and write %3F %23 for ? # in a password',
      'tidemark.config.json: idleTimeout 5 is not a duration: use a number with ms, s, m or h, such as 30s',
      'tidemark.config.json: prot is not a setting; did you mean port?',
    ]);
    for (const problem of problems(error)) assert.ok(error.message.includes(problem));
    assert.doesNotMatch(error.message, /secret/);
  });

  it('says what to do in place of a setting of an earlier version', () => {
    writeFile({ processes: 2 });
    const advice =
      /^(TIDEMARK_PROCESSES|tidemark.config.json: processes) is not a setting any more: start several servers that share a port/;
    const found = problems(loadingError({ environment: { TIDEMARK_PROCESSES: '2' } }));
    assert.equal(found.length, 2);
    for (const problem of found) assert.match(problem, advice);
  });

  it('names a wrong setting also when a stronger source overrides it', () => {
    assert.deepEqual(problems(loadingError({ flags: { port: '1' }, environment: { TIDEMARK_PORT: 'x' } })), [
      'TIDEMARK_PORT "x" is not a port number: use a number from 0 to 65535',
    ]);
  });

  const WRONG: readonly (readonly [variable: string, value: string, message: RegExp])[] = [
    ['TIDEMARK_PORT', '-1', /is not a port number/],
    ['TIDEMARK_PORT', '80.5', /is not a port number/],
    ['TIDEMARK_PORT', '65536', /is not a port number/],
    ['TIDEMARK_BASE_URL', 'example.org', /is not a URL/],
    ['TIDEMARK_BASE_URL', 'ftp://example.org', /is not a URL/],
    ['TIDEMARK_BASE_URL', 'http://example.org/?a=b', /query/],
    ['TIDEMARK_BASE_URL', 'http://me:pw@example.org', /user name or password/],
    ['TIDEMARK_HOST', 'http://localhost', /is not an address/],
    ['TIDEMARK_TOKEN', 'short', /8 or more/],
    ['TIDEMARK_PUBLIC_READ_ONLY', 'maybe', /neither true nor false/],
    ['TIDEMARK_CACHE_SIZE', '2 apples', /is not a size/],
    ['TIDEMARK_CACHE_SIZE', '10', /too small/],
    ['TIDEMARK_IDLE_TIMEOUT', '30', /is not a duration/],
    ['TIDEMARK_IDLE_TIMEOUT', '48h', /from 1ms to 24h/],
    ['TIDEMARK_LOG_LEVEL', 'loud', /silent, error, warn, info, debug/],
  ];
  for (const [variable, value, message] of WRONG) {
    it(`refuses ${variable}=${value}`, () => {
      const [problem, ...others] = problems(loadingError({ environment: { [variable]: value } }));

      assert.deepEqual(others, []);
      assert.ok(problem?.startsWith(`${variable} `));
      assert.match(problem ?? '', message);
    });
  }

  it('names a configuration file that is not JSON', () => {
    writeFileSync(join(folder, 'tidemark.config.json'), '{"port": 8080');

    assert.match(loadingError().message, /tidemark\.config\.json is not JSON: /);
  });

  it('names a configuration file that is not an object', () => {
    writeFileSync(join(folder, 'tidemark.config.json'), '[]');

    assert.match(loadingError().message, /must be a JSON object/);
  });

  it('names a configuration file that was asked for and does not exist', () => {
    assert.match(loadingError({ configurationFile: 'none.json' }).message, /none\.json does not exist/);
  });

  it('does not take the failpoint from the file', () => {
    writeFile({ failpoint: 'commit.begun:kill' });

    assert.match(loadingError().message, /failpoint is not a setting/);
  });

  function writeFile(body: object): void {
    writeFileSync(join(folder, 'tidemark.config.json'), JSON.stringify(body));
  }

  function load(surroundings: Partial<Surroundings> = {}) {
    return loadConfiguration({ flags: {}, environment: {}, workingDirectory: folder, ...surroundings });
  }

  function loadingError(surroundings: Partial<Surroundings> = {}): TidemarkError {
    try {
      load(surroundings);
    } catch (error) {
      assert.ok(isTidemarkError(error, 'invalid'));
      return error;
    }
    throw new Error('it was taken');
  }
});

function problems({ details }: TidemarkError): string[] {
  return (details.problems as { from: string; message: string }[])
    .map(({ from, message }) => `${from} ${message}`)
    .sort();
}
