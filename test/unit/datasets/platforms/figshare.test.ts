import assert from 'node:assert/strict';
import { figsharePlatform } from '../../../../src/datasets/platforms/figshare.ts';
import { PLATFORM_HOSTS } from '../../../../src/datasets/platforms/platforms.ts';
import { askedAt, failureOf, matches, readRecorded } from '../../../support/recorded-replies.ts';

const figshare = figsharePlatform(PLATFORM_HOSTS.figshare);
const MD5 = '0cc175b9c0f1b6a831c399e269772661';
const API = 'https://api.figshare.com/v2/articles/8987858';
const LANDING = 'https://figshare.com/articles/dataset/Optimized_protocol/8987858';

const FILE = {
  id: 16_462_142,
  name: 'palm.xlsx',
  size: 55,
  is_link_only: false,
  download_url: 'https://ndownloader.figshare.com/files/16462142',
  supplied_md5: '',
  computed_md5: MD5,
  mimetype: 'application/vnd.ms-excel',
};

const ARTICLE = {
  id: 8_987_858,
  title: 'Palms',
  doi: '10.6084/m9.figshare.8987858.v2',
  published_date: '2019-07-22T10:11:12Z',
  description: '<p>DNA</p>',
  defined_type_name: 'dataset',
  is_public: true,
  is_embargoed: false,
  is_confidential: false,
  is_metadata_record: false,
  embargo_date: null,
  version: 2,
  license: { value: 1, name: 'CC BY 4.0', url: 'https://creativecommons.org/licenses/by/4.0/' },
  authors: [{ id: 1, full_name: 'Wallace, Alfred' }],
  files: [FILE, { ...FILE, id: 16_462_143, supplied_md5: MD5, computed_md5: '' }],
  folder_structure: { 16462143: '/raw/palms/' },
};

const read = (article: unknown, more = {}) => readRecorded(figshare, askedAt(LANDING), { [API]: article, ...more });

const manyFiles = (count: number, first = 1) => Array.from({ length: count }, (_, at) => ({ ...FILE, id: first + at }));

