const LENGTH = 80;

/**
 * A JSON value as a message repeats it. Objects and arrays are only named: JSON is parsed to any depth, but written to
 * a few thousand levels only.
 */
export function excerpt(value: unknown): string {
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object' && value !== null) return 'an object';
  const text = JSON.stringify(value) ?? String(value);
  return text.length > LENGTH ? `${text.slice(0, LENGTH).toWellFormed()}…` : text;
}
