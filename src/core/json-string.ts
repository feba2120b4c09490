// Printable ASCII without quotation mark and backslash.
const PLAIN = /^[ !#-[\]-~]*$/;

/**
 * A text as JSON. Nearly every text is plain, and finding that out costs half of what a search for characters to escape
 * does.
 */
export function jsonString(text: string): string {
  return PLAIN.test(text) ? `"${text}"` : JSON.stringify(text);
}
