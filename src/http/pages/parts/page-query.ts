import * as z from 'zod';
import { boundaryAfter, boundaryBefore, type Stamp } from '../../../core/stamp.ts';

/**
 * Parameters of pages. A link that was cut short or written by hand shows the beginning, rather than what is wrong with
 * it; unknown parameters are ignored.
 */

/** The number of a page, counted from 1. */
export const pageNumber = z
  .string()
  .optional()
  .transform((text) => Math.min(Math.max(1, Math.floor(Number(text))) || 1, Number.MAX_SAFE_INTEGER))
  .meta({ description: 'The number of a page, counted from 1; any other text shows the first one.' });

/** The text that is searched for. */
export const searched = z
  .string()
  .transform((text) => text.toWellFormed().trim().slice(0, 500))
  .default('')
  .meta({ description: 'A text to search for.', default: '' });

/** A boundary, in microseconds since 1970; what is shown is before it. */
export const before = z
  .string()
  .optional()
  .transform(stampOf)
  .meta({ description: 'Microseconds since 1970: shows what was before. Any other text shows the latest.' });

function stampOf(text: string | undefined): Stamp | undefined {
  if (text === undefined || !/^\d{1,16}$/.test(text)) return undefined;
  const stamp = Number(text);
  if (!Number.isSafeInteger(stamp) || stamp === 0) return undefined;
  return stamp % 2 === 0 ? boundaryBefore(stamp) : boundaryAfter(stamp);
}
