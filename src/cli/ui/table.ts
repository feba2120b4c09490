import { formatCount } from '../../lib/format-count.ts';
import { printableLine } from './printable.ts';

/** Rows as aligned columns, for users. Numbers are aligned to the right. */
export function formatTable(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const texts = rows.map((row) =>
    row.map((cell) => (typeof cell === 'number' ? formatCount(cell) : printableLine(cell))),
  );
  const widths = head.map((title, column) => Math.max(title.length, ...texts.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[], isHead: boolean): string =>
    cells
      .map((cell, column) =>
        typeof rows[0]?.[column] === 'number' && !(isHead && column === 0)
          ? cell.padStart(widths[column]!)
          : cell.padEnd(widths[column]!),
      )
      .join('  ')
      .trimEnd();
  return [line(head, true), ...texts.map((row) => line(row, false))].join('\n');
}

/** A count and its word: `1 file`, `2,000 files`. */
export function plural(count: number, word: string, words = `${word}s`): string {
  return `${formatCount(count)} ${count === 1 ? word : words}`;
}
