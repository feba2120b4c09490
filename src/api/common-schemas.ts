import * as z from 'zod';

/** Fields that several schemas of the JSON API have. */

export const datetime = z.string().meta({ format: 'date-time' });
export const uri = z.string().meta({ format: 'uri' });
export const count = z.int().min(0);
