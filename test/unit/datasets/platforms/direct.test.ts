import assert from 'node:assert/strict';
import { direct } from '../../../../src/datasets/platforms/direct.ts';
import { askedAt, failureOf, matches, readRecorded } from '../../../support/recorded-replies.ts';

const FILE = 'https://files.example.org/pone/data%20set.rar';
const RAR = { isHtml: false, mimetype: 'application/vnd.rar', length: 5_000 };

describe('Files without a platform', () => {
  it('are datasets of one file, named by the URL (d2, d20, D02, D23, D53)', async () => {
    const { files, ...dataset } = await readRecorded(
      direct,
      askedAt(FILE, { ...RAR, from: 'https://doi.org/10.5072/X' }),
      {},
    );
    assert.deepEqual(files, [
      {
        path: 'data set.rar',
        size: 5_000,
        hashes: [],
        mimetype: 'application/vnd.rar',
        platformUrl: 'https://doi.org/10.5072/X',
        id: '1',
      },
    ]);
    assert.deepEqual(dataset, {
      platformName: 'direct',
      platformDomain: 'files.example.org',
      platformId: 'pone/data%20set.rar',
      persistentId: undefined,
      landingUrl: FILE,
      archiveorgMetadata: { title: 'data set.rar' },
    });
  });

  it('have the name in their header, without its folders, and an address that is not signed (d2, d17)', async () => {
    const signed = `https://bucket.s3.example.com/4f?X-Amz-Expires=60&X-Amz-Signature=ab`;
    const cited = { rel: 'cite-as', href: 'http://dx.doi.org/10.5072/X', from: 'header' } as const;
    const page = { ...RAR, fileName: 'C:\\data\\a.rar', from: `${FILE}?id=1`, signposts: [cited] };
    const asked = askedAt(signed, page);
    const { files, platformDomain, platformId, landingUrl, persistentId } = await readRecorded(direct, asked, {});
    assert.equal(persistentId, 'https://doi.org/10.5072/X');
    assert.deepEqual([files[0]!.path, files[0]!.platformUrl], ['a.rar', `${FILE}?id=1`]);
    assert.deepEqual([platformDomain, platformId], ['files.example.org', 'pone/data%20set.rar?id=1']);
    assert.equal(landingUrl, `${FILE}?id=1`);
  });

  it('are out of scope when they are parts of a dataset, and no HTML is one (d20)', async () => {
    const signposts = [{ rel: 'collection', href: 'https://data.example.org/42', from: 'header' }] as const;
    const read = readRecorded(direct, askedAt(FILE, { ...RAR, signposts }), {});
    assert.match(
      await failureOf(read),
      /^platform-scope: .* is a file of the dataset https:\/\/data\.example\.org\/42/,
    );
    assert.equal(matches(direct, askedAt(FILE)), false);
  });
});
