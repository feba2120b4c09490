import assert from 'node:assert/strict';
import { dataverse } from '../../../../src/datasets/platforms/dataverse.ts';
import { askedAt, failureOf, matches, readRecorded } from '../../../support/recorded-replies.ts';

const ORIGIN = 'https://dataverse.example.edu';
const DOI = 'doi:10.7910/DVN/CLSFKX';
const LANDING = `${ORIGIN}/dataset.xhtml?persistentId=${DOI}`;
const API = `${ORIGIN}/api/datasets/:persistentId/`;
const MD5 = '0cc175b9c0f1b6a831c399e269772661';

const FILE = {
  description: 'Votes by county',
  label: 'votes.csv',
  restricted: false,
  version: 2,
  datasetVersionId: 112_233,
  dataFile: {
    id: 3_440_001,
    persistentId: `${DOI}/XYZ123`,
    pidURL: 'https://doi.org/10.7910/DVN/CLSFKX/XYZ123',
    filename: 'votes.csv',
    contentType: 'text/csv',
    filesize: 1234,
    description: 'Votes by county',
    storageIdentifier: 's3://dvn-cloud:1',
    rootDataFileId: -1,
    md5: MD5,
    checksum: { type: 'MD5', value: MD5 },
    creationDate: '2019-05-01',
  },
};

/** A table that was ingested: `filesize` and `contentType` are those of its `.tab` form. */
const TABLE = {
  label: 'people.tab',
  restricted: false,
  directoryLabel: 'data/raw',
  version: 1,
  dataFile: {
    ...FILE.dataFile,
    id: 3_440_002,
    persistentId: '',
    filename: 'people.tab',
    contentType: 'text/tab-separated-values',
    filesize: 99,
    originalFileFormat: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    originalFormatLabel: 'MS Excel Spreadsheet',
    originalFileSize: 4321,
    originalFileName: 'people.xlsx',
    UNF: 'UNF:6:abc==',
  },
};

const VERSION = {
  id: 112_233,
  datasetId: 3_440_000,
  datasetPersistentId: DOI,
  storageIdentifier: 's3://10.7910/DVN/CLSFKX',
  versionNumber: 1,
  versionMinorNumber: 1,
  versionState: 'RELEASED',
  releaseTime: '2019-06-12T18:01:02Z',
  license: { name: 'CC0 1.0', uri: 'http://creativecommons.org/publicdomain/zero/1.0' },
  metadataBlocks: {
    citation: {
      fields: [
        { typeName: 'title', multiple: false, typeClass: 'primitive', value: 'Votes' },
        {
          typeName: 'author',
          multiple: true,
          typeClass: 'compound',
          value: [{ authorName: { typeName: 'authorName', value: 'Ada' } }, { authorName: { value: 'Grace' } }],
        },
        { typeName: 'dsDescription', value: [{ dsDescriptionValue: { value: 'All votes' } }] },
      ],
    },
  },
  files: [FILE, TABLE],
};

const replyOf = (version: unknown, more: object = {}) => ({
  status: 'OK',
  data: {
    id: 3_440_000,
    protocol: 'doi',
    authority: '10.7910',
    identifier: 'DVN/CLSFKX',
    latestVersion: version,
    ...more,
  },
});

const read = (version: unknown, url = LANDING, more = {}) =>
  readRecorded(dataverse, askedAt(url), { [`${API}?persistentId=${DOI}`]: replyOf(version), ...more });

const withFile = (change: object) => ({ ...VERSION, files: [{ ...FILE, dataFile: { ...FILE.dataFile, ...change } }] });

