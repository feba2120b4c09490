/** The characters with which a formula begins in a spreadsheet. */
const FORMULA = /^[=+\-@\t\r]/;

/** What a file of CSV begins with, so that Excel reads it as UTF-8: it takes others for the encoding of its country. */
export const BYTE_ORDER_MARK = '\uFEFF';

/**
 * A row of CSV (RFC 4180). A text that a spreadsheet would run as a formula gets an apostrophe before it, which
 * spreadsheets show as text.
 */
export function csvRow(cells: readonly (string | number | undefined)[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

function csvCell(cell: string | number | undefined): string {
  if (cell === undefined) return '';
  if (typeof cell === 'number') return String(cell);
  const text = FORMULA.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
