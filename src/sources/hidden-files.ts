import type { HiddenFiles } from '../core/resource-set.ts';

const MOST_PATHS = 5;
/** A name that begins with a dot, of a file or a folder. What is in `.well-known` is meant for everybody (RFC 8615). */
const HIDDEN = /(?:^|\/)\.(?!well-known\/)/;
/** The exclusion of all hidden files. */
const PATTERN = '.*';

/** Whether a file, or a folder that it is in, has a name that begins with a dot. */
export function isHiddenPath(path: string): boolean {
  return HIDDEN.test(path);
}

export function withHiddenPath(path: string, { count, paths }: HiddenFiles = { count: 0, paths: [] }): HiddenFiles {
  return { count: count + 1, paths: count < MOST_PATHS ? [...paths, path] : paths };
}

/** The first of them, and how many more there are. */
export function namesOfHidden({ count, paths }: HiddenFiles): string {
  const more = count - paths.length;
  return `${paths.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** The exclusions of a set that leave out hidden files, too. */
export function excludingHidden(exclude: readonly string[]): readonly string[] {
  return [...exclude.filter((pattern) => pattern !== PATTERN), PATTERN];
}
