import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import type { DatasetFetcher } from '../../src/datasets/fetch/dataset-fetcher.ts';
import { openFetcher } from '../../src/datasets/fetch/open-fetcher.ts';
import { crawlLanding } from '../../src/datasets/landing/crawl-landing.ts';
import { type HtmlParser, openHtmlParser } from '../../src/datasets/landing/parse-html.ts';
import type { PlatformDataset } from '../../src/datasets/platform.ts';
import { openPlatformClient } from '../../src/datasets/platform-client.ts';
import { datasetPlatforms } from '../../src/datasets/platforms/platforms.ts';
import { notTried } from '../../src/datasets/strategies/manifest-entry.ts';
import { contentOf, type StandInDataset, type StandInPlatforms, startPlatforms } from '../support/dataset-platforms.ts';
import { failureOf } from '../support/recorded-replies.ts';

type Change = NonNullable<StandInDataset['change']>;

const PLATFORMS = ['dataverse', 'zenodo', 'inveniordm', 'figshare', 'archiveorg'] as const;
const FILES = [
  { name: 'data/ice north.csv', size: 70_000 },
  { name: 'table.csv', isTable: true },
  { name: 'empty.txt', size: 0 },
];

describe('platforms of datasets', () => {
  let platforms: StandInPlatforms;
  let fetcher: DatasetFetcher;
  let html: HtmlParser;
  before(() => {
    html = openHtmlParser();
  });
  after(() => html.close());
  beforeEach(async () => {
    platforms = await startPlatforms();
    fetcher = openFetcher({ networks: ['127.0.0.1'], tokens: [], attempts: 1 });
  });
  afterEach(async () => {
    fetcher.close();
    await platforms.close();
  });

  /** Crawls a page, asks the platforms in order, and reads the manifest, as an ingest does. */
  async function read(url: string, followLatest = false): Promise<PlatformDataset> {
    const signal = AbortSignal.timeout(60_000);
    const { landing, biblio } = await crawlLanding(url, { fetcher, html, signal });
    const { host } = new URL(platforms.url);
    const request = { ingest_type: 'dataset', base_url: url } as const;
    const known = datasetPlatforms({ figshare: { [host]: platforms.url }, archiveorg: [host] });
    const platform = known.find((one) => one.matchRequest(request, landing, biblio));
    assert.ok(platform, `no platform recognizes ${url}`);
    return await platform.processRequest(
      { request, landing, biblio, followLatest },
      openPlatformClient({ fetcher, signal }),
    );
  }

  const add = (dataset: Partial<StandInDataset> & Pick<StandInDataset, 'platform'>) =>
    platforms.add({ files: FILES, ...dataset });

  for (const platform of PLATFORMS)
    it(`reads a manifest of ${platform}, whose URLs lead to the bytes that it states (D22, D24, D28, D29, D52, D54, D58)`, async () => {
      const { files, ...dataset } = await read(add({ platform }));
      assert.equal(dataset.platformDomain, new URL(platforms.url).host);
      assert.deepEqual(
        files.map(({ path, size }) => [path, size]),
        FILES.map(({ name, size = 1000 }) => [name, size]),
      );
      for (const { platformUrl, hashes, path, size } of files) {
        const bytes = Buffer.from(await (await fetch(platformUrl!)).arrayBuffer());
        assert.ok(bytes.equals(contentOf(path, size)), path);
        assert.equal(hash('md5', bytes), hashes.find(({ algorithm }) => algorithm === 'md5')!.digest);
      }
    });

  it('reads an older version of a Dataverse dataset and of an article, and pins the latest one (D55, d12)', async () => {
    const older = [{ version: '1.0', files: [{ name: 'old.csv' }] }];
    const dataset = add({ platform: 'dataverse', version: '1.1', older });
    const described = async (url: string) => {
      const { version, files } = await read(url);
      return [version, files.length];
    };
    assert.deepEqual(await described(dataset), ['1.1', 3]);
    assert.deepEqual(await described(`${dataset}&version=1.0`), ['1.0', 1]);
    const article = add({
      platform: 'figshare',
      version: '2',
      older: [{ version: '1', files: [{ name: 'old.csv' }] }],
    });
    assert.deepEqual(await described(article), ['2', 3]);
    assert.deepEqual(await described(`${article}/1`), ['1', 1]);
  });

  it('refuses the DOI of a concept, unless the latest version is to be followed (d12)', async () => {
    add({ platform: 'zenodo', id: '71', concept: '70' });
    const latest = add({ platform: 'zenodo', id: '72', concept: '70' });
    const concept = `${platforms.url}/doi/10.5281/zenodo.70`;
    assert.match(await failureOf(read(concept)), /^platform-scope: .*all versions.*--follow-latest/);
    assert.equal((await read(concept, true)).platformId, '72');
    assert.equal((await read(latest)).platformId, '72');
  });

  it('lists 10,001 files in seconds, with 2 kB each: its caller refuses them', async () => {
    const files = Array.from({ length: 10_001 }, (_, at) => ({ name: `f/${at}.csv`, size: 1 }));
    const change: Change = (body) => {
      for (const file of body.data?.latestVersion.files ?? []) file.description = 'x'.repeat(1_500);
      return body;
    };
    for (const platform of ['dataverse', 'inveniordm', 'figshare'] as const)
      assert.equal((await read(add({ platform, files, change }))).files.length, 10_001, platform);
  });

  const hostile: readonly (readonly [what: string, Change, failure: RegExp])[] = [
    ['no JSON', () => '<html>We are down', /^bad-platform-reply: .*no JSON/],
    ['half of its JSON', (body) => JSON.stringify(body).slice(0, -9), /^bad-platform-reply: .*no JSON/],
    ['an empty body', () => '', /^bad-platform-reply: /],
    ['100,000 levels', () => '['.repeat(100_000) + ']'.repeat(100_000), /^bad-platform-reply: .*nested/],
    ['null', () => null, /^bad-platform-reply: .*the reply is wrong: use an object/],
    ['a list', () => [], /^bad-platform-reply: .*the reply is wrong: use an object/],
    ['33 MB', () => `"${'x'.repeat(33 * 1024 ** 2)}"`, /^bad-platform-reply: .*more than 33,554,432 bytes/],
  ];
  for (const [what, change, failure] of hostile)
    it(`refuses a reply with ${what}, of every platform`, async () => {
      for (const platform of PLATFORMS)
        assert.match(await failureOf(read(add({ platform, change }))), failure, platform);
    });

  it('stops to read a reply that never ends', async () => {
    const url = add({ platform: 'zenodo', id: '5' });
    let sent = 0;
    platforms.addPage('/api/records/5', (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const more = () => {
        while (!response.destroyed && response.write('[1,2,3,4]'.repeat(10_000))) sent += 90_000;
      };
      response.on('drain', more);
      more();
      return true;
    });
    assert.match(await failureOf(read(url)), /^bad-platform-reply: .*more than/);
    assert.ok(sent < 500_000_000, `${sent} bytes were read`);
  });

  for (const [status, failure] of [
    [401, /^platform-restricted: /],
    [403, /^platform-restricted: /],
    [404, /^platform-404: /],
    [410, /^platform-404: /],
    [202, /^blocked-challenge: /],
    [503, /^error-platform-download: /],
    [418, /^bad-platform-reply: /],
  ] as const)
    it(`understands the status ${status} of an API`, async () => {
      const url = add({ platform: 'inveniordm', id: 'abcde-00001' });
      platforms.addPage('/api/records/abcde-00001', { status, body: '{}' });
      assert.match(await failureOf(read(url)), failure);
    });

  for (const stated of ['77', -1, 0.5, null, true, [1], {}, 1e21] as const)
    it(`refuses the size ${JSON.stringify(stated)} of a file, and names the field`, async () => {
      // Texts are what the metadata API of archive.org states.
      const asked = PLATFORMS.filter((one) => one !== 'archiveorg');
      for (const platform of asked) {
        const failure = await failureOf(read(add({ platform, files: [{ name: 'a', stated: { size: stated } }] })));
        assert.match(failure, /^bad-platform-reply: .*size (?:is wrong|is missing)/, platform);
      }
    });

  it('refuses another dataset than the requested one, of every platform', async () => {
    const change: Change = (body) =>
      JSON.parse(JSON.stringify(body).replaceAll('CLSFKX', 'OTHER').replaceAll('4711', '4712'));
    const ids = { dataverse: 'doi:10.7910/DVN/CLSFKX', inveniordm: 'abcde-04711', archiveorg: 'item-4711' };
    for (const platform of PLATFORMS) {
      const id = platform === 'zenodo' || platform === 'figshare' ? '4711' : ids[platform];
      assert.match(await failureOf(read(add({ platform, id, change }))), /^bad-platform-reply: .*describes .*, but/);
    }
  });

  it('refuses an identity that is no short text', async () => {
    for (const id of ['doi:10.5072/a\0b', 'doi:10.5072/a\nb', `doi:10.5072/${'x'.repeat(2_000)}`]) {
      const url = add({ platform: 'dataverse', id }).replace(id, encodeURIComponent(id));
      assert.match(await failureOf(read(url)), /^bad-platform-reply: .*the id of the dataset is .*no identifier/);
    }
  });

  it('ends pages of files that repeat', async () => {
    const files = Array.from({ length: 1000 }, (_, at) => ({ name: `${at}.csv`, size: 1 }));
    let first: unknown;
    const change: Change = (body, url) => {
      if (!url.includes('/files?')) return body;
      first ??= body;
      return first;
    };
    const failure = await failureOf(read(add({ platform: 'figshare', files, change })));
    assert.match(failure, /^bad-platform-reply: .*lists file \d+ again/);
    assert.equal(platforms.requests.filter((url) => url.includes('/files?')).length, 2);
  });

  it('refuses a path that leads out of its folder, of every platform', async () => {
    for (const platform of PLATFORMS) {
      const failure = await failureOf(read(add({ platform, files: [{ name: '../../etc/passwd' }] })));
      assert.match(failure, /^bad-manifest: .*etc\/passwd|^bad-manifest: .*"\.\.\/\.\./, platform);
    }
  });

  it('refuses a file at a URL of another scheme, and requests none in a private network', async () => {
    const at =
      (content: string): Change =>
      (body) => {
        body.files.entries.a.links = { content };
        return body;
      };
    const files = [{ name: 'a' }];
    for (const url of ['file:///etc/passwd', 'ftp://example.org/a'])
      assert.match(
        await failureOf(read(add({ platform: 'inveniordm', files, change: at(url) }))),
        /^bad-manifest: .*"a": only http and https/,
      );
    for (const url of ['http://169.254.169.254/latest/meta-data', 'http://[::1]/', 'http://127.0.0.2/']) {
      const [file] = (await read(add({ platform: 'inveniordm', files, change: at(url) }))).files;
      const signal = AbortSignal.timeout(60_000);
      const attempt = fetcher.get(file!.platformUrl!, { signal, unanswered: 'file-not-fetched' });
      assert.match(await failureOf(attempt), /^blocked-network: /, url);
    }
  });

  it('keeps what gives access out of identities, manifests and messages, but not out of requests', async () => {
    const files = [{ '@type': 'DataDownload', contentUrl: '/a.csv?X-Amz-Signature=secret' }];
    const pageOf = (distribution: unknown) => ({
      body: `<script type="application/ld+json">${JSON.stringify({ '@type': 'Dataset', distribution })}</script>`,
    });
    const dataset = await read(platforms.addPage('/data?token=secret-1', pageOf(files)));
    const other = await read(platforms.addPage('/data?token=secret-2', pageOf(files)));
    assert.match(dataset.files[0]!.platformUrl!, /Signature=secret$/);
    const published = [dataset, other].map((one) => ({ ...one, files: one.files.map(notTried) }));
    assert.doesNotMatch(JSON.stringify(published), /secret/);
    assert.equal(published[0]!.landingUrl, `${platforms.url}/data`);
    assert.notEqual(dataset.platformId, other.platformId);
    const failure = await failureOf(read(platforms.addPage('/data?token=secret-3', pageOf([]))));
    assert.match(failure, /^empty-manifest: http:\S+\/data describes a dataset/);
  });

  it('takes members __proto__ and constructor for what they are: members that are not used', async () => {
    const change: Change = (body) => {
      const text = JSON.stringify(body);
      return `{"__proto__": {"files": "x", "polluted": 1}, "constructor": {"prototype": {"polluted": 1}}, ${text.slice(1)}`;
    };
    for (const platform of PLATFORMS) assert.equal((await read(add({ platform, change }))).files.length, 3, platform);
    assert.equal('polluted' in {}, false);
  });
});
