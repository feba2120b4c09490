import assert from 'node:assert/strict';
import { zenodo } from '../../../../src/datasets/platforms/zenodo.ts';
import { askedAt, failureOf, matches, readRecorded } from '../../../support/recorded-replies.ts';

const MD5 = '0cc175b9c0f1b6a831c399e269772661';
const ZENODO = 'https://zenodo.org';
const SELF = `${ZENODO}/api/records/5230255`;

/** As zenodo.org answers. */
const RECORD = {
  created: '2021-08-21T02:15:33.000000+00:00',
  id: 5_230_255,
  conceptrecid: '5230254',
  doi: '10.5281/zenodo.5230255',
  conceptdoi: '10.5281/zenodo.5230254',
  doi_url: 'https://doi.org/10.5281/zenodo.5230255',
  metadata: {
    title: 'Ice',
    doi: '10.5281/zenodo.5230255',
    publication_date: '2021-08-21',
    description: '<p>Ice of the north</p>',
    access_right: 'open',
    creators: [{ name: 'Nansen, Fridtjof', affiliation: null }],
    resource_type: { title: 'Dataset', type: 'dataset' },
    license: { id: 'cc-by-4.0' },
  },
  links: { self: SELF, self_html: `${ZENODO}/records/5230255`, archive: `${SELF}/files-archive` },
  recid: '5230255',
  files: [
    {
      id: 'd7b5f2d8-0000-4000-8000-000000000001',
      key: 'north sea.csv',
      size: 77,
      checksum: `md5:${MD5}`,
      links: { self: `${SELF}/files/north%20sea.csv/content` },
    },
  ],
  status: 'published',
};

const OTHER = 'https://data.example.edu';
const OWN = `${OTHER}/api/records/82kn8-3nk04`;
const ENTRY = {
  id: '6fd90dc0-0000-4000-8000-000000000001',
  key: 'a.csv',
  checksum: `md5:${MD5}`,
  ext: 'csv',
  size: 5,
  mimetype: 'text/csv',
  storage_class: 'L',
  metadata: null,
  links: { self: `${OWN}/files/a.csv`, content: `${OWN}/files/a.csv/content` },
};

/** As another InvenioRDM answers. */
const OWN_RECORD = {
  id: '82kn8-3nk04',
  is_draft: false,
  is_published: true,
  links: { self: OWN, archive: `${OWN}/files-archive` },
  parent: { id: 'zzzz1-aaaa2', pids: { doi: { identifier: '10.22002/zzzz1-aaaa2', provider: 'datacite' } } },
  pids: { doi: { identifier: '10.22002/82kn8-3nk04', provider: 'datacite' } },
  metadata: {
    title: 'Rocks',
    publication_date: '2023',
    creators: [{ person_or_org: { type: 'personal', name: 'Anning, Mary' } }],
    rights: [{ id: 'cc-by-4.0', title: { en: 'CC BY' } }],
    version: 'v1',
  },
  access: { record: 'public', files: 'public', embargo: { active: false, reason: null }, status: 'open' },
  files: { enabled: true, order: [], count: 1, total_bytes: 5, entries: { 'a.csv': ENTRY } },
};

const read = (record: unknown, more = {}) =>
  readRecorded(zenodo, askedAt(`${ZENODO}/records/5230255`, more), { [SELF]: record });

const readOwn = (record: unknown, more = {}) =>
  readRecorded(zenodo, askedAt(`${OTHER}/records/82kn8-3nk04`), { [OWN]: record, ...more });

