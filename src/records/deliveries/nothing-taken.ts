import { formatCount } from '../../lib/format-count.ts';
import type { ReadFile, ReadUpload } from '../arrivals/upload-state.ts';

/**
 * Why an upload has failed of which nothing was taken: a sentence without a full stop. Undefined when something was: a
 * record, a deletion, or a file of a known kind without an error, such as an empty list of deletions. What comes along
 * with that, as the description in a package, does no harm.
 */
export function reasonForNothingTaken({ files, totals }: Pick<ReadUpload, 'files' | 'totals'>): string | undefined {
  const isAnyTaken = totals.records + totals.deletions > 0 || !files.every(isNotTaken);
  const [first] = files;
  if (isAnyTaken || first === undefined) return undefined;
  const others = totals.files - 1;
  const also = others === 0 ? '' : `; nor of ${formatCount(others)} other ${others === 1 ? 'file' : 'files'}`;
  return `nothing was taken of ${first.path.join(' > ')}: ${problemOf(first)}${also}`;
}

const isNotTaken = ({ kind, errors }: ReadFile): boolean => kind === 'unknown' || errors > 0;

function problemOf({ reason, errors }: ReadFile): string {
  return reason ?? `it has ${formatCount(errors)} ${errors === 1 ? 'error' : 'errors'}, and nothing else that is read`;
}