describe('Dataverse', () => {
  it('describes the latest version, and pins it (D55, D56, D57, d12)', async () => {
    const dataset = await read(VERSION);
    assert.deepEqual(
      { ...dataset, files: dataset.files.length },
      {
        platformName: 'dataverse',
        platformDomain: 'dataverse.example.edu',
        platformId: DOI,
        version: '1.1',
        persistentId: 'https://doi.org/10.7910/DVN/CLSFKX',
        landingUrl: LANDING,
        files: 2,
        bundle: {
          url: `${ORIGIN}/api/access/dataset/:persistentId/versions/1.1?persistentId=${DOI}&format=original`,
          name: 'dataverse_files.zip',
          mimetype: 'application/zip',
        },
        archiveorgMetadata: {
          title: 'Votes',
          creator: ['Ada', 'Grace'],
          date: '2019-06-12',
          description: 'All votes',
          licenseurl: 'http://creativecommons.org/publicdomain/zero/1.0',
          rights: 'CC0 1.0',
        },
        webBaseUrl: LANDING,
      },
    );
    assert.deepEqual(dataset.files[0], {
      path: 'votes.csv',
      size: 1234,
      hashes: [{ algorithm: 'md5', digest: MD5 }],
      mimetype: 'text/csv',
      platformUrl: `${ORIGIN}/api/access/datafile/:persistentId/?persistentId=${DOI}/XYZ123`,
      id: '3440001',
      extra: { description: 'Votes by county', version: 2, persistentId: `${DOI}/XYZ123` },
    });
  });

  it('names the original of a table that was ingested, in its folder; without an id of the file by number (D54, D60, d4, d5, d13)', async () => {
    const { files } = await read(VERSION);
    assert.deepEqual(files[1], {
      path: 'data/raw/people.xlsx',
      size: 4321,
      hashes: [{ algorithm: 'md5', digest: MD5 }],
      mimetype: TABLE.dataFile.originalFileFormat,
      platformUrl: `${ORIGIN}/api/access/datafile/3440002?format=original`,
      id: '3440002',
      extra: { description: 'Votes by county', label: 'people.tab', version: 1 },
    });
  });

  it('takes a checksum of any type, and md5 where there is no other (D57, d13)', async () => {
    const hashesOf = async (change: object) => (await read(withFile(change))).files[0]!.hashes;
    const sha1 = 'da39a3ee5e6b4b0d3255bfef95601890afd80709';
    assert.deepEqual(await hashesOf({ md5: undefined, checksum: { type: 'SHA-1', value: sha1 } }), [
      { algorithm: 'sha1', digest: sha1 },
    ]);
    assert.deepEqual(await hashesOf({ checksum: undefined }), [{ algorithm: 'md5', digest: MD5 }]);
    assert.deepEqual(await hashesOf({ checksum: undefined, md5: '' }), []);
  });

  for (const [id, uri] of [
    ['hdl:1902.1/12612', 'https://hdl.handle.net/1902.1/12612'],
    ['doi:10.17026/dans-xdg-jtew', 'https://doi.org/10.17026/dans-xdg-jtew'],
    ['doi:10.5072/FK2/A/B/C', 'https://doi.org/10.5072/FK2/A/B/C'],
  ] as const)
    it(`accepts the identifier ${id} (D59, d13)`, async () => {
      const dataset = await readRecorded(dataverse, askedAt(`${ORIGIN}/dataset.xhtml?persistentId=${id}`), {
        [`${API}?persistentId=${id}`]: replyOf({ ...VERSION, datasetPersistentId: id }),
      });
      assert.deepEqual([dataset.platformId, dataset.persistentId], [id, uri]);
    });

  it('reads an older version at its own address, and refuses another one in its place (d12)', async () => {
    const url = `${LANDING}&version=1.0`;
    const older = `${API}versions/1.0?persistentId=${DOI}`;
    const { version, files } = await read(VERSION, url, {
      [older]: { data: { ...VERSION, versionMinorNumber: 0, files: [FILE] } },
    });
    assert.deepEqual([version, files.length], ['1.0', 1]);
    const dropped = askedAt(LANDING, { from: url });
    assert.match(
      await failureOf(readRecorded(dataverse, dropped, { [`${API}?persistentId=${DOI}`]: replyOf(VERSION) })),
      /versions\/1\.0/,
    );
    assert.match(
      await failureOf(read(VERSION, url, { [older]: { data: VERSION } })),
      /^bad-platform-reply: .*describes version 1\.1, but 1\.0 was requested/,
    );
  });

  it('keeps scheme and port of the landing page (d12)', async () => {
    const origin = 'http://localhost:8080';
    const { platformDomain, files } = await readRecorded(
      dataverse,
      askedAt(`${origin}/dataset.xhtml?persistentId=${DOI}`),
      { [`${origin}/api/datasets/:persistentId/?persistentId=${DOI}`]: replyOf(VERSION) },
    );
    assert.equal(platformDomain, 'localhost:8080');
    assert.ok(files.every(({ platformUrl }) => platformUrl!.startsWith(`${origin}/api/access/`)));
  });

  it('takes a dataset by its number, as old links have it', async () => {
    const { platformId } = await readRecorded(dataverse, askedAt(`${ORIGIN}/dataset.xhtml?id=3440000`), {
      [`${ORIGIN}/api/datasets/3440000/`]: replyOf(VERSION),
    });
    assert.equal(platformId, DOI);
  });

  it('refuses files, collections and drafts, and says what to request (d20)', async () => {
    const failureAt = (url: string, more = {}) => failureOf(readRecorded(dataverse, askedAt(url, more), {}));
    const file = `${ORIGIN}/file.xhtml?persistentId=${DOI}/XYZ123`;
    assert.match(await failureAt(file), /^platform-scope: .*is a file of a dataset, .*request/);
    const bytes = { from: `${ORIGIN}/api/access/datafile/3440001`, isHtml: false };
    assert.match(await failureAt('https://s3.example.org/x', bytes), /^platform-scope: .*is a file/);
    for (const path of ['api/access/dataset/:persistentId/', 'api/datasets/:persistentId/'])
      assert.match(await failureAt(`${ORIGIN}/${path}?persistentId=${DOI}`, { isHtml: false }), /a reply of its API/);
    assert.match(await failureAt(`${ORIGIN}/dataverse/votes`), /^platform-scope: .*is a collection/);
    assert.match(await failureAt(`${LANDING}&version=DRAFT`), /^platform-restricted: .*is a draft/);
    assert.match(await failureAt(`${ORIGIN}/loginpage.xhtml?redirectPage=x`), /^platform-restricted: .*login/);
    assert.match(await failureAt(`${LANDING}&version=newest`), /^platform-scope: .*version=1\.1/);
  });

  it('refuses restricted files and embargoes, and names the files (d13)', async () => {
    const restricted = { ...VERSION, files: [FILE, { ...FILE, label: 'secret.csv', restricted: true }] };
    assert.match(await failureOf(read(restricted)), /^platform-restricted: .*1 file \("secret\.csv"\)/);
    const embargo = (dateAvailable: string) => withFile({ embargo: { dateAvailable } });
    assert.match(await failureOf(read(embargo('2999-01-01'))), /^platform-restricted: .*"votes\.csv"/);
    assert.equal((await read(embargo('2020-01-01'))).files.length, 1);
    const retention = (dateUnavailable: string) => withFile({ retention: { dateUnavailable } });
    assert.match(await failureOf(read(retention('2020-01-01'))), /^platform-restricted: .*"votes\.csv"/);
    assert.equal((await read(retention('2999-01-01'))).files.length, 1);
  });

  it('reports a version that was withdrawn', async () => {
    const withdrawn = { ...VERSION, versionState: 'DEACCESSIONED', deaccessionNote: 'wrong data', files: undefined };
    assert.match(await failureOf(read(withdrawn)), /^platform-404: .*withdrawn .*wrong data/);
  });

  for (const [what, version, field] of [
    ['a size as a text', withFile({ filesize: '1234' }), 'filesize is wrong: use a (whole )?number'],
    ['a negative size', withFile({ filesize: -1 }), 'filesize is wrong: at least 0'],
    ['a fractional size', withFile({ filesize: 1.5 }), 'filesize is wrong: use a whole number'],
    ['a size beyond whole numbers', withFile({ filesize: 1e300 }), 'filesize is wrong'],
    ['no size', withFile({ filesize: undefined }), 'filesize is missing'],
    ['a size of null', withFile({ filesize: null }), 'filesize is wrong'],
    ['a name that is a number', withFile({ filename: 7 }), 'filename is wrong: use a text'],
    ['a checksum of another form', withFile({ checksum: 'x' }), 'checksum is wrong: use an object'],
    ['files that are no list', { ...VERSION, files: {} }, 'files is wrong: use an array'],
    ['no files', { ...VERSION, files: undefined }, 'files is missing'],
    ['no number of a version', { ...VERSION, versionNumber: null }, 'versionNumber is missing'],
    ['no version', null, 'latestVersion is wrong'],
    [
      'another dataset',
      { ...VERSION, datasetPersistentId: 'doi:10.7910/DVN/OTHER' },
      'describes doi:10.7910/DVN/OTHER',
    ],
  ] as const)
    it(`refuses a reply with ${what}, and names the field`, async () => {
      assert.match(await failureOf(read(version)), new RegExp(`^bad-platform-reply: .*${field}`));
    });

  it('leaves pages of others to them', () => {
    for (const url of [`${ORIGIN}/`, `${ORIGIN}/records/1`, 'https://example.org/datasets/7'])
      assert.equal(matches(dataverse, askedAt(url)), false, url);
  });
});
