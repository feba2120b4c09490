import { excerpt } from '../../lib/excerpt.ts';
import { formatCount } from '../../lib/format-count.ts';

const SHOWN = 5;

/** `3 files (a.csv, b.csv, c.csv)`, for messages. */
export function namedFiles(names: readonly string[]): string {
  const shown = names.slice(0, SHOWN).map((name) => excerpt(name));
  const more = names.length > SHOWN ? ' …' : '';
  return `${names.length === 1 ? '1 file' : `${formatCount(names.length)} files`} (${shown.join(', ')}${more})`;
}
