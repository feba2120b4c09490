import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { isTidemarkError } from '../../../src/core/errors.ts';
import { isHidden, parseExclusions, patternOfFolder, requireFewPatterns } from '../../../src/lib/glob/exclusions.ts';
import { openRoot } from '../../../src/sources/open-contents.ts';
import { collect } from '../../support/builders.ts';
import { useTempFolder } from '../../support/temp-folder.ts';

// Patterns, paths that they leave out, and paths that they do not; a slash at the end of a path says that it is a
// folder.
const CASES: readonly (readonly [patterns: string[], hidden: string[], shown: string[]])[] = [
  [[], ['.git/', 'a/.git/', '.tidemarkignore'], ['.git', '.gitignore', '.hidden', 'a~']],
  [['!.git/'], [], ['.git/']],
  [['*.tmp'], ['a.tmp', 'x/y/a.tmp', '.tmp', 'a.tmp/'], ['a.tmp.txt', 'tmp']],
  [['build/'], ['build/', 'x/build/'], ['build', 'x/build']],
  [['/build'], ['build', 'build/'], ['x/build']],
  [['docs/*.html'], ['docs/a.html'], ['docs/x/a.html', 'x/docs/a.html']],
  [['docs/**/*.html'], ['docs/a.html', 'docs/x/y/a.html'], ['x/docs/a.html']],
  [['**/cache'], ['cache', 'a/b/cache'], ['cached']],
  [['*.log', '!keep.log'], ['a.log'], ['keep.log', 'x/keep.log']],
  [['!keep.log', '*.log'], ['keep.log'], []],
  [['# a comment', '', '  ', '\r', 'a.txt  \r'], ['a.txt'], ['# a comment', '  ']],
  [['\\#a', '\\!b', 'c\\ '], ['#a', '!b', 'c '], ['c']],
  [
    ['[ab]?.txt', '*.{jpg,png}'],
    ['a1.txt', 'b2.txt', 'x.jpg', 'y.png'],
    ['c1.txt', 'a.txt', 'x.gif'],
  ],
  [
    ['copy (1).txt', '"x"', 'a|b', 'a+b', '!(x)'],
    ['copy (1).txt', '"x"', 'a|b', 'a+b'],
    ['copy 1.txt', 'x', 'a', 'b', 'aab'],
  ],
  [['['], ['['], ['a']],
  [
    ['[!a]b', '[^c]d', '[]x]', '[a-c\\]]z', '[z-a]'],
    ['cb', 'ad', ']', 'x', 'bz', ']z'],
    ['ab', 'cd', '/b', 'zz', 'b'],
  ],
  [
    ['{a,b/c}.txt', '{1..3}.png', '{x}', '{y', 'z}', '{'],
    ['a.txt', '1.png', '3.png', '{x}', '{y', 'z}', '{'],
    ['4.png', 'x'],
  ],
  [
    ['{a,{b,c}d}', 'e,f'],
    ['a', 'bd', 'cd', 'e,f'],
    ['b', 'd', 'e'],
  ],
  [
    ['docs/**', '/**/x/**/y'],
    ['docs/a', 'docs/a/b', 'x/y', 'a/x/b/c/y'],
    ['docs', 'docs/', 'a/docs', 'xy'],
  ],
  [
    ['x/**/', '**/y/**/'],
    ['x/a/', 'x/a/b/', 'y/a/', 'z/y/a/'],
    ['x', 'x/', 'x/a', 'x/a.txt', 'x/a/b', 'y/', 'y/a', 'z/y/'],
  ],
  [
    ['a/**', '!a/keep'],
    ['a/b', 'a/b/'],
    ['a/', 'a/keep'],
  ],
  [
    ['[[:digit:]].txt', 'a[[:space:]]b', '/[![:alpha:]]/'],
    ['1.txt', 'x/2.txt', 'a b', '1/'],
    ['a.txt', 'a/', '1'],
  ],
  [
    ['a+', '[a]+b', '{c,d}+', '(e|f)', 'g$', '^h', '.i'],
    ['a+', 'a+b', 'c+', '(e|f)', 'g$', '^h', '.i'],
    ['aa', 'ab', 'cc', 'e', 'xi'],
  ],
  [
    ['?', '\\*', 'back\\\\slash', 'end\\'],
    ['é', '\u{1f5fa}', '*', 'back\\slash', 'end\\'],
    ['ab', 'xx'],
  ],
  [[patternOfFolder('data*[1]{a}!(b)')], ['data*[1]{a}!(b)/'], ['data*[1]{a}!(b)', 'dataX1a/', 'x/data*[1]{a}!(b)/']],
];

