import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import fc from 'fast-check';
import { readSlice } from '../../../src/http/pages/documents/document-slice.ts';
import { changeEntries, changeListHead } from '../../../src/publish/render/documents/change-list.ts';
import { renderResourceListIndex } from '../../../src/publish/render/documents/resource-list-index.ts';
import { URLSET_END } from '../../../src/publish/render/documents/sitemap.ts';

const capabilityList = 'https://example.org/sets/maps/capabilitylist.xml';
const NAMES = ['<url>', '</urlset>', '&lt;url&gt;', '“Köln”', '<sitemap>', 'a'];

function changeList(count: number): string {
  const changes = Array.from({ length: count }, (_, at) => ({
    set: 1,
    key: `https://example.org/${at}/${NAMES[at % NAMES.length]}`,
    kind: 'created' as const,
    stamp: 2_000_000 + 2 * at,
    state: { length: at, mime: 'text/plain' },
    weight: 500,
    window: 1,
  }));
  const style = { urlPrefix: 'https://example.org/maps/', publishHashes: [] };
  return changeListHead({ from: 1, capabilityList }) + changeEntries(changes, style) + URLSET_END;
}

function inPieces(text: string, size: number): Readable {
  const bytes = Buffer.from(text);
  const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
    bytes.subarray(at * size, (at + 1) * size),
  );
  return Readable.from(pieces, { objectMode: false });
}

describe('A slice of a document', () => {
  it('is the same however the document is cut into pieces', async () => {
    const slice = fc.record({
      count: fc.integer({ min: 0, max: 20 }),
      start: fc.integer({ min: 0, max: 22 }),
      most: fc.integer({ min: 1, max: 8 }),
      size: fc.integer({ min: 1, max: 400 }),
    });
    await fc.assert(
      fc.asyncProperty(slice, async ({ count, start, most, size }) => {
        const { total, entries, md, links } = await readSlice(inPieces(changeList(count), size), { start, most });
        assert.equal(total, count);
        assert.equal(md.capability, 'changelist');
        assert.deepEqual(links, [{ rel: 'up', href: capabilityList }]);
        const expected = Array.from({ length: count }, (_, at) => at).slice(start, start + most);
        assert.deepEqual(
          entries.map((entry) => [entry.loc, entry.md.length]),
          expected.map((at) => [`https://example.org/${at}/${NAMES[at % NAMES.length]}`, String(at)]),
        );
      }),
      { numRuns: 150 },
    );
  });

  it('is read from an index as well', async () => {
    const pages = Array.from({ length: 5 }, (_, at) => ({ uri: `https://example.org/${at}`, at: 1_000_001 + 2 * at }));
    const text = renderResourceListIndex({ at: 2_000_001, capabilityList, pages });
    const { root, total, entries } = await readSlice(Buffer.from(text), { start: 3, most: 10 });
    assert.deepEqual([root, total], ['sitemapindex', 5]);
    assert.deepEqual(
      entries.map(({ loc, lastmod, md }) => [loc, lastmod, md.at]),
      [
        ['https://example.org/3', '1970-01-01T00:00:01Z', '1970-01-01T00:00:01.000007Z'],
        ['https://example.org/4', '1970-01-01T00:00:01Z', '1970-01-01T00:00:01.000009Z'],
      ],
    );
  });

  it('fails when the document is cut off', async () => {
    const text = changeList(3);
    await assert.rejects(readSlice(Buffer.from(text.slice(0, -20)), { start: 0, most: 10 }));
  });
});
