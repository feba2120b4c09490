import type { Request } from 'express';
import { TidemarkError } from '../domain/errors.ts';
import type { Stamp } from '../domain/stamp.ts';
import { parseDatetime } from '../domain/w3c-datetime.ts';

/** A parameter of the query that is given at most once. @throws TidemarkError `invalid` */
export function textOf(request: Request, field: string): string | undefined {
  const value: unknown = request.query[field];
  if (value === undefined || typeof value === 'string') return value;
  throw new TidemarkError('invalid', `${field} is given several times`, { code: 'bad-query', field });
}

/** How many a client wants, from 1 to `most`. @throws TidemarkError `invalid` */
export function limitOf(request: Request, limits: { readonly usual: number; readonly most: number }): number {
  const text = textOf(request, 'limit');
  if (text === undefined) return limits.usual;
  const limit = Number(text);
  if (/^\d+$/.test(text) && limit >= 1 && limit <= limits.most) return limit;
  throw new TidemarkError('invalid', `limit is a whole number from 1 to ${limits.most}`, {
    code: 'bad-query',
    field: 'limit',
  });
}

/** A time, in microseconds since 1970. @throws TidemarkError `invalid` */
export function timeOf(request: Request, field: 'from' | 'until'): Stamp | undefined {
  // A plus sign that was not encoded arrives as a space.
  const text = textOf(request, field)?.replace(' ', '+');
  if (text === undefined) return undefined;
  const time = parseDatetime(text);
  if (typeof time === 'number') return time;
  throw new TidemarkError('invalid', `${field} is ${time}: write it as 2026-01-31T12:00:00Z`, {
    code: time === 'a datetime without a time zone' ? 'datetime-without-zone' : 'bad-datetime',
    field,
  });
}
