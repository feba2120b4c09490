import { readFileSync } from 'node:fs';
import type { CharacterSet } from './marc8-sets.ts';

/** `characters/` is beside `src/` and, in the package, beside `dist/`. */
const ROWS = new URL('../../../../../characters/eacc.txt', import.meta.url);
/** The third byte of the first code of a row. */
const FIRST = 0x20;

let eacc: CharacterSet | undefined;

/** The East Asian set. It is read when a record needs it. */
export function eastAsian(): CharacterSet {
  eacc ??= {
    name: 'East Asian characters (EACC)',
    letters: readRows(readFileSync(ROWS, 'utf8')),
    marks: new Map(),
    isWide: true,
  };
  return eacc;
}

function readRows(rows: string): ReadonlyMap<number, string> {
  const letters = new Map<number, string>();
  for (const row of rows.trim().split('\n')) {
    if (row.startsWith('#')) continue;
    let code = Number.parseInt(row.slice(0, 4), 16) * 0x100 + FIRST;
    for (const [part] of row.slice(5).matchAll(/\d+|./gu)) {
      const skipped = Number.parseInt(part, 10);
      if (Number.isNaN(skipped)) letters.set(code, part);
      code += Number.isNaN(skipped) ? 1 : skipped;
    }
  }
  return letters;
}
