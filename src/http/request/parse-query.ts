import type { ParsedUrlQuery } from 'node:querystring';
import type * as z from 'zod';
import { TidemarkError } from '../../core/errors.ts';
import { unknownName } from './unknown-name.ts';

/**
 * Parses the parameters of a query with their schema.
 * @throws TidemarkError `invalid` for a parameter that is wrong, missing, given several times, or (strict schemas)
 *   unknown
 */
export function parseQuery<Query extends z.ZodObject>(schema: Query, query: ParsedUrlQuery): z.output<Query> {
  const names = Object.keys(schema.shape);
  const repeated = names.find((name) => Array.isArray(query[name]));
  if (repeated !== undefined) throw wrong(repeated, `${repeated} is given several times`);
  const parsed = schema.safeParse(query, { error: usualProblem });
  if (parsed.success) return parsed.data;
  throw problemOf(parsed.error.issues[0]!, names);
}

/** The words for a value whose schema has none of its own. */
function usualProblem(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.input === undefined) return 'is missing';
  return issue.code === 'invalid_value' ? `is one of ${issue.values.join(', ')}` : undefined;
}

function problemOf(issue: z.core.$ZodIssue, names: readonly string[]): TidemarkError {
  if (issue.code === 'unrecognized_keys') {
    const [unknown = ''] = issue.keys;
    return wrong(unknown, unknownName('parameter', unknown, names));
  }
  const name = String(issue.path[0]);
  const code = issue.code === 'custom' ? issue.params?.code : undefined;
  return wrong(name, `${name} ${issue.message}`, code);
}

function wrong(field: string, message: string, code = 'bad-query'): TidemarkError {
  return new TidemarkError('invalid', message, { code, field });
}
