import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { isTidemarkError } from '../../src/core/errors.ts';
import { HASH_ALGORITHMS, type HashAlgorithm, type Hashes } from '../../src/core/hash.ts';
import { keyOfPath } from '../../src/core/key.ts';
import type { ContentRoot, FileEntry, RootEntry, RootWatch } from '../../src/sources/content-root.ts';
import { collect } from '../support/builders.ts';
import { until } from '../support/until.ts';

/** A place to put files in, and the root that shows them. */
export interface RootUnderTest {
  /** Changes are reported within a second or so. */
  open(exclude?: readonly string[], hashes?: readonly HashAlgorithm[]): ContentRoot;
  /** Writes a file, at a time in seconds since 1970 where the place takes one. */
  write(path: string, content: string, mtime?: number): Promise<void> | void;
  /** The time that a file has, in nanoseconds. */
  timeOf(path: string): Promise<bigint> | bigint;
  remove(path: string): Promise<void> | void;
  /** Moves a file or a folder. */
  move(from: string, to: string): Promise<void> | void;
  /** Takes the root itself away. */
  vanish(): Promise<void> | void;
}

// Names that a URL would change, cut or mistake, and a pair that is drawn alike.
// biome-ignore format: a table
const ODD_NAMES = [
  'a b.txt', 'a&b.txt', '100%.txt', '%41.txt', 'a#b.txt', 'a?b.txt', 'a;b.txt', 'a+b.txt', "it's.txt", 'a=b,c@d$e!.txt',
  'back\\slash.txt', '"quoted".txt', '<tag>.txt', '[x]{y}|z^`.txt', 'überall.txt', 'caf\u00e9.txt', 'cafe\u0301.txt',
  '\u6587\u5b57.txt', '\u{1f5fa}.txt', '\uff5e.txt', '...', '-', '~', ' leading', 'trailing ',
];

const NOWHERE = [
  'missing',
  'folder',
  'file/below',
  '',
  '/file',
  '../file',
  'folder/../file',
  './file',
  'file/',
  'a\0b',
];

const notFound = (error: unknown): boolean => isTidemarkError(error, 'not-found');

