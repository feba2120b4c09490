import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import picomatch from 'picomatch';
import { TidemarkError } from '../domain/errors.ts';
import { errorCode, reasonOf } from '../domain/system-error.ts';

export const IGNORE_FILE = '.tidemarkignore';

/** What is never content: the history of a working copy, and the list of exclusions itself. `!.git/` includes it again. */
const ALWAYS = ['.git/', IGNORE_FILE];

/** In one name of a path; and of names that stand for any folders. */
const MOST_WILDCARDS = 3;

/** Whether a file or folder is left out, looked at by itself: whoever walks does not enter a folder that is. */
export type Exclusions = (path: string, isFolder: boolean) => boolean;

interface Rule {
  readonly matches: (path: string, name: string) => boolean;
  readonly foldersOnly: boolean;
  readonly excludes: boolean;
}

/**
 * Patterns in the manner of `.gitignore`: one without a slash matches names at any depth, one with a slash (at its beginning or
 * inside) a path from the root; a slash at its end means folders only; `!` includes again; `#` begins a comment. The last match
 * decides, and nothing below an excluded folder can be included again.
 * @throws TidemarkError `invalid` for a pattern that is none
 */
export function parseExclusions(lines: readonly string[]): Exclusions {
  const rules = [...ALWAYS, ...lines].map(parseRule).filter((rule) => rule !== undefined);
  return (path, isFolder) => {
    const name = path.slice(path.lastIndexOf('/') + 1);
    const rule = rules.findLast((rule) => (isFolder || !rule.foldersOnly) && rule.matches(path, name));
    return rule?.excludes ?? false;
  };
}

/**
 * The exclusions of a root: what its set leaves out, then the lines of its `.tidemarkignore`.
 * @throws TidemarkError `unavailable` when that file is there but cannot be read: what it hides must not be published
 */
export function readExclusions(root: string, exclude: readonly string[]): Exclusions {
  return parseExclusions([...exclude, ...readLines(join(root, IGNORE_FILE))]);
}

/** The pattern of exactly one folder of the root, such as the program's own data. */
export function patternOfFolder(path: string): string {
  return `/${path.replace(/[\\*?[\]{}!]/g, '\\$&')}/`;
}

/** Whether a path or a folder above it is left out. */
export function isHidden(excludes: Exclusions, path: string): boolean {
  for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1)) {
    if (excludes(path.slice(0, at), true)) return true;
  }
  return false;
}

function readLines(file: string): readonly string[] {
  try {
    // A FIFO would keep the reader waiting for ever.
    return statSync(file).isFile() ? readFileSync(file, 'utf8').split('\n') : [];
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw new TidemarkError('unavailable', `${file} cannot be read: ${reasonOf(error)}`, {}, error);
  }
}

function parseRule(line: string): Rule | undefined {
  // A trailing space counts only behind a backslash.
  const text = withoutTrailingSpace(line);
  if (text === '' || text.startsWith('#')) return undefined;
  const excludes = !text.startsWith('!');
  const pattern = excludes ? text : text.slice(1);
  const foldersOnly = pattern.endsWith('/');
  const body = foldersOnly ? pattern.slice(0, -1) : pattern;
  const matcher = compile(body.replace(/^\//, ''));
  const matches = body.includes('/') ? (path: string) => matcher(path) : (_path: string, name: string) => matcher(name);
  return { matches, foldersOnly, excludes };
}

function withoutTrailingSpace(line: string): string {
  let end = line.length;
  while (end > 0 && ' \t\r'.includes(line[end - 1]!) && line[end - 2] !== '\\') end -= 1;
  return line.slice(0, end);
}

/** Each wildcard more multiplies the time for a name that nearly matches by its length. */
function requireFewWildcards(glob: string): void {
  const names = glob.replace(/\\./g, '').split('/');
  const mostInName = Math.max(...names.map((name) => name.match(/\*+|\{/g)?.length ?? 0));
  const folders = names.filter((name) => name === '**').length;
  if (mostInName <= MOST_WILDCARDS && folders <= MOST_WILDCARDS) return;
  throw new TidemarkError(
    'invalid',
    `"${glob.slice(0, 80)}" has more than ${MOST_WILDCARDS} of * and { in one name, or of **: take several patterns`,
    { field: 'exclude' },
  );
}

function compile(glob: string): (text: string) => boolean {
  requireFewWildcards(glob);
  try {
    // Parentheses, bars and quotation marks are groups and quotes to picomatch; in file names they are just characters.
    return picomatch(glob.replace(/(?<!\\)[()|"]/g, '\\$&'), {
      dot: true,
      nonegate: true,
      noextglob: true,
      windows: false,
    });
  } catch (error) {
    throw new TidemarkError('invalid', `"${glob.slice(0, 80)}" is no pattern: ${reasonOf(error)}`, {
      field: 'exclude',
    });
  }
}
