import assert from 'node:assert/strict';
import type { Landing } from '../../../../src/datasets/landing/landing.ts';
import type { PlatformClient, PlatformDataset } from '../../../../src/datasets/platform.ts';
import { signposted } from '../../../../src/datasets/platforms/signposted.ts';
import { askedAt, failureOf, matches } from '../../../support/recorded-replies.ts';

const PAGE = 'https://data.example.org/datasets/42';
const LINKSET = 'https://data.example.org/api/datasets/42/linkset';
const DOI = 'https://doi.org/10.5072/EX.42';
const SHA256 = 'ab'.repeat(32);

const signpost = (rel: string, href: string, type?: string) =>
  ({ rel, href, from: 'header', ...(type !== undefined && { type }) }) as const;
const TO_LINKSET = signpost('linkset', LINKSET, 'application/linkset+json');
const item = (name: string) => ({ href: `https://data.example.org/files/${name}`, type: 'text/csv', profile: 'x' });

/** With members that the profile does not have. */
const LINKS = {
  linkset: [
    {
      anchor: PAGE,
      'cite-as': [{ href: DOI }],
      item: [item('a.csv'), item('b.csv')],
      license: [{ href: 'https://spdx.org/licenses/CC-BY-4.0' }],
      unknown: [{ href: 'x' }],
    },
    { anchor: item('a.csv').href, collection: [{ href: PAGE, type: 'text/html' }] },
  ],
  more: true,
};

const DATASET = {
  '@context': 'https://schema.org/',
  '@type': 'Dataset',
  '@id': DOI,
  name: 'Salinity of the North Sea',
  creator: [{ '@type': 'Person', name: 'Ada' }, 'Grace'],
  datePublished: '2024-05-06T00:00:00Z',
  license: 'https://spdx.org/licenses/CC0-1.0',
  version: 3,
};
const distribution = (name: string, more: object = {}) => ({
  '@type': 'DataDownload',
  contentUrl: `https://data.example.org/files/${name}`,
  encodingFormat: 'text/csv; charset=utf-8',
  ...more,
});

