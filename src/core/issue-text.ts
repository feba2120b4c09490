import type * as z from 'zod';

const MISSING = 'is missing';
const TYPES: Readonly<Record<string, string>> = {
  string: 'use a text',
  number: 'use a number',
  int: 'use a whole number',
  boolean: 'use true or false',
  array: 'use an array',
  object: 'use an object',
  record: 'use an object',
};
const UNITS: Readonly<Record<string, readonly [one: string, many: string]>> = {
  string: ['character', 'characters'],
  array: ['entry', 'entries'],
};

/** Describes the fault of a value when its schema has no message. Undefined means that of the library. */
export function issueText(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.input === undefined) return MISSING;
  switch (issue.code) {
    case 'invalid_type':
      return TYPES[issue.expected];
    case 'invalid_value':
      return `use ${issue.values.length === 1 ? '' : 'one of '}${issue.values.join(', ')}`;
    case 'too_small':
      return `at least ${amount(issue.minimum, issue.origin)}`;
    case 'too_big':
      return `at most ${amount(issue.maximum, issue.origin)}`;
    default:
      return undefined;
  }
}

function amount(limit: number | bigint, origin: string): string {
  const unit = UNITS[origin]?.[Number(limit) === 1 ? 0 : 1];
  return unit === undefined ? String(limit) : `${limit} ${unit}`;
}

/** A sentence about a field, made from the text of `issueText` or its schema. */
export function fieldProblem(field: string, text: string): string {
  return text === MISSING ? `${field} ${MISSING}` : `${field} is wrong: ${text}`;
}
