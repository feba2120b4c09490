import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isTidemarkError, TidemarkError } from '../core/errors.ts';
import { compileGlob, hasWildcard } from './glob.ts';
import { errorCode, reasonOf } from './system-error.ts';

export const IGNORE_FILE = '.tidemarkignore';

/**
 * What is never content: the history of a working copy, and the list of exclusions itself. `!.git/` includes it again.
 */
const ALWAYS = ['.git/', IGNORE_FILE];

/** Patterns with wildcards of one origin, together: compiling the worst of them takes half a second. */
const MOST_CHARACTERS = 32_768;
/** Bytes of a `.tidemarkignore`. */
export const MOST_IGNORE_BYTES = 1_048_576;

/** Whether a file or folder is left out, judged by its own path: a walk does not enter a folder that is. */
export type Exclusions = (path: string, isFolder: boolean) => boolean;

/** What a root leaves out, besides what its `.tidemarkignore` does. */
export interface RootPatterns {
  /** Patterns, as lines of a `.tidemarkignore`. */
  readonly exclude: readonly string[];
  /** Patterns of this program's own files, which no other pattern includes again. */
  readonly ownFiles?: readonly string[] | undefined;
}

interface Rule {
  readonly matches: (path: string, name: string) => boolean;
  readonly foldersOnly: boolean;
  readonly excludes: boolean;
}

/**
 * Patterns in the manner of `.gitignore`: one without a slash matches names at any depth, one with a slash (at its
 * beginning or inside) a path from the root; a slash at its end means folders only; `!` includes again; `#` begins a
 * comment. The last match decides, and nothing below an excluded folder can be included again.
 */
export function parseExclusions(lines: readonly string[]): Exclusions {
  const rules = [...ALWAYS, ...lines].flatMap(parseRule);
  return (path, isFolder) => {
    const name = path.slice(path.lastIndexOf('/') + 1);
    const rule = rules.findLast((rule) => (isFolder || !rule.foldersOnly) && rule.matches(path, name));
    return rule?.excludes ?? false;
  };
}

/** @throws TidemarkError `invalid` for more patterns than can be compiled at once */
export function requireFewPatterns(lines: readonly string[]): void {
  const characters = lines.filter(hasWildcard).reduce((sum, { length }) => sum + length, 0);
  if (characters <= MOST_CHARACTERS) return;
  throw new TidemarkError(
    'invalid',
    `the patterns with wildcards have ${characters} characters, at most ${MOST_CHARACTERS}: name folders, or files without wildcards`,
    { field: 'exclude' },
  );
}

/**
 * The exclusions of a root.
 * @param ignoreText what its `.tidemarkignore` holds, which comes after the patterns of its set
 * @throws TidemarkError `unavailable` when that cannot be used: what it hides must not be published
 */
export function exclusionsOf({ exclude, ownFiles = [] }: RootPatterns, ignoreText: string): Exclusions {
  const lines = ignoreText.split('\n');
  try {
    requireFewPatterns(lines);
  } catch (error) {
    throw ignoreFileError(error);
  }
  return parseExclusions([...exclude, ...lines, ...ownFiles]);
}

/** The exclusions of a folder. @throws TidemarkError as `exclusionsOf`, also when the file cannot be read */
export function readExclusions(root: string, patterns: RootPatterns): Exclusions {
  return exclusionsOf(patterns, readIgnoreFile(join(root, IGNORE_FILE)));
}

/** Why it cannot be known what is left out. Names no path of this machine. */
export function ignoreFileError(error: unknown): TidemarkError {
  if (isTidemarkError(error, 'unavailable')) return error;
  const reason = isTidemarkError(error) ? error.message : `it cannot be read: ${reasonOf(error)}`;
  return new TidemarkError('unavailable', `${IGNORE_FILE}, which hides files, cannot be used: ${reason}`, {}, error);
}

export function ignoreFileTooLarge(): TidemarkError {
  return new TidemarkError('invalid', `it has more than ${MOST_IGNORE_BYTES} bytes`);
}

/** The pattern of exactly one folder of the root, such as the program's own data. */
export function patternOfFolder(path: string): string {
  return `/${path.replace(/[\\*?[\]{}!]/g, '\\$&')}/`;
}

/** Whether a folder above a path is left out. */
export function isHidden(excludes: Exclusions, path: string): boolean {
  for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1)) {
    if (excludes(path.slice(0, at), true)) return true;
  }
  return false;
}

/** Whether a file, or a folder above it, is left out. */
export function isLeftOut(excludes: Exclusions, path: string): boolean {
  return isHidden(excludes, path) || excludes(path, false);
}

function readIgnoreFile(file: string): string {
  try {
    const stats = statSync(file);
    // A FIFO would keep the reader waiting for ever.
    if (!stats.isFile()) return '';
    if (stats.size > MOST_IGNORE_BYTES) throw ignoreFileTooLarge();
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return '';
    throw ignoreFileError(error);
  }
}

/** The rule of a line; none for one that is empty or a comment. */
function parseRule(line: string): readonly Rule[] {
  // A trailing space counts only behind a backslash.
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
