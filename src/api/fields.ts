import * as z from 'zod';

/** Fields that several schemas of the JSON API have. */

export const datetime = z.string().meta({ format: 'date-time' });
export const uri = z.string().meta({ format: 'uri' });
export const count = z.int().min(0);

/** A time in milliseconds since 1970 as views have it. */
export function formatTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

/** In the descriptions of sets, resources and changes, a component of its own. */
export const w3cDatetime = z
  .string()
  .meta({ id: 'Datetime', description: 'A W3C datetime, in UTC.', format: 'date-time' });

/** The field with which a client asks for what follows. */
export function next(parameter: 'after' | 'from' | 'until') {
  return z.string().optional().describe(`Send it as \`${parameter}\` for what follows. Absent when nothing does.`);
}
