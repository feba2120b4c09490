import assert from 'node:assert/strict';
import { archiveorgPlatform } from '../../../../src/datasets/platforms/archiveorg.ts';
import { PLATFORM_HOSTS } from '../../../../src/datasets/platforms/platforms.ts';
import { askedAt, failureOf, matches, readRecorded } from '../../../support/recorded-replies.ts';

const archiveorg = archiveorgPlatform(PLATFORM_HOSTS.archiveorg);
const MD5 = '0cc175b9c0f1b6a831c399e269772661';
const SHA1 = 'da39a3ee5e6b4b0d3255bfef95601890afd80709';
const ITEM = 'CAT_DATASET';
const LANDING = `https://archive.org/details/${ITEM}`;
const API = `https://archive.org/metadata/${ITEM}`;

const FILE = {
  name: 'CAT_DATASET_01.zip',
  source: 'original',
  mtime: '1395440000',
  size: '1234567',
  md5: MD5,
  crc32: '0a0b0c0d',
  sha1: SHA1,
  format: 'ZIP',
};

const REPLY = {
  created: 1_577_934_245,
  d1: 'ia800000.us.archive.org',
  dir: `/1/items/${ITEM}`,
  files_count: 6,
  files: [
    FILE,
    { ...FILE, name: 'docs/read me.txt', size: '10' },
    { name: `${ITEM}_meta.xml`, source: 'original', size: '690', format: 'Metadata', md5: MD5 },
    { name: `${ITEM}_files.xml`, source: 'metadata', format: 'Metadata', md5: MD5 },
    { name: '__ia_thumb.jpg', source: 'original', size: '900' },
    { name: 'CAT_DATASET_01_djvu.txt', source: 'derivative', original: 'CAT_DATASET_01.zip', size: '5' },
  ],
  metadata: {
    identifier: ITEM,
    title: 'Cats',
    creator: ['Zhang, Weiwei', 'Sun, Jian'],
    date: '2008-10-12',
    description: ['Cats', 'and more cats'],
    mediatype: 'data',
    collection: 'datasets',
  },
};

const read = (reply: unknown) => readRecorded(archiveorg, askedAt(LANDING), { [API]: reply });

describe('archive.org', () => {
  it('describes an item with its original files, and says what it left out (D52, d15)', async () => {
    assert.deepEqual(await read(REPLY), {
      platformName: 'archiveorg',
      platformDomain: 'archive.org',
      platformId: ITEM,
      landingUrl: LANDING,
      files: [
        {
          path: 'CAT_DATASET_01.zip',
          size: 1_234_567,
          hashes: [
            { algorithm: 'md5', digest: MD5 },
            { algorithm: 'sha1', digest: SHA1 },
          ],
          mimetype: undefined,
          platformUrl: `https://archive.org/download/${ITEM}/CAT_DATASET_01.zip`,
          id: undefined,
        },
        {
          path: 'docs/read me.txt',
          size: 10,
          hashes: [
            { algorithm: 'md5', digest: MD5 },
            { algorithm: 'sha1', digest: SHA1 },
          ],
          mimetype: undefined,
          platformUrl: `https://archive.org/download/${ITEM}/docs/read%20me.txt`,
          id: undefined,
        },
      ],
      notes: ['4 files of the item that archive.org has made itself (derivatives and metadata) are left out'],
      isArchiveorgItem: true,
      archiveorgMetadata: {
        title: 'Cats',
        creator: ['Zhang, Weiwei', 'Sun, Jian'],
        date: '2008-10-12',
        description: 'Cats\n\nand more cats',
      },
      webBaseUrl: `https://archive.org/download/${ITEM}/`,
    });
  });

  it('recognizes items by their host and path', () => {
    assert.equal(matches(archiveorg, askedAt(LANDING)), true);
    assert.equal(matches(archiveorg, askedAt('https://archive.org/about')), false);
    assert.equal(matches(archiveorg, askedAt('https://web.archive.org/details/x')), false);
    assert.equal(matches(archiveorg, askedAt(`https://example.org/details/${ITEM}`)), false);
    assert.equal(matches(archiveorgPlatform(['example.org:81']), askedAt('http://example.org:81/details/x')), true);
  });

  it('takes the addresses of its metadata, and of all files in one, for the item', () => {
    for (const path of ['metadata/CAT_DATASET', 'compress/CAT_DATASET', 'download/CAT_DATASET'])
      assert.equal(matches(archiveorg, askedAt(`https://archive.org/${path}`, { isHtml: false })), true, path);
  });

  it('refuses a file of an item, also where its bytes are at a server of storage (d20)', async () => {
    const url = 'https://ia800000.us.archive.org/1/items/CAT_DATASET/x.zip';
    const asked = askedAt(url, { from: `https://archive.org/download/${ITEM}/x.zip`, isHtml: false });
    assert.match(
      await failureOf(readRecorded(archiveorg, asked, {})),
      /^platform-scope: .*request https:\/\/archive\.org\/details\/CAT_DATASET$/,
    );
  });

  it('reports items that are missing, withdrawn, lent, partly private, or collections', async () => {
    const failing = (change: object, metadata = {}) =>
      failureOf(read({ ...REPLY, ...change, metadata: { ...REPLY.metadata, ...metadata } }));
    assert.match(await failureOf(read({})), /^platform-404: archive\.org has no item CAT_DATASET/);
    assert.match(await failureOf(read({ is_dark: true })), /^platform-404: .*withdrawn/);
    assert.match(await failureOf(read({ error: 'try later' })), /^error-platform-download: .*try later/);
    assert.match(await failing({}, { 'access-restricted-item': 'true' }), /^platform-restricted: .*lent/);
    assert.match(await failing({}, { mediatype: 'collection' }), /^platform-scope: .*collection/);
    const files = [{ ...FILE, private: 'true' }];
    assert.match(await failing({ files, files_count: 1 }), /^platform-restricted: .*1 file \("CAT_DATASET_01\.zip"\)/);
  });

  for (const [what, change, field] of [
    ['a negative size', { files: [{ ...FILE, size: '-1' }] }, 'files\\.0\\.size is wrong: use a whole number'],
    ['a fractional size', { files: [{ ...FILE, size: 1.5 }] }, 'files\\.0\\.size is wrong'],
    ['a size that is no number', { files: [{ ...FILE, size: '1e3' }] }, 'files\\.0\\.size is wrong'],
    ['no name', { files: [{ ...FILE, name: null }] }, 'files\\.0\\.name is wrong: use a text'],
    ['fewer files than it counts', { files: [FILE] }, 'lists 1 of 6 files'],
    ['no files', { files: undefined }, 'files is missing'],
    ['another item', { metadata: { identifier: 'OTHER' } }, 'describes OTHER, but CAT_DATASET was requested'],
  ] as const)
    it(`refuses a reply with ${what}, and names the field`, async () => {
      assert.match(await failureOf(read({ ...REPLY, ...change })), new RegExp(`^bad-platform-reply: .*${field}`));
    });
});
