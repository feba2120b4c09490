import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { TidemarkError } from '../../../src/core/errors.ts';
import {
  exclusionsOf,
  IGNORE_FILE,
  ignoreFileError,
  ignoreFileTooLarge,
  isHidden,
  isLeftOut,
  MOST_IGNORE_BYTES,
  parseExclusions,
  readExclusions,
  requireFewPatterns,
  requireKnownClasses,
} from '../../../src/lib/glob/exclusions.ts';
import { compileGlob } from '../../../src/lib/glob/glob.ts';
import { useTempFolder } from '../../support/temp-folder.ts';

describe('a glob', () => {
  const CASES: readonly (readonly [glob: string, matching: string[], others: string[]])[] = [
    ['a', ['a'], ['b', 'aa', '']],
    ['*', ['a', ''], ['a/b']],
    ['**', ['a', 'a/b', ''], []],
    ['a**', ['a', 'ab'], ['a/b']],
    ['a/**', ['a/b', 'a/b/c'], ['a', 'ab', 'b/a']],
    ['a/**/**', ['a/b', 'a/b/c'], ['a']],
    ['a/**b', ['a/b', 'a/xb'], ['a/x/b']],
    ['***', ['a', 'a/b'], []],
    ['a/***', ['a/b', 'a/b/c'], ['a']],
    ['**a', ['a', 'ba'], ['b/a']],
    ['a**/b', ['a/b', 'ax/b'], ['a/x/b', 'b']],
    ['x**', ['x', 'xy'], ['x/y']],
    ['**/a', ['a', 'b/a', 'b/c/a'], ['ba']],
    ['a/**/b', ['a/b', 'a/x/b', 'a/x/y/b'], ['ab', 'a/xb']],
    ['*/***/b', ['a/b', 'a/x/b', 'a/x/y/b'], ['b']],
    ['?', ['a'], ['/', '', 'ab']],
    ['[ab]', ['a', 'b'], ['c', '[ab]']],
    ['[!ab]', ['c'], ['a', 'b', '/']],
    ['[^ab]', ['c'], ['a', 'b', '/']],
    ['[!]a]', ['b'], [']', 'a']],
    ['[]', ['[]'], ['a']],
    ['x[', ['x['], ['x']],
    ['[a', ['[a'], ['a']],
    ['[a-]', ['a', '-'], ['b']],
    ['[-a]', ['a', '-'], ['b']],
    ['[a-a]', ['a'], ['b', '-']],
    ['[a-cx]', ['a', 'b', 'c', 'x'], ['-', 'd']],
    ['[ac-]', ['a', 'c', '-'], ['b']],
    ['[a-c-e]', ['a', 'b', 'c', '-', 'e'], ['d']],
    ['[c-a]', ['c'], ['a', 'b', '']],
    ['[c-a]x', ['cx'], ['ax', 'x']],
    ['[\\]]', [']'], ['\\']],
    ['[ ]', [' '], ['a']],
    ['[[:digit:]].b', ['1.b'], ['a.b', ':.b', '[.b', '11.b']],
    ['[[:alpha:]]', ['a', 'Z'], ['1', 'é', '_']],
    ['[[:alnum:]]', ['a', 'Z', '0'], ['-', '_']],
    ['[[:lower:]]', ['a', 'z'], ['A', '1']],
    ['[[:upper:]]', ['A', 'Z'], ['a', '1']],
    ['[[:xdigit:]]', ['0', 'f', 'F'], ['g', 'G']],
    ['[[:punct:]]', ['!', '.', '-', ':', '@', '[', '_', '`', '{', '~'], ['a', '1', ' ', '/', '\x7f']],
    ['[[:graph:]]', ['!', '~', 'a'], [' ', '/', '\x7f']],
    ['[[:print:]]', [' ', '!', '~'], ['\t', '/', '\x7f']],
    ['[[:cntrl:]]', ['\x01', '\x1f', '\x7f'], [' ', 'a']],
    ['[[:blank:]]', [' ', '\t'], ['\n', 'a']],
    ['a[[:space:]]b', ['a b', 'a\tb', 'a\nb', 'a\rb'], ['a\vb', 'a\fb', 'asb', 'a:]b']],
    ['[![:digit:]]', ['a', ':'], ['1', '/']],
    ['[^[:digit:]a]', ['b'], ['1', 'a', '/']],
    ['[[:digit:][:upper:]x]', ['1', 'A', 'x'], ['a', ':']],
    ['[x[:digit:]-]', ['x', '1', '-'], ['.']],
    ['[[:digit:]-z]', ['1', '-', 'z'], ['a']],
    ['[][:digit:]]', [']', '1'], ['[', ':']],
    ['[[:]', ['[', ':'], ['a', ']']],
    ['[[:a]', ['[', ':', 'a'], ['b']],
    ['[[.a]', ['[', '.', 'a'], ['b']],
    ['[:digit:]', [':', 'd', 't'], ['1', '[']],
    ['[[:digit:]', ['[[:digit:]'], ['1', '[d']],
    ['[[:digits:]]', [], ['1', 'd', '[', '']],
    ['[![:digits:]]', [], ['1', 'a', '']],
    ['[[::]]', [], [':', '']],
    ['[[:constructor:]]', [], ['c']],
    ['a[+-9]b', ['a+b', 'a.b', 'a0b', 'a9b'], ['a/b']],
    ['a[/]b', [], ['a/b', 'ab']],
    ['[\\]x', ['[]x'], ['x', ']x']],
    ['{a,b}', ['a', 'b'], ['c', '{a,b}', 'a,b']],
    ['{a}', ['{a}'], ['a']],
    ['}', ['}'], ['']],
    ['*}', ['a}'], ['a']],
    ['*,', ['a,'], ['a']],
    ['{a}*', ['{a}b'], ['ab']],
    ['{1..3}', ['1', '2', '3'], ['4', '.']],
    ['{3..1}', ['1', '2', '3'], ['4']],
    ['{2..2}', ['2'], ['1']],
    ['{x{a,b}', ['{xa', '{xb'], ['xa']],
    ['a\\', ['a\\'], ['a']],
    ['\\*', ['*'], ['a', '\\*']],
    ['a.b', ['a.b'], ['axb']],
    ['*.b', ['a.b'], ['axb']],
    [`${'{'.repeat(3_000)}a,b${'}'.repeat(3_000)}`, [], ['a', '']],
  ];

  for (const [glob, matching, others] of CASES) {
    it(`is understood as ${glob.slice(0, 20)}`, () => {
      const matches = compileGlob(glob);
      assert.deepEqual(matching.filter(matches), matching);
      assert.deepEqual(others.filter(matches), []);
    });
  }
});