describe('figshare', () => {
  it('describes the latest version of an article, and pins it (d12, d17)', async () => {
    assert.deepEqual(await read(ARTICLE), {
      platformName: 'figshare',
      platformDomain: 'figshare.com',
      platformId: '8987858',
      version: '2',
      persistentId: 'https://doi.org/10.6084/m9.figshare.8987858.v2',
      landingUrl: LANDING,
      files: [
        {
          path: 'palm.xlsx',
          size: 55,
          hashes: [{ algorithm: 'md5', digest: MD5 }],
          mimetype: 'application/vnd.ms-excel',
          platformUrl: 'https://api.figshare.com/v2/file/download/16462142',
          id: '16462142',
        },
        {
          path: 'raw/palms/palm.xlsx',
          size: 55,
          hashes: [{ algorithm: 'md5', digest: MD5 }],
          mimetype: 'application/vnd.ms-excel',
          platformUrl: 'https://api.figshare.com/v2/file/download/16462143',
          id: '16462143',
        },
      ],
      archiveorgMetadata: {
        title: 'Palms',
        creator: ['Wallace, Alfred'],
        date: '2019-07-22',
        description: '<p>DNA</p>',
        licenseurl: 'https://creativecommons.org/licenses/by/4.0/',
        rights: 'CC BY 4.0',
      },
      webBaseUrl: LANDING,
    });
  });

  it('keeps files of one name apart by their ids (d15)', async () => {
    const { files } = await read({ ...ARTICLE, folder_structure: {} });
    assert.deepEqual(
      files.map(({ path, extra }) => [path, extra]),
      [
        ['palm.xlsx', undefined],
        ['palm.16462143.xlsx', { path: 'palm.xlsx' }],
      ],
    );
  });

  for (const [path, id, version] of [
    ['/articles/dataset/a_title/123456/3', '123456', '3'],
    ['/articles/dataset/a_title/123456', '123456', undefined],
    ['/articles/dataset/2019/123456', '123456', undefined],
    ['/articles/a_title/123456/1', '123456', '1'],
    ['/articles/a_title/123456', '123456', undefined],
  ] as const)
    it(`reads the article and the version of ${path}`, async () => {
      const url = `https://api.figshare.com/v2/articles/${id}${version === undefined ? '' : `/versions/${version}`}`;
      const article = { ...ARTICLE, id: Number(id), version: Number(version ?? 2) };
      const asked = askedAt(`https://figshare.com${path}`);
      const dataset = await readRecorded(figshare, asked, { [url]: article });
      assert.deepEqual([dataset.platformId, dataset.version], [id, version ?? '2']);
    });

  it('recognizes portals by their host, or by what their pages say', () => {
    const at = (url: string, biblio = {}) => matches(figshare, askedAt(url, { biblio }));
    assert.equal(at('https://monash.figshare.com/articles/dataset/x/123456'), true);
    assert.equal(at('https://rdr.example.ac.uk/articles/dataset/x/123456', { siteName: 'Figshare' }), true);
    assert.equal(at('https://rdr.example.ac.uk/articles/dataset/x/1', { doi: '10.6084/m9.figshare.1' }), true);
    assert.equal(at('https://rdr.example.ac.uk/articles/dataset/x/123456'), false);
    assert.equal(at('https://notfigshare.com/articles/dataset/x/123456'), false);
    assert.equal(at('https://figshare.com/browse'), false);
  });

  it('lists all files of an article that names ten of them', async () => {
    const page = (number: number) => `${API}/versions/2/files?page=${number}&page_size=1000`;
    const article = { ...ARTICLE, files: manyFiles(10) };
    const { files } = await read(article, { [page(1)]: manyFiles(1000), [page(2)]: manyFiles(7, 1001) });
    assert.equal(files.length, 1007);
    assert.equal((await read(article, { [page(1)]: manyFiles(10) })).files.length, 10);
  });

  it('refuses pages of files that do not end', async () => {
    const page = (number: number) => `${API}/versions/2/files?page=${number}&page_size=1000`;
    const article = { ...ARTICLE, files: manyFiles(10) };
    const same = { [page(1)]: manyFiles(1000), [page(2)]: manyFiles(1000) };
    assert.match(await failureOf(read(article, same)), /^bad-platform-reply: .*lists file 1 again/);
    const endless = Object.fromEntries(
      Array.from({ length: 30 }, (_, at) => [page(at + 1), manyFiles(1000, 1000 * at + 1)]),
    );
    assert.match(await failureOf(read(article, endless)), /^too-many-files: .*20,000 files or more/);
  });

  it('refuses what is not open, and what is not one article (d12, d20)', async () => {
    const failing = (change: object) => failureOf(read({ ...ARTICLE, ...change }));
    assert.match(
      await failing({ is_embargoed: true, embargo_date: '2030-01-01' }),
      /^platform-restricted: .*2030-01-01/,
    );
    assert.match(await failing({ is_confidential: true, confidential_reason: 'patients' }), /restricted: .*patients/);
    assert.match(await failing({ is_public: false }), /^platform-restricted: .*not public/);
    assert.match(await failing({ download_disabled: true }), /^platform-restricted: .*ask its authors/);
    assert.match(
      await failing({ files: [{ ...FILE, is_link_only: true }] }),
      /^platform-scope: .*1 file \("palm\.xlsx"\) at other servers/,
    );
    const failureAt = (url: string, more = {}) => failureOf(readRecorded(figshare, askedAt(url, more), {}));
    assert.match(await failureAt('https://figshare.com/collections/x/5'), /^platform-scope: .*group of articles/);
    assert.match(await failureAt('https://figshare.com/s/abc'), /^platform-restricted: .*private link/);
    for (const from of [
      'https://figshare.com/ndownloader/files/7',
      'https://figshare.com/ndownloader/articles/7/versions/1',
      'https://api.figshare.com/v2/articles/7',
    ])
      assert.match(
        await failureAt('https://s3.example.org/x', { from, isHtml: false }),
        /^platform-scope: .*a file of an article/,
      );
  });

  it('reads the version that was requested, also where a redirect has dropped it (d12)', async () => {
    const landing = 'https://figshare.com/articles/dataset/a_title/5616445';
    const failureFrom = (from: string) => failureOf(readRecorded(figshare, askedAt(landing, { from }), {}));
    for (const from of [
      'https://doi.org/10.6084/m9.figshare.5616445.v2',
      'https://figshare.com/articles/x/5616445/2',
      'https://figshare.com/articles/dataset/x/5616445/2/',
    ])
      assert.match(await failureFrom(from), /no reply for https:\S+\/articles\/5616445\/versions\/2$/);
    assert.match(await failureFrom('https://doi.org/10.6084/m9.figshare.5616445'), /\/articles\/5616445$/);
  });

  it('finds no files in a record of metadata alone', async () => {
    assert.deepEqual((await read({ ...ARTICLE, is_metadata_record: true, files: [] })).files, []);
  });

  for (const [what, change, field] of [
    ['a size as a text', { files: [{ ...FILE, size: '55' }] }, 'files\\.0\\.size is wrong'],
    ['an id that is a text', { files: [{ ...FILE, id: 'x' }] }, 'files\\.0\\.id is wrong'],
    ['no name', { files: [{ ...FILE, name: undefined }] }, 'files\\.0\\.name is missing'],
    ['another article', { id: 5 }, 'describes article 5, but 8987858'],
    ['a version of null', { version: null }, 'version is wrong'],
    ['folders that are no texts', { folder_structure: { 1: 2 } }, 'folder_structure\\.1 is wrong'],
  ] as const)
    it(`refuses a reply with ${what}, and names the field`, async () => {
      assert.match(await failureOf(read({ ...ARTICLE, ...change })), new RegExp(`^bad-platform-reply: .*${field}`));
    });

  it('refuses another version than the requested one (d12)', async () => {
    const asked = askedAt(`${LANDING}/1`);
    const failure = await failureOf(readRecorded(figshare, asked, { [`${API}/versions/1`]: ARTICLE }));
    assert.match(failure, /^bad-platform-reply: .*describes version 2, but 1 was requested/);
  });
});
