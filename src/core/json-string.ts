// Printable ASCII without quotation mark and backslash.
const PLAIN = /^[ !#-[\]-~]*$/;

/**
 * A text as JSON. Nearly every text is plain, and checking for that takes half of the time of a search for characters
 * to escape.
 */
export function jsonString(text: string): string {
  return PLAIN.test(text) ? `"${text}"` : JSON.stringify(text);
}
