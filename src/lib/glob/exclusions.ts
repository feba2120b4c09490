import { type BigIntStats, lstatSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isTidemarkError, TidemarkError } from '../../core/errors.ts';
import { errorCode, reasonOf } from '../system-error.ts';
import { CLASS_NAMES } from './bracket.ts';
import { compileGlob, hasWildcard, unknownClassOf } from './glob.ts';

export const IGNORE_FILE = '.tidemarkignore';
/** The configuration file. It may contain the administrator's token. */
export const CONFIGURATION_FILE = 'tidemark.config.json';

/** This program's own files in any root. */
const OWN_FILES = [IGNORE_FILE, CONFIGURATION_FILE];
/** Always excluded: the history of a working copy, and this program's own files. `!.git/` includes the former again. */
const ALWAYS = ['.git/', ...OWN_FILES];

/** Most characters of all patterns with wildcards from one origin: compiling the worst of them takes half a second. */
const MOST_CHARACTERS = 32_768;
/** Most bytes of a `.tidemarkignore`. */
export const MOST_IGNORE_BYTES = 1_048_576;

/** Whether a file or folder is excluded by its own path. A walk does not enter an excluded folder. */
export type Exclusions = (path: string, isFolder: boolean) => boolean;

/** The exclusions of a root besides its `.tidemarkignore`. */
export interface RootPatterns {
  /** Patterns, as the lines of a `.tidemarkignore`. */
  readonly exclude: readonly string[];
  /** Patterns for this program's own files. No other pattern can include them again. */
  readonly ownFiles?: readonly string[] | undefined;
}

interface Rule {
  readonly matches: (path: string, name: string) => boolean;
  readonly foldersOnly: boolean;
  readonly excludes: boolean;
}

/**
 * Parses patterns in the style of `.gitignore`: one without a slash matches names at any depth, one with a slash (at
 * its beginning or inside) a path from the root; a slash at its end means folders only; `!` includes again; `#` begins
 * a comment. The last match decides, and nothing below an excluded folder can be included again.
 */
export function parseExclusions(lines: readonly string[]): Exclusions {
  return exclusionsBy([...ALWAYS, ...lines]);
}

/** Whether a path is that of one of this program's own files, which are published under no name. */
export function internalFiles({ ownFiles = [] }: RootPatterns): (path: string) => boolean {
  const excludes = exclusionsBy([...OWN_FILES, ...ownFiles]);
  return (path) => isLeftOut(excludes, path);
}

function exclusionsBy(lines: readonly string[]): Exclusions {
  const rules = lines.flatMap(parseRule);
  return (path, isFolder) => {
    const name = path.slice(path.lastIndexOf('/') + 1);
    const rule = rules.findLast((rule) => (isFolder || !rule.foldersOnly) && rule.matches(path, name));
    return rule?.excludes ?? false;
  };
}

/** @throws TidemarkError `invalid` when there are more patterns than can be compiled at once */
export function requireFewPatterns(lines: readonly string[]): void {
  const characters = lines.filter(hasWildcard).reduce((sum, { length }) => sum + length, 0);
  if (characters <= MOST_CHARACTERS) return;
  throw new TidemarkError(
    'invalid',
    `the patterns with wildcards have ${characters} characters, at most ${MOST_CHARACTERS}: name folders, or files without wildcards`,
    { field: 'exclude' },
  );
}

/** @throws TidemarkError `invalid` when a pattern has a class that does not exist: it would match nothing, as in git */
export function requireKnownClasses(lines: readonly string[]): void {
  const unknown = lines
    .filter((line) => !line.startsWith('#'))
    .map(unknownClassOf)
    .find((name) => name !== undefined);
  if (unknown === undefined) return;
  throw new TidemarkError(
    'invalid',
    `a pattern has the unknown class [:${unknown}:]: the classes are ${CLASS_NAMES.join(', ')}`,
    { field: 'exclude' },
  );
}

/**
 * The exclusions of a root.
 * @param ignoreText the text of its `.tidemarkignore`; its lines follow the patterns of the set
 * @throws TidemarkError `unavailable` when the text cannot be used: what it would exclude must not be published
 */
