import { isUtf8 } from 'node:buffer';
import type * as z from 'zod';
import { TidemarkError } from '../../core/errors.ts';
import { fieldProblem, issueText } from '../../core/issue-text.ts';
import { unknownName } from './unknown-name.ts';

/**
 * Parses a body with its schema.
 * @throws TidemarkError `invalid` that names the field; it repeats no value of the body
 */
export function parseJsonBody<Schema extends z.ZodType>(schema: Schema, bytes: Buffer): z.output<Schema> {
  return checkBody(schema, readJson(bytes));
}

/** Parses a posted value with its schema. @throws TidemarkError `invalid` that names the field */
export function checkBody<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const parsed = schema.safeParse(value, { error: issueText });
  if (parsed.success) return parsed.data;
  const { issues } = parsed.error;
  // A misspelt name also causes a missing one: the misspelling is the more useful message.
  const issue = issues.find(({ code }) => code === 'unrecognized_keys') ?? issues[0]!;
  if (issue.code === 'unrecognized_keys') throw unknownField(issue, schema);
  const field = issue.path.join('.') || 'body';
  throw wrong('bad-body', fieldProblem(field, issue.message), field);
}

function unknownField({ path, keys }: z.core.$ZodIssueUnrecognizedKeys, schema: z.ZodType): TidemarkError {
  const [name = ''] = keys;
  const field = [...path, name.slice(0, 80)].join('.');
  if (path.length > 0) return wrong('bad-body', `there is no field ${JSON.stringify(field)}`, field);
  const known = 'shape' in schema ? Object.keys(schema.shape as object) : [];
  return wrong('bad-body', unknownName('field', name, known), field);
}

function readJson(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw wrong('not-utf-8', 'the body is not UTF-8');
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    throw wrong('not-json', 'the body is not JSON');
  }
}

function wrong(code: string, message: string, field = 'body'): TidemarkError {
  return new TidemarkError('invalid', message, { code, field });
}
