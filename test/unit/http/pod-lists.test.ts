import assert from 'node:assert/strict';
import type { StreamDumpView } from '../../../src/api/stream-dump-view.ts';
import { normalizedList, resourceListIndex } from '../../../src/http/routes/pod/pod-lists.ts';

const LINKS = { at: '2026-11-24T05:00:00Z', up: 'https://pod.example.org/up', index: 'https://pod.example.org/index' };

describe('The lists in the shape of the POD aggregator', () => {
  it('have the last full dump whose files are published, and the published deltas after it', () => {
    const dumps = [
      dump(1, 'full'),
      dump(2, 'delta'),
      dump(3, 'full'),
      dump(4, 'delta'),
      dump(5, 'full', { isPublished: false }),
      dump(6, 'delta', { isPublished: false }),
    ];
    assert.deepEqual(numbersIn(dumps), [3, 4]);
    assert.deepEqual(numbersIn(dumps.slice(0, 2)), [1, 2]);
    assert.deepEqual(numbersIn([dump(5, 'full', { isPublished: false })]), []);
    assert.deepEqual(numbersIn([dump(2, 'delta')]), []);
  });

  it('have the SHA-256 of files that an earlier version made, and a type without parameters', () => {
    const [first, second] = normalizedList({ ...LINKS, flavor: 'marcxml', dumps: [dump(1, 'full'), dump(2, 'delta')] })
      .split('\n')
      .filter((line) => line.startsWith('<url>'));
    assert.match(first!, /<rs:md hash="md5:m1" length="7" type="text\/plain"\/>/);
    assert.match(second!, /<rs:md hash="sha-256:s2" length="7" type="text\/plain"\/>/);
    assert.match(second!, /<lastmod>2026-11-24T05:00:02Z<\/lastmod>/);
  });

  it('are in an index that is as old as the oldest of them', () => {
    const times = ['2026-11-24T05:00:00Z', '2026-11-23T05:00:00Z'];
    const index = (lists: readonly string[]) =>
      resourceListIndex(
        lists.map((at) => ({ uri: 'https://pod.example.org/list', at })),
        LINKS.up,
        '2026-11-25T05:00:00Z',
      );
    assert.match(index(times), /<rs:md capability="resourcelist" at="2026-11-23T05:00:00Z"\/>/);
    assert.match(index([]), /at="2026-11-25T05:00:00Z"/);
  });
});

function numbersIn(dumps: readonly StreamDumpView[]): readonly number[] {
  const list = normalizedList({ ...LINKS, flavor: 'marcxml', dumps });
  return [...list.matchAll(/<loc>https:\/\/pod\.example\.org\/(\d+)<\/loc>/g)].map(([, number]) => Number(number));
}

/** The second one is of an earlier version. */
function dump(number: number, kind: 'full' | 'delta', { isPublished = true } = {}): StreamDumpView {
  const file = {
    kind: 'marcxml',
    name: `${number}`,
    ...(isPublished && { uri: `https://pod.example.org/${number}` }),
    length: 7,
    sha256: `s${number}`,
    ...(number !== 2 && { md5: `m${number}` }),
    type: 'text/plain; charset=utf-8',
  };
  const totals = { records: 1, deletions: 0, errata: 0 };
  const at = `2026-11-24T05:00:0${number}.123Z`;
  return { number, kind, at, until: at, totals, files: [file, { ...file, kind: 'errata' }] };
}
