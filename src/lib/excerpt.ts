const LENGTH = 80;

/**
 * A JSON value for a message. Objects and arrays are not shown: JSON is parsed at any depth, but can be written only a
 * few thousand levels deep.
 */
export function excerpt(value: unknown): string {
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object' && value !== null) return 'an object';
  return shortened(JSON.stringify(value) ?? String(value), LENGTH);
}

/** A text of at most so many UTF-16 units; of a longer one the beginning and an ellipsis, without a half character. */
export function shortened(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most).toWellFormed()}…` : text;
}
