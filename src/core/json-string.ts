// Printable ASCII without quotation mark and backslash.
const PLAIN = /^[ !#-[\]-~]*$/;

/**
 * A text as JSON. Nearly every text is plain, and seeing that costs half of what looking for something to escape does.
 */
export function jsonString(text: string): string {
  return PLAIN.test(text) ? `"${text}"` : JSON.stringify(text);
}
