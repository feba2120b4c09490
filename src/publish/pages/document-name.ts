import { TidemarkError } from '../../core/errors.ts';

/**
 * The name of a document in the cache: its file name, and a variant that distinguishes it from others at the same
 * address.
 * @param uri the address of the document
 */
export function documentName(uri: string, variant?: 'index' | 'closed' | 'between' | 'retired' | 'for-some'): string {
  const name = uri.slice(uri.lastIndexOf('/') + 1).replace(/\.xml$/, '');
  return variant === undefined ? name : `${name}-${variant}`;
}

/** The number in the name of a page or window of this epoch. */
export function parseName(name: string, epoch: number): number {
  const match = /^(\d{1,9})-(\d{8,12})$/.exec(name);
  // A name with more zeros would be a second URI of the same document.
  if (match === null || Number(match[1]) > epoch || partName(Number(match[1]), Number(match[2])) !== name)
    throw new TidemarkError('not-found', `there is no document "${name}"`, { name });
  if (Number(match[1]) < epoch) {
    throw new TidemarkError('gone', `"${name}" belongs to an earlier history of this set: begin again with its lists`, {
      name,
    });
  }
  return Number(match[2]);
}

/**
 * The name of a page or a window. Names sort as their numbers do: one known client reads the parts of an index in the
 * order of their URIs, and windows must be read in the order of time.
 */
export function partName(epoch: number, number: number): string {
  return `${epoch}-${String(number).padStart(8, '0')}`;
}