export function exclusionsOf({ exclude, ownFiles = [] }: RootPatterns, ignoreText: string): Exclusions {
  // Windows editors begin a file with a byte order mark. git skips it, too.
  const lines = ignoreText.replace(/^\ufeff/, '').split('\n');
  try {
    requireFewPatterns(lines);
    requireKnownClasses(lines);
  } catch (error) {
    throw ignoreFileError(error);
  }
  return parseExclusions([...exclude, ...lines, ...ownFiles]);
}

/**
 * Reads the exclusions of a folder.
 * @throws TidemarkError as `exclusionsOf`, also when the file cannot be read
 */
export function readExclusions(root: string, patterns: RootPatterns): Exclusions {
  return exclusionsOf(patterns, readIgnoreFile(join(root, IGNORE_FILE)));
}

/** The error when the exclusions cannot be read. It names no path of this machine. */
export function ignoreFileError(error: unknown): TidemarkError {
  if (isTidemarkError(error, 'unavailable')) return error;
  // Whether the root or the file may not be read, the system does not say.
  const what = errorCode(error) === 'EACCES' ? 'it, or the root itself,' : 'it';
  const reason = isTidemarkError(error) ? error.message : `${what} cannot be read: ${reasonOf(error)}`;
  return new TidemarkError('unavailable', `${IGNORE_FILE}, which hides files, cannot be used: ${reason}`, {}, error);
}

export function ignoreFileLeadsNowhere(): TidemarkError {
  return new TidemarkError('invalid', 'it is a link to a file that does not exist');
}

export function ignoreFileTooLarge(): TidemarkError {
  return new TidemarkError('invalid', `it has more than ${MOST_IGNORE_BYTES} bytes`);
}

/** A pattern for exactly one folder of the root, such as the program's own data. */
export function patternOfFolder(path: string): string {
  return `/${path.replace(/[\\*?[\]{}!]/g, '\\$&')}/`;
}

/** Whether a parent folder of a path is excluded. */
export function isHidden(excludes: Exclusions, path: string): boolean {
  for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1)) {
    if (excludes(path.slice(0, at), true)) return true;
  }
  return false;
}

/** Whether a file or a parent folder of it is excluded. */
export function isLeftOut(excludes: Exclusions, path: string): boolean {
  return isHidden(excludes, path) || excludes(path, false);
}

/**
 * Describes a `.tidemarkignore`, or the file that it leads to; undefined when there is none.
 * @throws TidemarkError `invalid` for a link to nothing: its disk may not be mounted
 */
export function statIgnoreFile(file: string): BigIntStats | undefined {
  const own = lstatSync(file, { bigint: true, throwIfNoEntry: false });
  if (!own?.isSymbolicLink()) return own;
  const target = statSync(file, { bigint: true, throwIfNoEntry: false });
  if (target === undefined) throw ignoreFileLeadsNowhere();
  return target;
}

function readIgnoreFile(file: string): string {
  try {
    const stats = statIgnoreFile(file);
    // Reading a FIFO would block for ever.
    if (stats?.isFile() !== true) return '';
    if (stats.size > MOST_IGNORE_BYTES) throw ignoreFileTooLarge();
    return readFileSync(file, 'utf8');
  } catch (error) {
    // It was deleted meanwhile.
    if (errorCode(error) === 'ENOENT' && lstatSync(file, { throwIfNoEntry: false }) === undefined) return '';
    throw ignoreFileError(error);
  }
}

/** The rule of a line; empty for a blank line or a comment. */
function parseRule(line: string): readonly Rule[] {
  // A trailing space counts only after a backslash.
  const text = withoutTrailingSpace(line);
  if (text === '' || text.startsWith('#')) return [];
  const excludes = !text.startsWith('!');
  const pattern = excludes ? text : text.slice(1);
  const foldersOnly = pattern.endsWith('/');
  const body = foldersOnly ? pattern.slice(0, -1) : pattern;
  const matcher = compileGlob(body.replace(/^\//, ''));
  const matches = body.includes('/') ? (path: string) => matcher(path) : (_path: string, name: string) => matcher(name);
  return [{ matches, foldersOnly, excludes }];
}

function withoutTrailingSpace(line: string): string {
  let end = line.length;
  while (end > 0 && ' \t\r'.includes(line[end - 1]!) && line[end - 2] !== '\\') end -= 1;
  return line.slice(0, end);
}
