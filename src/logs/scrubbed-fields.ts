import { scrubbed } from './scrubbed.ts';

const DEEPEST = 4;

/** The fields of a line with their texts scrubbed, also those of plain objects and lists within. */
export function scrubbedFields(fields: Record<string, unknown>): Record<string, unknown> {
  return scrubbedValue(fields, DEEPEST) as Record<string, unknown>;
}

function scrubbedValue(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return scrubbed(value);
  if (depth === 0 || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => scrubbedValue(item, depth - 1));
  if (Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, scrubbedValue(item, depth - 1)]));
}
