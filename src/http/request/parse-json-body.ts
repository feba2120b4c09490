import { isUtf8 } from 'node:buffer';
import type * as z from 'zod';
import { TidemarkError } from '../../core/errors.ts';

/**
 * A body as its schema makes it.
 * @throws TidemarkError `invalid` that names the field; it repeats nothing of the body
 */
export function parseJsonBody<Schema extends z.ZodType>(schema: Schema, bytes: Buffer): z.output<Schema> {
  return checkBody(schema, readJson(bytes));
}

/** A value that was posted, as its schema makes it. @throws TidemarkError `invalid` that names the field */
export function checkBody<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const { path, message } = parsed.error.issues[0]!;
  const field = path.join('.') || 'body';
  throw wrong('bad-body', `${field} is wrong: ${message}`, field);
}

function readJson(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw wrong('not-utf-8', 'the body is not UTF-8');
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    throw wrong('not-json', 'the body is no JSON');
  }
}

function wrong(code: string, message: string, field = 'body'): TidemarkError {
  return new TidemarkError('invalid', message, { code, field });
}
