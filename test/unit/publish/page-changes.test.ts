import assert from 'node:assert/strict';
import { MAX_ENTRIES } from '../../../src/core/resource-set.ts';
import { PAGE_NAME_KEPT_MS, PageDirectory } from '../../../src/publish/pages/page-directory.ts';
import { widened } from '../../../src/publish/pages/page-limits.ts';
import type { LogEntry } from '../../../src/stores/change-log.ts';
import type { Piece } from '../../../src/stores/resource-states.ts';

const LIMITS = { entries: 3, weight: 1_000 };
const NOW = 1_700_000_000_000;

function piece(from: string | undefined, last: string | undefined, entries: number, more: Partial<Piece> = {}): Piece {
  return { from, last, entries, weight: entries * 10, newest: 50, ...more };
}

/** One page with three entries: it is full. */
function full(): PageDirectory {
  return PageDirectory.survey({ epoch: 4 }, { through: 101, pieces: [piece(undefined, '/c', 3)] }, LIMITS);
}

function entry(kind: LogEntry['kind'], key: string, stamp: number, weight = 10): LogEntry {
  return { set: 1, kind, key, stamp, weight };
}

describe('a directory of pages', () => {
  const namesOf = (directory: PageDirectory) => directory.pages.map(({ name }) => name);
  /** Stored and read again, which is how it learns whether pages came or went since. */
  const stored = (directory: PageDirectory) => new PageDirectory(directory.toStored(NOW), LIMITS);

  it('is made of a survey', () => {
    const pieces = [piece(undefined, '/c', 3), piece('/d', '/f', 2, { newest: 60 })];
    const directory = PageDirectory.survey({ epoch: 4, pagesSince: 9 }, { through: 101, pieces }, LIMITS);
    assert.deepEqual(directory.pages, [
      { name: '4-00000001', from: '', entries: 3, weight: 30, version: 50, high: '/c', counted: 101 },
      { name: '4-00000002', from: '/d', entries: 2, weight: 20, version: 60, high: '/f', counted: 101 },
    ]);
    assert.deepEqual([directory.epoch, directory.through, directory.lastNumber], [4, 101, 2]);
    assert.deepEqual(directory.limits, LIMITS);
    assert.ok(directory.shapeChanged);
    assert.equal(directory.hasEmptyPages(), false);
  });

  it('counts each change once', () => {
    const directory = full();
    directory.apply(entry('created', '/c', 98));
    assert.deepEqual([directory.pages[0]!.entries, directory.through], [3, 101], 'the survey has counted it');
    directory.apply(entry('deleted', '/c', 102));
    directory.apply(entry('deleted', '/c', 102));
    assert.deepEqual([directory.pages[0]!.entries, directory.pages[0]!.version, directory.through], [2, 102, 103]);
    assert.equal(directory.pages[0]!.weight, 30, 'what a deleted entry weighed is not known');
    directory.apply(entry('updated', '/b', 104, 7));
    assert.deepEqual([directory.pages[0]!.entries, directory.pages[0]!.weight], [2, 37]);
  });

  it('opens a page for a new key beyond a full one, and counts that change once, too', () => {
    const directory = stored(full());
    assert.equal(directory.shapeChanged, false);
    directory.apply(entry('created', '/d', 102, 20));
    directory.apply(entry('created', '/d', 102, 20));
    const { counted, ...page } = directory.pages[1]!;
    assert.deepEqual(page, { name: '4-00000002', from: '/d', entries: 1, weight: 20, version: 102, high: '/d' });
    assert.equal(counted, 103);
    assert.deepEqual([directory.pages.length, directory.pages[0]!.entries], [2, 3]);
    assert.ok(directory.shapeChanged);
  });

  it('opens a page for a new key that is too heavy for the last one', () => {
    const pieces = [piece(undefined, '/c', 2, { weight: 990 })];
    const directory = PageDirectory.survey({ epoch: 1 }, { through: 101, pieces }, LIMITS);
    directory.apply(entry('created', '/d', 102, 11));
    assert.deepEqual(namesOf(directory), ['1-00000001', '1-00000002']);
    const other = PageDirectory.survey({ epoch: 1 }, { through: 101, pieces }, LIMITS);
    other.apply(entry('created', '/d', 102, 10));
    assert.deepEqual(namesOf(other), ['1-00000001'], 'it may be as heavy as the limit says');
    assert.deepEqual(other.overflowing(), []);
  });

  it('keeps the last key of a page in it when that is created again', () => {
    const pieces = [piece(undefined, '/c', 3, { weight: 995 })];
    const directory = PageDirectory.survey({ epoch: 1 }, { through: 101, pieces }, LIMITS);
    directory.apply(entry('deleted', '/c', 102));
    directory.apply(entry('created', '/c', 104));
    assert.equal(directory.pages.length, 1, 'clients that read an index expect it there');
    assert.deepEqual(
      directory.overflowing().map(({ full }) => full),
      [103],
    );
  });

  it('knows when a page was last within its limits, and forgets it when it is again', () => {
    const directory = full();
    directory.apply(entry('created', '/b2', 102));
    directory.apply(entry('created', '/b3', 104));
    assert.deepEqual(
      directory.overflowing().map(({ full }) => full),
      [101],
    );
    directory.apply(entry('deleted', '/b3', 106));
    assert.equal(directory.overflowing().length, 1);
    directory.apply(entry('deleted', '/b2', 108));
    assert.deepEqual(directory.overflowing(), []);
  });

  it('has what a survey counted in a page that need not be split', () => {
    const directory = full();
    directory.apply(entry('updated', '/b', 102, 1_000));
    assert.equal(directory.overflowing().length, 1);
    const { name } = directory.pages[0]!;
    const before = stored(directory);
    before.split(name, { through: 109, pieces: [piece(undefined, '/e', 2, { newest: 108 })] }, NOW);
    const page = { name, from: '', entries: 2, weight: 20, version: 108, high: '/e', counted: 109, full: undefined };
    assert.deepEqual([before.pages, before.retired, before.shapeChanged], [[page], [], false]);
    directory.split(name, { through: 109, pieces: [piece(undefined, '/a', 1)] }, NOW);
    assert.deepEqual([directory.pages[0]!.high, directory.pages[0]!.version], ['/c', 102], 'neither ever falls');
    directory.split(name, { through: 109, pieces: [piece(undefined, undefined, 0)] }, NOW);
    assert.equal(directory.pages[0]!.high, '/c');
  });

  it('retires a page that was split, and gives its pieces new names', () => {
    const directory = stored(full());
    directory.apply(entry('created', '/b2', 102));
    const pieces = [piece('/a', '/b', 2), piece('/b2', '/c', 2)];
    directory.split('4-00000001', { through: 105, pieces }, NOW);
    assert.deepEqual(
      directory.pages.map(({ name, from, counted }) => [name, from, counted]),
      [
        ['4-00000002', '', 105],
        ['4-00000003', '/b2', 105],
      ],
    );
    assert.deepEqual(directory.retired, [{ name: '4-00000001', from: '', to: undefined, through: 101, retired: NOW }]);
    assert.ok(directory.shapeChanged);
    assert.equal(directory.endOf('4-00000002'), '/b2');
  });

  it('takes out empty pages, but never the last one, and goes on serving their names', () => {
    const pieces = [piece(undefined, '/c', 1), piece('/d', '/f', 1), piece('/g', '/i', 1)];
    const directory = stored(PageDirectory.survey({ epoch: 4 }, { through: 101, pieces }, LIMITS));
    for (const [at, key] of ['/d', '/a', '/g'].entries()) {
      directory.apply(entry('deleted', key, 102 + 2 * at));
      assert.ok(directory.hasEmptyPages());
    }
    directory.removeEmptyPages(NOW);
    assert.deepEqual(
      directory.pages.map(({ name, from, version }) => [name, from, version]),
      [['4-00000001', '', 106]],
    );
    assert.deepEqual(directory.retired, [
      { name: '4-00000003', from: '/g', to: undefined, through: 107, retired: NOW },
      { name: '4-00000002', from: '/d', to: undefined, through: 103, retired: NOW },
    ]);
    assert.ok(directory.shapeChanged);
    assert.equal(directory.hasEmptyPages(), false, 'one page is not too many');
    const unchanged = stored(directory);
    unchanged.removeEmptyPages(NOW);
    assert.equal(unchanged.shapeChanged, false);
  });

  it('takes out an empty page only when it is empty', () => {
    const pieces = [piece(undefined, '/c', 1), piece('/d', '/f', 2)];
    const directory = PageDirectory.survey({ epoch: 4 }, { through: 101, pieces }, LIMITS);
    assert.equal(directory.hasEmptyPages(), false);
    directory.apply(entry('deleted', '/c', 102));
    assert.equal(directory.hasEmptyPages(), true);
    directory.removeEmptyPages(NOW);
    assert.deepEqual(
      directory.pages.map(({ name, from, version }) => [name, from, version]),
      [['4-00000002', '', 102]],
    );
  });

  it('forgets a name a day after it was retired', () => {
    const directory = full();
    directory.apply(entry('created', '/b2', 102));
    directory.split('4-00000001', { through: 105, pieces: [piece('/a', '/b', 2), piece('/b2', '/c', 2)] }, NOW);
    assert.equal(directory.toStored(NOW + PAGE_NAME_KEPT_MS - 1).retired.length, 1);
    assert.equal(directory.toStored(NOW + PAGE_NAME_KEPT_MS).retired.length, 0);
    assert.deepEqual(directory.retired, []);
  });

  describe('of a set whose page size was changed', () => {
    const set = { epoch: 4, pageEntries: 2, pagesSince: 103 };

    it('knows that its pages are older', () => {
      const directory = full();
      assert.equal(directory.isOlderThan({}), false);
      assert.equal(directory.isOlderThan({ pagesSince: 103 }), true);
      const since = PageDirectory.survey(set, { through: 105, pieces: [piece(undefined, '/b', 2)] }, LIMITS);
      assert.equal(since.isOlderThan({ pagesSince: 103 }), false);
      assert.equal(since.isOlderThan({ pagesSince: 105 }), true);
    });

    it('replaces all pages at once', () => {
      const directory = stored(full());
      directory.apply(entry('created', '/d', 102));
      directory.apply(entry('created', '/b2', 104));
      const pieces = [piece(undefined, '/b', 2), piece('/b2', '/d', 2)];
      directory.replaceAll({ through: 107, pieces }, set, NOW);
      assert.deepEqual(directory.limits, { entries: 2, weight: 1_000 });
      assert.deepEqual(namesOf(directory), ['4-00000003', '4-00000004']);
      assert.ok(directory.pages.every(({ counted }) => counted === 107));
      assert.deepEqual(directory.retired, [
        { name: '4-00000001', from: '', to: '/d', through: 103, retired: NOW },
        { name: '4-00000002', from: '/d', to: undefined, through: 103, retired: NOW },
      ]);
      assert.ok(directory.shapeChanged);
      const { pageEntries, pagesSince, entries } = directory.toStored(NOW);
      assert.deepEqual([pageEntries, pagesSince, entries], [2, 103, undefined]);
      assert.deepEqual(stored(directory).limits.entries, 2, 'as the set says now, not as it said then');
    });

    it('has larger pages than the set says when there would be too many', () => {
      const directory = full();
      const pieces = [piece(undefined, '/c', 4)];
      directory.replaceAll({ through: 107, pieces, entries: 5 }, set, NOW);
      assert.equal(directory.limits.entries, 5);
      assert.equal(directory.toStored(NOW).entries, 5);
      assert.equal(stored(directory).limits.entries, 5);
      const wide = PageDirectory.survey({ epoch: 4 }, { through: 107, pieces, entries: 5 }, LIMITS);
      assert.deepEqual([wide.limits.entries, wide.toStored(NOW).entries], [5, 5]);
      assert.deepEqual(Object.keys(wide.toStored(NOW)).sort(), [
        'entries',
        'epoch',
        'lastNumber',
        'pages',
        'retired',
        'through',
      ]);
      assert.equal('entries' in full().toStored(NOW), false);
    });
  });

  it('may have as many pages as an index may list', () => {
    const pieces = Array.from({ length: MAX_ENTRIES }, () => piece('/a', '/a', 1));
    const made = (all: readonly Piece[]) => PageDirectory.survey({ epoch: 1 }, { through: 1, pieces: all }, LIMITS);
    assert.equal(made(pieces).hasTooManyPages, false);
    assert.equal(made([...pieces, piece('/b', '/b', 1)]).hasTooManyPages, true);
  });

  it('gets larger pages for so many resources that an index could not list them', () => {
    const limits = { entries: 10, weight: 7 };
    assert.deepEqual(widened(limits, 400_000), limits);
    assert.deepEqual(widened(limits, 400_001), { entries: 17, weight: 7 });
    assert.deepEqual(widened(limits, 10_000_000_000), { entries: 50_000, weight: 7 });
  });
});
