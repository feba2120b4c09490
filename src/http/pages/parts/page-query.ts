import type { Request } from 'express';
import * as z from 'zod';
import { CHANGE_KINDS } from '../../../core/change.ts';
import { MOST_CHARACTERS } from '../../../core/key-search.ts';
import { boundaryAfter, boundaryBefore, type Stamp } from '../../../core/stamp.ts';
import { MICROSECONDS } from '../../../core/time-unit.ts';

/**
 * Parameters of pages. A truncated or hand-written link to a page shows the first page rather than an error. But an
 * invalid filter is refused: without it, other changes than the requested ones would be shown. Unknown parameters are
 * ignored.
 */

/** The number of a page, counted from 1. */
export const pageNumber = z
  .string()
  .optional()
  .transform((text) => Math.min(Math.max(1, Math.floor(Number(text))) || 1, Number.MAX_SAFE_INTEGER))
  .meta({ description: 'The number of a page, counted from 1; any other text shows the first one.' });

/** A search text. */
export const searched = z
  .string()
  .transform((text) => text.toWellFormed().trim().slice(0, 500))
  .default('')
  .meta({ description: 'A text to search for.', default: '' });

/** A search text for names of resources. */
export const searchedName = searched
  .refine(({ length }) => length <= MOST_CHARACTERS, `is too long: at most ${MOST_CHARACTERS} characters`)
  .meta({ description: 'A text to search for.', default: '' });

/** A boundary, in microseconds since 1970: the page shows items before it. */
export const before = z
  .string()
  .optional()
  .transform(stampOf)
  .meta({ description: 'Microseconds since 1970: shows what was before. Any other text shows the latest.' });

/** A filter for the kind of changes; a form sends an empty text for every kind. */
export const changeKind = z
  .enum(['', ...CHANGE_KINDS], `is one of ${CHANGE_KINDS.join(', ')}`)
  .optional()
  .transform((kind) => kind || undefined)
  .meta({ description: '`created`, `updated` or `deleted`; empty for every kind.' });

const NO_DAY = 'is not a day: write it as 2026-11-23';

/** A day in UTC, as `2026-11-23`; a form sends an empty one for no limit. */
export const day = z
  .union([z.literal(''), z.string().refine(isDay, NO_DAY).meta({ format: 'date' })], NO_DAY)
  .optional()
  .transform((text) => text || undefined)
  .meta({ description: 'A day in UTC, as `2026-11-23`; empty for no limit.' });

/** Stamps are exact up to this time. There are no later changes. */
const LATEST = Date.UTC(2200, 0);

/** The boundary below all changes of a day. */
export function beginningOf(day: string): Stamp {
  return Math.max(1, boundaryBefore(Math.min(Date.parse(day), LATEST) * 1000));
}

/** The boundary above all changes of a day. */
export function endOf(day: string): Stamp {
  return beginningOf(day) + MICROSECONDS.day;
}

function isDay(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text) || Number.isNaN(Date.parse(text))) return false;
  // 30 February would be parsed as a day in March.
  return new Date(text).toISOString().startsWith(text);
}

function stampOf(text: string | undefined): Stamp | undefined {
  if (text === undefined || !/^\d{1,16}$/.test(text)) return undefined;
  const stamp = Number(text);
  if (!Number.isSafeInteger(stamp) || stamp === 0) return undefined;
  return stamp % 2 === 0 ? boundaryBefore(stamp) : boundaryAfter(stamp);
}

/** The text of an invalid query parameter; empty when it was given several times. */
export function given({ query }: Request, name: string): string {
  const value = query[name];
  return typeof value === 'string' ? value : '';
}