describe('Zenodo and other InvenioRDM', () => {
  it('describes a record of zenodo.org', async () => {
    assert.deepEqual(await read(RECORD), {
      platformName: 'zenodo',
      platformDomain: 'zenodo.org',
      platformId: '5230255',
      persistentId: 'https://doi.org/10.5281/zenodo.5230255',
      landingUrl: `${ZENODO}/records/5230255`,
      files: [
        {
          path: 'north sea.csv',
          size: 77,
          hashes: [{ algorithm: 'md5', digest: MD5 }],
          mimetype: undefined,
          platformUrl: `${SELF}/files/north%20sea.csv/content`,
          id: 'd7b5f2d8-0000-4000-8000-000000000001',
        },
      ],
      bundle: { url: `${SELF}/files-archive`, name: '5230255.zip', mimetype: 'application/zip' },
      archiveorgMetadata: {
        title: 'Ice',
        creator: ['Nansen, Fridtjof'],
        date: '2021-08-21',
        description: '<p>Ice of the north</p>',
        rights: 'cc-by-4.0',
      },
      webBaseUrl: `${ZENODO}/records/5230255`,
    });
  });

  it('reads the shape of old replies: filename, filesize, a checksum without its name, links.download', async () => {
    const old = {
      id: 'x1',
      filename: 'old.csv',
      filesize: 9,
      checksum: MD5,
      links: { self: `${ZENODO}/api/deposit/x1`, download: `${ZENODO}/api/files/b/old.csv` },
    };
    const { files } = await read({ ...RECORD, files: [old] });
    assert.deepEqual(files, [
      {
        path: 'old.csv',
        size: 9,
        hashes: [{ algorithm: 'md5', digest: MD5 }],
        mimetype: undefined,
        platformUrl: `${ZENODO}/api/files/b/old.csv`,
        id: 'x1',
      },
    ]);
  });

  it('describes a record of another host, which its own shape of an id shows', async () => {
    const dataset = await readOwn(OWN_RECORD);
    assert.deepEqual([dataset.platformDomain, dataset.platformId], ['data.example.edu', '82kn8-3nk04']);
    assert.equal(dataset.persistentId, 'https://doi.org/10.22002/82kn8-3nk04');
    assert.deepEqual(dataset.archiveorgMetadata, {
      title: 'Rocks',
      creator: ['Anning, Mary'],
      date: '2023',
      rights: 'cc-by-4.0',
    });
    assert.deepEqual(dataset.files, [
      {
        path: 'a.csv',
        size: 5,
        hashes: [{ algorithm: 'md5', digest: MD5 }],
        mimetype: 'text/csv',
        platformUrl: `${OWN}/files/a.csv/content`,
        id: ENTRY.id,
      },
    ]);
  });

  it('reads the list of files at its own address where the record has not all of them (d18)', async () => {
    const two = [ENTRY, { ...ENTRY, key: 'b.csv', id: '2', links: { self: `${OWN}/files/b.csv` } }];
    const list = { enabled: true, entries: two, links: { archive: `${OWN}/files-archive` } };
    const urlsOf = async (files: unknown) =>
      (await readOwn({ ...OWN_RECORD, files }, { [`${OWN}/files`]: list })).files.map((file) => file.platformUrl);
    const expected = [`${OWN}/files/a.csv/content`, `${OWN}/files/b.csv/content`];
    assert.deepEqual(await urlsOf({ enabled: true, order: [] }), expected);
    assert.deepEqual(await urlsOf({ enabled: true, count: 2, entries: { 'a.csv': ENTRY } }), expected);
    assert.match(await failureOf(urlsOf({ enabled: true, count: 3 })), /^bad-platform-reply: .*lists 2 of 3 files/);
  });

  it('finds no files in a record of metadata alone', async () => {
    assert.deepEqual((await readOwn({ ...OWN_RECORD, files: { enabled: false } })).files, []);
  });

  it('recognizes a record by its URL and by what the page says (D22)', () => {
    const at = (url: string, more = {}) => matches(zenodo, askedAt(url, more));
    const generator = { biblio: { generator: 'InvenioRDM 13.0' } };
    const signposts = [{ rel: 'linkset', href: 'https://example.org/api/records/12', from: 'header' as const }];
    assert.equal(at('https://zenodo.org/record/12'), true);
    assert.equal(at('http://127.0.0.1:8080/records/12', generator), true);
    assert.equal(at('https://example.org/records/12', { signposts }), true);
    assert.equal(at('https://example.org/records/12'), false);
    assert.equal(at('https://example.org/articles/12', generator), false);
    assert.equal(at('https://zenodo.org/communities/ice'), false);
  });

  it('refuses a concept, and takes its latest version with followLatest (d12)', async () => {
    for (const from of [
      'https://doi.org/10.5281/zenodo.5230254',
      'https://doi.org/10.5281%2FZENODO.5230254',
      `${ZENODO}/record/5230254`,
    ]) {
      const failure = await failureOf(read(RECORD, { from }));
      assert.match(failure, /^platform-scope: .*all versions.*https:\/\/doi\.org\/10\.5281\/zenodo\.5230255/, from);
      assert.equal((await read(RECORD, { from, followLatest: true })).platformId, '5230255');
    }
    assert.equal((await read(RECORD, { from: 'https://doi.org/10.5281/zenodo.5230255' })).platformId, '5230255');
  });

  it('takes the address of the record in the API, and that of all files in one, for the record', async () => {
    for (const path of [
      '/api/records/5230255',
      '/api/records/5230255/files-archive',
      '/records/5230255/files-archive',
    ]) {
      const asked = askedAt(`${ZENODO}${path}`, { isHtml: false });
      const { platformId } = await readRecorded(zenodo, asked, { [`${ZENODO}/api/records/5230255`]: RECORD });
      assert.equal(platformId, '5230255');
    }
  });

  it('refuses a file of a record, restricted files, embargoes and drafts (d20)', async () => {
    const file = askedAt(`${ZENODO}/records/5230255/files/north%20sea.csv`, { isHtml: false });
    assert.match(await failureOf(readRecorded(zenodo, file, {})), /^platform-scope: .*request .*\/records\/5230255$/);
    const legacy = (metadata: object) => failureOf(read({ ...RECORD, metadata: { ...RECORD.metadata, ...metadata } }));
    assert.match(await legacy({ access_right: 'restricted' }), /^platform-restricted: .*ask its authors/);
    assert.match(
      await legacy({ access_right: 'embargoed', embargo_date: '2030-01-01' }),
      /^platform-restricted: .*until 2030-01-01/,
    );
    const own = (more: object) => failureOf(readOwn({ ...OWN_RECORD, ...more }));
    assert.match(await own({ access: { files: 'restricted' } }), /^platform-restricted/);
    assert.match(await own({ access: { embargo: { active: true, until: '2030-01-01' } } }), /embargo until 2030/);
    assert.match(await own({ is_draft: true }), /^platform-restricted: .*draft/);
  });

  for (const [what, change, field] of [
    ['a size as a text', { size: '77' }, 'files\\.0\\.size is wrong: use a (whole )?number'],
    ['a negative size', { size: -7 }, 'files\\.0\\.size is wrong: at least 0'],
    ['no size', { size: undefined }, 'files\\.0\\.size is missing'],
    ['no name', { key: null }, 'files\\.0\\.key is missing'],
    ['a checksum that is a number', { checksum: 5 }, 'files\\.0\\.checksum is wrong: use a text'],
    ['a checksum of another length', { checksum: 'md5:12' }, '"12" as the md5 of "north sea.csv"'],
  ] as const)
    it(`refuses a reply with ${what}, and names the field`, async () => {
      const files = [{ ...RECORD.files[0], ...change }];
      assert.match(await failureOf(read({ ...RECORD, files })), new RegExp(`^bad-platform-reply: .*${field}`));
    });

  it('refuses another record, and an id of another type', async () => {
    assert.match(await failureOf(read({ ...RECORD, id: 9 })), /^bad-platform-reply: .*record 9, but 5230255/);
    assert.match(await failureOf(read({ ...RECORD, id: null })), /^bad-platform-reply: .*: id is wrong/);
    assert.match(await failureOf(read([])), /^bad-platform-reply: .*the reply is wrong: use an object/);
  });

  it('keeps a file whose name is __proto__', async () => {
    const entries = JSON.parse(`{"__proto__": ${JSON.stringify({ ...ENTRY, key: '__proto__' })}}`);
    const { files } = await readOwn({ ...OWN_RECORD, files: { enabled: true, count: 1, entries } });
    assert.deepEqual(
      files.map(({ path }) => path),
      ['__proto__'],
    );
  });
});
