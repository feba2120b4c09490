const LENGTH = 80;

/**
 * A JSON value for a message. Objects and arrays are not shown: JSON is parsed at any depth, but can be written only a
 * few thousand levels deep.
 */
export function excerpt(value: unknown): string {
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object' && value !== null) return 'an object';
  const text = JSON.stringify(value) ?? String(value);
  return text.length > LENGTH ? `${text.slice(0, LENGTH).toWellFormed()}…` : text;
}