/** Holds a content root to the promises of its port. */
export function testContentRoot(name: string, place: () => RootUnderTest): void {
  describe(`${name} as content root`, () => {
    let root: ContentRoot;
    let files: RootUnderTest;
    let watch: RootWatch | undefined;

    beforeEach(() => {
      files = place();
      root = files.open();
    });
    afterEach(async () => {
      await watch?.close();
      watch = undefined;
    });

    async function watched(): Promise<Set<string>> {
      const reported = new Set<string>();
      watch = await root.watch(
        (path) => reported.add(path),
        ({ path, problem }) => reported.add(`${path}: ${problem}`),
      );
      return reported;
    }

    /** Forgets what was reported, when what happened last was most likely reported as a whole. */
    async function reportedAll(reported: Set<string>): Promise<void> {
      await new Promise((resolve) => setTimeout(resolve, 200));
      reported.clear();
    }

    it('lists every file with its length and time', async () => {
      await files.write('a.txt', 'abc', 1_600_000_000.5);
      await files.write('deep/er/b.bin', '', 1_500_000_000);

      assert.deepEqual((await collect(root.list())).map(figuresOf), [
        { path: 'a.txt', length: 3, mtime: await files.timeOf('a.txt') },
        { path: 'deep/er/b.bin', length: 0, mtime: await files.timeOf('deep/er/b.bin') },
      ]);
    });

    it('is empty when nothing is in it that would be listed', async () => {
      root = files.open(['*.tmp']);
      assert.equal(await root.isEmpty(), true);
      await files.write('a.tmp', 'x');
      assert.equal(await root.isEmpty(), true);
      await files.write('deep/er/b.txt', 'x');
      assert.equal(await root.isEmpty(), false);
    });

    it('lists a file with what its digest contains, until it is written again', async () => {
      await files.write('a', 'one', 1_600_000_000);
      const [listed] = await collect(root.list());
      const { length, mtime, tag } = await root.digest('a');
      assert.deepEqual({ path: 'a', length, mtime, tag }, { ...figuresOf(listed!), tag: tagOf(listed!) });

      await files.write('a', 'two', 1_600_000_001);
      const [again] = await collect(root.list());
      assert.notDeepEqual([figuresOf(again!), tagOf(again!)], [figuresOf(listed!), tagOf(listed!)]);
    });

    it('lists ascending by the bytes of the key, also where a folder has neighbours that sort before its slash', async () => {
      const paths = ['a/b', 'a/z/y', 'a', 'a b', 'a.txt', 'a-', 'a0', 'a%', 'B', '\uff5e', '\u{1f5fa}/x', 'é', 'z'];
      const distinct = paths.filter((path) => path !== 'a');
      for (const path of distinct) await files.write(path, path);

      const keys = (await pathsOf(root)).map(keyOfPath);
      assert.deepEqual(keys, distinct.map(keyOfPath).sort());
      assert.ok(keys.indexOf('/a.txt') < keys.indexOf('/a/b'));
    });

    it('lists as many files as there are, over several batches', async () => {
      const paths = Array.from({ length: 1_234 }, (_, at) => `${at % 7}/${at}`);
      await Promise.all(paths.map((path) => files.write(path, '')));

      assert.deepEqual((await pathsOf(root)).map(keyOfPath), paths.map(keyOfPath).sort());
    });

    it('serves two lists at once, and one that stops early', async () => {
      for (const path of ['a', 'b/c', 'd']) await files.write(path, path);
      for await (const _ of root.list()) break;

      const [all, some] = await Promise.all([pathsOf(root), pathsOf(root, 'b')]);
      assert.deepEqual([all, some], [['a', 'b/c', 'd'], ['b/c']]);
    });

    it('lists what is below a folder, a single file, and nothing where there is nothing', async () => {
      for (const path of ['a/1', 'a/2/3', 'a.txt', 'ab/4']) await files.write(path, path);

      assert.deepEqual(await pathsOf(root, 'a'), ['a/1', 'a/2/3']);
      assert.deepEqual(await pathsOf(root, 'a/2'), ['a/2/3']);
      assert.deepEqual(await pathsOf(root, 'a.txt'), ['a.txt']);
      assert.deepEqual(await pathsOf(root, 'nothing'), []);
      assert.deepEqual(await pathsOf(root, 'a.txt/below'), []);
    });

    it('lists and opens names that a URL would change, cut or mistake, of files and of folders', async () => {
      const paths = ODD_NAMES.flatMap((odd) => [odd, `folder ${odd}/${odd}`]);
      for (const path of paths) await files.write(path, `this is ${path}`);

      assert.deepEqual((await pathsOf(root)).map(keyOfPath), paths.map(keyOfPath).sort());
      for (const path of paths) assert.equal(await textOf(root, path), `this is ${path}`);
    });

    it('distinguishes names that look the same', async () => {
      await files.write('caf\u00e9', 'composed');
      await files.write('cafe\u0301', 'decomposed');

      assert.equal((await pathsOf(root)).length, 2);
      assert.equal(await textOf(root, 'caf\u00e9'), 'composed');
      assert.equal(await textOf(root, 'cafe\u0301'), 'decomposed');
    });

    it('reports a name with control characters as a problem, and lists the rest', async () => {
      await files.write('line\nbreak', '');
      await files.write('z', '');

      const entries = await collect(root.list());
      assert.match(entries[0]!.problem ?? '', /control characters/);
      assert.deepEqual(
        entries.map(({ path }) => path),
        ['line\nbreak', 'z'],
      );
    });

    it('leaves out what is excluded, also when it is asked for by its path', async () => {
      for (const path of ['a.tmp', 'b.txt', 'c/d.tmp', 'e/f/g', 'h/e/i']) await files.write(path, path);
      root = files.open(['*.tmp', '/e/']);

      assert.deepEqual(await pathsOf(root), ['b.txt', 'h/e/i']);
      for (const hidden of ['a.tmp', 'e', 'e/f', 'e/f/g']) assert.deepEqual(await pathsOf(root, hidden), []);
    });

    it('fills a buffer with a file of its length, where it can, and with no other', async () => {
      for (const path of ['ten', 'folder/ten', 'hidden/ten', '\u00fcber %41']) await files.write(path, '0123456789');
      await files.write('none', '');
      root = files.open(['/hidden/']);
      const fill = await root.beginReads?.();
      const filled = (path: string, length: number) => {
        const buffer = Buffer.alloc(length);
        return fill?.(path, buffer) ? String(buffer) : undefined;
      };

      const all = fill && '0123456789';
      for (const path of ['ten', 'folder/ten', '\u00fcber %41']) assert.equal(filled(path, 10), all, path);
      assert.equal(filled('none', 0), fill && '');
      for (const path of [...NOWHERE, 'hidden/ten', 'folder']) assert.equal(filled(path, 10), undefined, path);
      for (const length of [0, 9, 11]) assert.equal(filled('ten', length), undefined, String(length));
    });

    it('reads all of a file, a range, and an empty file', async () => {
      await files.write('ten', '0123456789');
      await files.write('none', '');

      assert.equal(await textOf(root, 'ten'), '0123456789');
      assert.equal(await read((await root.open('ten')).stream({ start: 2, end: 4 })), '234');
      assert.equal(await read((await root.open('ten')).stream({ start: 9, end: 9 })), '9');
      assert.equal(await textOf(root, 'none'), '');
    });

    it('opens a file to be read as a whole, which may still be read in part, or not at all', async () => {
      const large = Array.from({ length: 100_000 }, (_, at) => String(at)).join(' ');
      await files.write('ten', '0123456789', 1_600_000_000);
      await files.write('large', large);
      await files.write('none', '');

      for (const [path, content] of [
        ['ten', '0123456789'],
        ['large', large],
        ['none', ''],
      ] as const) {
        const file = await root.open(path, true);
        assert.equal(file.length, content.length);
        assert.equal(file.bytes?.toString() ?? (await read(file.stream())), content);
        await (await root.open(path, true)).close();
      }
      const file = await root.open('ten');
      await file.close();
      const whole = await root.open('ten', true);
      assert.deepEqual([whole.tag, whole.mtime], [file.tag, file.mtime]);
      assert.equal(await read(whole.stream({ start: 2, end: 4 })), '234');
      assert.equal(await read((await root.open('large', true)).stream({ start: 5, end: 9 })), large.slice(5, 10));
    });

    it('reads files of many pieces, whole and in part', async () => {
      const content = Array.from({ length: 100_000 }, (_, at) => String(at)).join(' ');
      await files.write('large', content);

      assert.equal(await textOf(root, 'large'), content);
      const range = { start: 131_000, end: 400_000 };
      assert.equal(await read((await root.open('large')).stream(range)), content.slice(131_000, 400_001));
    });

    it('returns length and time of what it opened, and distinguishes versions', async () => {
      await files.write('a', 'one', 1_600_000_000);
      const mtime = await files.timeOf('a');
      const first = await root.open('a');
      await first.close();
      await files.write('a', 'two', 1_600_000_001);
      const second = await root.open('a');
      await second.close();

      assert.deepEqual([first.length, first.mtime], [3, mtime]);
      assert.notEqual(first.tag, second.tag);
      assert.match(first.tag, /^[!#-~]+$/, 'an opaque tag of RFC 9110, 8.8.3');
    });

    it('notices when a file was changed since it was opened', async () => {
      await files.write('a', 'old', 1_600_000_000);
      const file = await root.open('a');
      await files.write('a', 'new', 1_600_000_001);

      await assert.rejects(read(file.stream()), (error) => isTidemarkError(error, 'conflict'));
    });

    it('hashes a file, with what it was opened for and one hash at least', async () => {
      await files.write('a', 'abc', 1_600_000_000);
      const time = await files.timeOf('a');

      for (const wanted of [[], ['md5'], ['sha-1', 'sha-256'], HASH_ALGORITHMS] as const) {
        root = files.open([], wanted);
        const { length, mtime, hashes } = await root.digest('a');
        assert.deepEqual([length, mtime], [3, time]);
        assertHashes(hashes, 'abc');
        for (const algorithm of [...wanted, ...root.hashes]) assert.ok(hashes[algorithm], algorithm);
      }
    });

    it('hashes many files at once', async () => {
      const names = Array.from({ length: 50 }, (_, at) => `f${at}`);
      for (const path of names) await files.write(path, path);

      const digests = await Promise.all(names.map((path) => root.digest(path)));
      for (const [at, { hashes }] of digests.entries()) assertHashes(hashes, names[at]!);
    });

    it('hashes many files of a known length at once, whatever happens to some of them', async () => {
      const names = Array.from({ length: 50 }, (_, at) => `f${at}`);
      for (const path of names) await files.write(path, path);
      await files.write('grown', 'x'.repeat(300_000));

      const missing = assert.rejects(root.digest('missing', { length: 1 }), notFound);
      const grown = root.digest('grown', { length: 1 });
      const digests = await Promise.all(names.map((path) => root.digest(path, { length: path.length })));

      for (const [at, { hashes }] of digests.entries()) assertHashes(hashes, names[at]!);
      await missing;
      const { length, hashes } = await grown;
      assert.equal(length, 300_000);
      assertHashes(hashes, 'x'.repeat(300_000));
    });

    it('hashes for others when one of them aborts', async () => {
      await files.write('a', 'abc');
      const aborting = new AbortController();
      const reason = new Error('stopped');

      const aborted = assert.rejects(root.digest('a', { length: 3, signal: aborting.signal }), reason);
      const others = Promise.all(Array.from({ length: 40 }, () => root.digest('a', { length: 3 })));
      aborting.abort(reason);

      await aborted;
      for (const { hashes } of await others) assertHashes(hashes, 'abc');
    });

    it('rejects with the reason when hashing is aborted, and hashes again afterwards', async () => {
      await files.write('a', 'abc');
      const reason = new Error('stopped');

      await assert.rejects(root.digest('a', { signal: AbortSignal.abort(reason) }), reason);
      assert.equal((await root.digest('a')).length, 3);
    });

    it('opens and hashes only existing files, by plain paths', async () => {
      await files.write('file', 'x');
      await files.write('folder/file', 'x');

      for (const nowhere of NOWHERE) {
        await assert.rejects(root.open(nowhere), notFound, JSON.stringify(nowhere));
        await assert.rejects(root.open(nowhere, true), notFound, JSON.stringify(nowhere));
        await assert.rejects(root.digest(nowhere), notFound, JSON.stringify(nowhere));
      }
    });

    it('reports files that are added, edited and removed', async () => {
      await files.write('edited', 'x');
      await files.write('folder/removed', 'x');
      const reported = await watched();

      await files.write('added', 'x');
      await files.write('edited', 'y');
      await files.remove('folder/removed');
      for (const path of ['added', 'edited', 'folder/removed']) await until(path, async () => covers(reported, path));
    });

    it('reports files in folders that were made after it began', async () => {
      const reported = await watched();
      await files.write('new/deep/er/first', 'x');
      await until('first', async () => covers(reported, 'new/deep/er/first'));
      await reportedAll(reported);

      await files.write('new/deep/er/second', 'x');
      await until('second', async () => covers(reported, 'new/deep/er/second'));
    });

    it('reports a moved folder, and of what changes in it afterwards', async () => {
      await files.write('old/deep/file', 'x');
      const reported = await watched();

      await files.move('old', 'new');
      await until('old', async () => covers(reported, 'old/deep/file'));
      await until('new', async () => covers(reported, 'new/deep/file'));
      await reportedAll(reported);
      await files.write('new/deep/later', 'x');
      await until('later', async () => covers(reported, 'new/deep/later'));
    });

    it('reports nothing of what is excluded', async () => {
      await files.write('hidden/file', 'x');
      root = files.open(['hidden/', '*.tmp']);
      const reported = await watched();

      await files.write('hidden/other', 'x');
      await files.write('a.tmp', 'x');
      await files.write('last', 'x');
      await until('last', async () => covers(reported, 'last'));
      assert.deepEqual(
        [...reported].filter((path) => path.startsWith('hidden') || path === 'a.tmp'),
        [],
      );
    });

    it('reports nothing after it was closed', async () => {
      const reported = await watched();
      await watch!.close();
      await files.write('late', 'x');
      await new Promise((resolve) => setTimeout(resolve, 200));
      assert.equal(reported.size, 0);
    });

    it('is unavailable while the root is not there, which is not the same as empty', async () => {
      await files.write('a', 'x');
      const reported = await watched();
      await files.vanish();

      const unavailable = (error: unknown): boolean => isTidemarkError(error, 'unavailable');
      await assert.rejects(collect(root.list()), unavailable);
      await assert.rejects(collect(root.list('a')), unavailable);
      await assert.rejects(root.open('a'), unavailable);
      await assert.rejects(root.digest('a'), unavailable);
      await assert.rejects(
        root.watch(
          () => {},
          () => {},
        ),
        unavailable,
      );
      await until('the problem', async () => [...reported].some((line) => /^: .* does not exist/.test(line)));
    });
  });
}

function figuresOf(entry: RootEntry) {
  assert.equal(entry.problem, undefined);
  const { path, length, mtime } = entry as FileEntry;
  return { path, length, mtime };
}

function tagOf(entry: RootEntry): string | undefined {
  return (entry as FileEntry).tag;
}

/** Each is right, and there is one. */
function assertHashes(hashes: Hashes, content: string): void {
  const algorithms = Object.keys(hashes);
  assert.notEqual(algorithms.length, 0);
  const expected = algorithms.map((algorithm) => [algorithm, hashOf(algorithm, content)]);
  assert.deepEqual(hashes, Object.fromEntries(expected));
}

function hashOf(algorithm: string, content: string): string {
  return createHash(algorithm.replace('-', '')).update(content).digest('hex');
}

async function pathsOf(root: ContentRoot, under?: string): Promise<string[]> {
  return (await collect(root.list(under))).map(({ path }) => path);
}

async function textOf(root: ContentRoot, path: string): Promise<string> {
  return read((await root.open(path)).stream());
}

async function read(stream: Readable): Promise<string> {
  return Buffer.concat(await stream.toArray()).toString();
}

/** Whether listing what was reported would find the path. */
function covers(reported: ReadonlySet<string>, path: string): boolean {
  return [...reported].some((known) => known === '' || known === path || path.startsWith(`${known}/`));
}