describe('the exclusions of a root', () => {
  const folder = useTempFolder();

  it('are the patterns of its set, those of its file, and at last those of the program', () => {
    const excludes = exclusionsOf({ exclude: ['*.a'], ownFiles: ['own'] }, '!x.a\n*.b\n!own');
    assert.deepEqual(
      ['y.a', 'x.a', 'y.b', 'own', 'other'].filter((path) => excludes(path, false)),
      ['y.a', 'y.b', 'own'],
    );
    assert.equal(exclusionsOf({ exclude: [] }, '')('Stryker was here', false), false);
  });

  it('are read from its file, when there is one', () => {
    const root = folder.at('root');
    mkdirSync(root);
    const excludes = () => readExclusions(root, { exclude: [] })('é', false);
    assert.equal(excludes(), false);
    folder.write(`root/${IGNORE_FILE}`, 'é\n');
    assert.equal(excludes(), true);
    folder.write(`root/${IGNORE_FILE}`, '#'.repeat(MOST_IGNORE_BYTES));
    assert.equal(excludes(), false);
    folder.write(`root/${IGNORE_FILE}`, '#'.repeat(MOST_IGNORE_BYTES + 1));
    assert.throws(excludes, { code: 'unavailable', message: /cannot be used: it has more than 1048576 bytes$/ });
  });

  it('are those of a file that begins with a byte order mark, too', () => {
    folder.write(`root/${IGNORE_FILE}`, '\ufeffprivate/\r\n*.key\r\n');
    const excludes = readExclusions(folder.at('root'), { exclude: [] });
    assert.deepEqual(
      ['private/secret.txt', 'a.key', 'b'].filter((path) => isLeftOut(excludes, path)),
      ['private/secret.txt', 'a.key'],
    );
  });

  it('are refused with a class of characters that does not exist, which would match nothing', () => {
    requireKnownClasses(['[[:digit:]]', '# [[:digits:]]', '[:digits:]', '[[:digits:]']);
    const message = /^a pattern has the unknown class \[:digits:\]: the classes are alnum, alpha, blank, .*, xdigit$/;
    const refused = { code: 'invalid', message, details: { field: 'exclude' } };
    assert.throws(() => requireKnownClasses(['a', '!x/[a[:digits:]]*']), refused);
    assert.throws(() => exclusionsOf({ exclude: [] }, 'a\n[[:digits:]]\n'), {
      code: 'unavailable',
      message: /^\.tidemarkignore, which hides files, cannot be used: a pattern has the unknown class \[:digits:\]/,
    });
    // A set that was stored by an earlier version.
    assert.equal(exclusionsOf({ exclude: ['[[:digits:]]'] }, '')('1', false), false);
  });

  it('are none when the file is not a file', () => {
    mkdirSync(folder.at(`folder/${IGNORE_FILE}`), { recursive: true });
    assert.equal(readExclusions(folder.at('folder'), { exclude: [] })('a', false), false);
  });

  it('are unknown when the file cannot be read, or has too many patterns', () => {
    folder.write('file', '');
    assert.throws(() => readExclusions(folder.at('file'), { exclude: [] }), {
      code: 'unavailable',
      message: /it cannot be read: .*ENOTDIR/,
    });
    const patterns = 'a*'.repeat(16_384);
    requireFewPatterns([patterns, 'x'.repeat(100)]);
    assert.throws(() => requireFewPatterns([patterns, '*']), { code: 'invalid', details: { field: 'exclude' } });
    assert.throws(() => exclusionsOf({ exclude: [] }, `${patterns}\n*`), { code: 'unavailable' });
    const own = new TidemarkError('unavailable', 'out of reach');
    assert.equal(ignoreFileError(own), own);
    assert.equal(ignoreFileTooLarge().code, 'invalid');
  });

  it('leave out what is below a folder that is left out', () => {
    const excludes = parseExclusions(['a/b/', 'c', '']);
    for (const path of ['a/b/c', 'a/b/x/y', 'c', 'x/c', 'c/x']) assert.ok(isLeftOut(excludes, path), path);
    for (const path of ['a/b', 'a/x', 'ab', '']) assert.equal(isLeftOut(excludes, path), false, path);
    assert.equal(isHidden(excludes, 'x/c'), false);
    assert.equal(isHidden(excludes, 'c/x'), true);
  });
});