describe('Signposted pages', () => {
  it('give the files of their set of links, as JSON (d18)', async () => {
    const dataset = await read({ signposts: [TO_LINKSET, signpost('item', item('a.csv').href)] }, LINKS);
    assert.deepEqual(pathsOf(dataset), ['a.csv', 'b.csv']);
    const { platformName, platformDomain, platformId, persistentId, archiveorgMetadata } = dataset;
    assert.deepEqual([platformName, platformDomain], ['signposted', 'data.example.org']);
    assert.deepEqual([platformId, persistentId], ['doi:10.5072/EX.42', DOI]);
    assert.equal(archiveorgMetadata.licenseurl, 'https://spdx.org/licenses/CC-BY-4.0');
    assert.deepEqual(dataset.files[0], {
      path: 'a.csv',
      size: undefined,
      hashes: [],
      mimetype: 'text/csv',
      platformUrl: item('a.csv').href,
      id: '1',
    });
  });

  it('give the files of their set of links, as text (d18)', async () => {
    const text = [
      `<${item('a.csv').href}>; rel="item"; type="text/csv"; anchor="${PAGE}"`,
      `</files/x>; anchor="${PAGE}"; rel="related item"; title="b, c.csv"`,
      `<${PAGE}>; rel="collection"; anchor="${item('a.csv').href}"`,
    ].join(',\n ');
    const signposts = [signpost('linkset', LINKSET, 'application/linkset')];
    const dataset = await read({ signposts }, text, 'application/linkset');
    assert.deepEqual(pathsOf(dataset), ['a.csv', 'b, c.csv']);
    assert.equal(dataset.files[1]!.platformUrl, 'https://data.example.org/files/x');
  });

  it('take no list that names fewer files than another one (d18)', async () => {
    const five = ['1', '2', '3', '4', '5'].map((name) => signpost('item', item(`${name}.csv`).href));
    assert.match(await failure({ signposts: five }), /^bad-manifest: .* links 5 files in its header/);
    assert.match(await failure({ signposts: [...five, TO_LINKSET] }, LINKS), /^bad-manifest: /);
    const all = ['a', 'b', 'c'].map((name) => distribution(`${name}.csv`));
    const dataset = await read({ signposts: [TO_LINKSET], jsonLd: [{ ...DATASET, distribution: all }] }, LINKS);
    assert.deepEqual(pathsOf(dataset), ['a.csv', 'b.csv', 'c.csv']);
  });

  it('give the files of schema.org, with size, hash and type; and what the dataset is (d18)', async () => {
    const described = [
      distribution('a.csv', { contentSize: '1,205 bytes', sha256: SHA256.toUpperCase() }),
      distribution('b.csv', { contentSize: '1.2 MB', description: 'Rounded' }),
    ];
    const dataset = await read({ jsonLd: [{ ...DATASET, distribution: described }] });
    assert.deepEqual(dataset.files[0]!.hashes, [{ algorithm: 'sha256', digest: SHA256 }]);
    assert.deepEqual(
      dataset.files.map(({ size, mimetype }) => [size, mimetype]),
      [
        [1205, 'text/csv'],
        [undefined, 'text/csv'],
      ],
    );
    assert.deepEqual(dataset.files[1]!.extra, { description: 'Rounded', contentSize: '1.2 MB' });
    assert.deepEqual([dataset.version, dataset.persistentId], ['3', DOI]);
    assert.deepEqual(dataset.archiveorgMetadata, {
      title: 'Salinity of the North Sea',
      creator: ['Ada', 'Grace'],
      date: '2024-05-06',
      licenseurl: 'https://spdx.org/licenses/CC0-1.0',
    });
  });

  it('prefer schema.org to a set of links where it states sizes or hashes of as many files (d18)', async () => {
    const jsonLd = [{ ...DATASET, distribution: [distribution('b.csv', { contentSize: 7 }), distribution('a.csv')] }];
    const { files } = await read({ signposts: [TO_LINKSET], jsonLd }, LINKS);
    assert.deepEqual(files.map(({ path, size }) => `${path} ${size}`).sort(), ['a.csv undefined', 'b.csv 7']);
  });

  it('use schema.org where the set of links cannot be read, and say why where there is nothing else (d18)', async () => {
    const page = { signposts: [TO_LINKSET], jsonLd: [{ ...DATASET, distribution: [distribution('a.csv')] }] };
    assert.deepEqual(pathsOf(await read(page, '{')), ['a.csv']);
    assert.match(await failure({ signposts: [TO_LINKSET] }, '{'), /^bad-platform-reply: .*\/linkset: is no JSON/);
    const many = `{"linkset": [${'{},'.repeat(500_000)}{}]}`;
    assert.match(await failure({ signposts: [TO_LINKSET] }, many), /^bad-platform-reply: .*more than 1,000,000 values/);
    const long = `<a>; title="${'x'.repeat(5_000_000)}"`;
    assert.match(await failure({ signposts: [TO_LINKSET] }, long), /^bad-platform-reply: .*5,000,000 characters/);
    const wrong = { linkset: [{ anchor: PAGE, item: [{ href: 5 }] }] };
    assert.match(await failure({ signposts: [TO_LINKSET] }, wrong), /^bad-platform-reply: .*item\.0\.href/);
    const other = { linkset: [{ anchor: 'https://data.example.org/datasets/43', item: [item('a.csv')] }] };
    assert.match(
      await failure({ signposts: [TO_LINKSET] }, other),
      /^bad-platform-reply: .*datasets\/43, not of this page/,
    );
    assert.match(await failure({ jsonLd: [DATASET] }), /^empty-manifest: .* but lists no files/);
  });

  it('may have their dataset in a graph, in an array, and among others (d18)', async () => {
    const nodes = [
      { '@id': '#f', '@type': 'schema:DataDownload', contentUrl: '/files/a.csv' },
      { '@type': ['Thing', 'https://schema.org/Dataset'], url: `${PAGE}/`, distribution: { '@id': '#f' } },
      { '@type': 'Dataset', name: 'Another one', distribution: distribution('z.csv') },
    ];
    assert.deepEqual(pathsOf(await read({ jsonLd: ['no JSON', [{ '@graph': nodes }]] })), ['a.csv']);
    const unnamed = [nodes[2], { ...nodes[2], name: 'A third one' }];
    assert.match(await failure({ jsonLd: unnamed }), /^platform-scope: .* describes 2 datasets/);
    const many = Array.from({ length: 21 }, (_, at) => ({ '@type': 'Dataset', name: `${at}` }));
    assert.match(await failure({ jsonLd: many }), /^platform-scope: .* describes 21 datasets/);
    const collection = { ...DATASET, hasPart: [{ '@type': 'Dataset', '@id': 'https://doi.org/10.5072/EX.43' }] };
    assert.match(await failure({ jsonLd: [collection] }), /^platform-scope: .* collection of datasets/);
  });

  it('with many files in many datasets are read in time, up to the number that is refused', async () => {
    const files = Array.from({ length: 20_000 }, (_, at) => ({ '@id': `f/${at}`, '@type': 'File' }));
    const folder = { '@id': 'f/', '@type': 'Dataset', hasPart: files };
    const others = Array.from({ length: 19 }, (_, at) => ({
      '@id': `https://data.example.org/${at}`,
      '@type': 'Dataset',
    }));
    const begun = performance.now();
    const jsonLd = [[{ ...DATASET, hasPart: folder }, folder, ...others.map((one) => ({ ...one, hasPart: folder }))]];
    assert.equal((await read({ jsonLd })).files.length, 10_001);
    assert.ok(performance.now() - begun < 10_000);
  });

  it('leave out a distribution that is the page itself, as at PANGAEA (d18)', async () => {
    const forms = [
      { '@type': 'DataDownload', encodingFormat: 'text/html', contentUrl: `${PAGE}?format=html` },
      { '@type': 'DataDownload', encodingFormat: 'text/tab-separated-values', contentUrl: `${PAGE}?format=textfile` },
    ];
    assert.deepEqual(pathsOf(await read({ jsonLd: [{ ...DATASET, distribution: forms }] })), ['42.tsv']);
  });

  it('may be a crate: its files have the paths of the crate (d18)', async () => {
    const crate = {
      '@graph': [
        { '@id': './', '@type': 'Dataset', hasPart: [{ '@id': 'data/' }, { '@id': 'read%20me.txt' }] },
        { '@id': 'data/', '@type': 'Dataset', hasPart: { '@id': './data/a.csv' } },
        {
          '@id': './data/a.csv',
          '@type': 'File',
          contentSize: 3,
          checksum: { algorithm: 'SHA-1', value: '1'.repeat(40) },
        },
        { '@id': 'read%20me.txt', '@type': 'File', checksum: `md5:${'0'.repeat(32)}` },
      ],
    };
    const { files } = await read({ jsonLd: [crate] });
    assert.deepEqual(
      files.map(({ path, size, hashes }) => [path, size, hashes[0]?.algorithm]),
      [
        ['read me.txt', undefined, 'md5'],
        ['data/a.csv', 3, 'sha1'],
      ],
    );
    assert.equal(files[1]!.platformUrl, 'https://data.example.org/datasets/data/a.csv');
  });

  it('are refused with sizes and hashes that cannot be, and with files that are not public (d18)', async () => {
    const failureWith = (more: object, of: object = {}) =>
      failure({ jsonLd: [{ ...DATASET, ...of, distribution: [distribution('a.csv', more)] }] });
    assert.match(await failureWith({ contentSize: -5 }), /^bad-platform-reply: .*contentSize is "-5"/);
    assert.match(await failureWith({ contentSize: 1.5 }), /^bad-platform-reply: .*contentSize is "1.5"/);
    assert.match(await failureWith({ sha256: 'abc' }), /^bad-platform-reply: .*"abc" as the sha256/);
    assert.match(await failureWith({ contentUrl: 'file:///etc/passwd' }), /^bad-manifest: .*only http and https/);
    assert.match(await failureWith({ name: '../../x.csv' }), /^bad-manifest: .*leads out of its folder/);
    assert.match(await failureWith({}, { isAccessibleForFree: false }), /^platform-restricted: /);
  });

  it('are recognized by a set of links, by links to files, or by a Dataset', () => {
    const isOne = (page: Partial<Landing>) => matches(signposted, askedAt(PAGE, page));
    assert.equal(isOne({ signposts: [TO_LINKSET] }), true);
    assert.equal(isOne({ signposts: [signpost('item', `${PAGE}/x`)] }), true);
    assert.equal(isOne({ jsonLd: ['[{"@type": "Dataset"}]'] }), true);
    assert.equal(isOne({ jsonLd: ['{"@type": "Article", "about": "Dataset"}'] }), false);
    assert.equal(isOne({ signposts: [TO_LINKSET], isHtml: false }), false);
  });
});

interface Page {
  readonly signposts?: Landing['signposts'];
  readonly jsonLd?: readonly unknown[];
}

function read(page: Page, linkset?: unknown, mimetype = 'application/linkset+json'): Promise<PlatformDataset> {
  const jsonLd = (page.jsonLd ?? []).map((one) => (typeof one === 'string' ? one : JSON.stringify(one)));
  const asked = askedAt(PAGE, { ...page, jsonLd, from: DOI });
  assert.equal(matches(signposted, asked), true);
  const text = typeof linkset === 'string' ? linkset : JSON.stringify(linkset);
  return signposted.processRequest(asked, clientOf({ [LINKSET]: { url: LINKSET, mimetype, text, headers: {} } }));
}

function failure(page: Page, linkset?: unknown): Promise<string> {
  return failureOf(read(page, linkset));
}

function clientOf(replies: Readonly<Record<string, Awaited<ReturnType<PlatformClient['text']>>>>): PlatformClient {
  return {
    json: () => assert.fail('it is not used'),
    text: async (url) => replies[url] ?? assert.fail(`${url} was requested`),
  };
}

function pathsOf({ files }: PlatformDataset): readonly string[] {
  return files.map(({ path }) => path);
}