describe('what is excluded', () => {
  for (const [patterns, hidden, shown] of CASES) {
    it(`follows ${JSON.stringify(patterns)}`, () => {
      const excludes = parseExclusions(patterns);
      const isExcluded = (path: string): boolean => excludes(path.replace(/\/$/, ''), path.endsWith('/'));
      assert.deepEqual(hidden.filter(isExcluded), hidden);
      assert.deepEqual(shown.filter(isExcluded), []);
    });
  }

  it('hides everything below an excluded folder', () => {
    const excludes = parseExclusions(['a/b/']);
    assert.deepEqual(
      ['a/b/c', 'a/b/c/d', 'a/bc/d', 'a/b'].map((path) => isHidden(excludes, path)),
      [true, true, false, false],
    );
  });

  it('has a bound, which names without wildcards do not count for', () => {
    requireFewPatterns(Array.from({ length: 10_000 }, (_, at) => `folder/file-${at}.txt`));
    requireFewPatterns(Array.from({ length: 1_000 }, (_, at) => `file-${at}-*.txt`));
    assert.throws(
      () => requireFewPatterns(['*'.repeat(40_000)]),
      (error) => isTidemarkError(error, 'invalid'),
    );
  });
});

describe('.tidemarkignore', () => {
  const folder = useTempFolder();
  const list = async (exclude: string[]): Promise<string[]> =>
    (await collect(openRoot({ root: folder.path, exclude }).list())).map(({ path }) => path);

  it('adds its lines to what the set leaves out, and is not published', async () => {
    for (const path of ['a.tmp', 'b.log', 'c.txt', 'keep.tmp']) folder.write(path);
    folder.write('.tidemarkignore', '# temporary\n!keep.tmp\n*.log\n');

    assert.deepEqual(readdirSync(folder.path).length, 5);
    assert.deepEqual(await list(['*.tmp']), ['c.txt', 'keep.tmp']);
  });

  it('may begin with a byte order mark, as editors on Windows write it', async () => {
    for (const path of ['private/secret.txt', 'a.key', 'b']) folder.write(path);
    folder.write('.tidemarkignore', '\ufeffprivate/\r\n*.key\r\n');
    const root = openRoot({ root: folder.path, exclude: [] });
    assert.deepEqual(await list([]), ['b']);
    assert.equal((await root.leavesOut())('private/secret.txt'), true);
  });

  it('is read again at each list', async () => {
    folder.write('a.log');
    const root = openRoot({ root: folder.path, exclude: [] });
    assert.equal((await collect(root.list())).length, 1);
    folder.write('.tidemarkignore', '*.log');
    assert.equal((await collect(root.list())).length, 0);
  });

  it('keeps every file from being listed and opened while it is a link to itself, or to nothing', async () => {
    folder.write('a', 'x');
    const root = openRoot({ root: folder.path, exclude: [] });
    const open = async () => (await root.open('a')).close();
    // The second one is opened in a folder that is known.
    for (let time = 1; time <= 2; time++) await open();
    for (const target of ['.tidemarkignore', '../not-mounted/rules']) {
      symlinkSync(target, folder.at('.tidemarkignore'));
      await assert.rejects(open(), (error) => isTidemarkError(error, 'unavailable'));
      await assert.rejects(collect(root.list()), (error) => isTidemarkError(error, 'unavailable'));
      rmSync(folder.at('.tidemarkignore'));
      await open();
    }
  });

  it('may be a folder, which hides nothing', async () => {
    mkdirSync(folder.at('.tidemarkignore'));
    folder.write('a');
    assert.deepEqual(await list([]), ['a']);
  });
});
