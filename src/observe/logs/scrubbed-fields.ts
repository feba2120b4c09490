import { HIDDEN, SECRET_NAMES, scrubbed } from './scrubbed.ts';

const DEEPEST = 5;

/**
 * The fields of a line without credentials, found by the name of a field or in a text, also within plain objects and
 * lists.
 */
export function scrubbedFields(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return scrubbedObject(fields, DEEPEST);
}

function scrubbedObject(fields: object, depth: number): Record<string, unknown> {
  const scrub = ([name, value]: [string, unknown]) =>
    [name, SECRET_NAMES.has(name.toLowerCase()) ? HIDDEN : scrubbedValue(value, depth - 1)] as const;
  return Object.fromEntries(Object.entries(fields).map(scrub));
}

function scrubbedValue(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return scrubbed(value);
  if (typeof value !== 'object' || value === null) return value;
  // Deeper values are hidden completely: they may contain a secret.
  if (depth === 0) return HIDDEN;
  if (Array.isArray(value)) return value.map((item) => scrubbedValue(item, depth - 1));
  return Object.getPrototypeOf(value) === Object.prototype ? scrubbedObject(value, depth) : value;
}
