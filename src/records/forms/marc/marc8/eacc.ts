import { EACC_ROWS } from './eacc-rows.ts';
import type { CharacterSet } from './marc8-sets.ts';

/** The third byte of the first code of a row in eacc-rows.ts. */
const FIRST = 0x20;

let eacc: CharacterSet | undefined;

/** The East Asian set. It is made when a record needs it. */
export function eastAsian(): CharacterSet {
  eacc ??= { name: 'East Asian characters (EACC)', letters: readRows(EACC_ROWS), marks: new Map(), isWide: true };
  return eacc;
}

function readRows(rows: string): ReadonlyMap<number, string> {
  const letters = new Map<number, string>();
  for (const row of rows.trim().split('\n')) {
    let code = Number.parseInt(row.slice(0, 4), 16) * 0x100 + FIRST;
    for (const [part] of row.slice(5).matchAll(/\d+|./gu)) {
      const skipped = Number.parseInt(part, 10);
      if (Number.isNaN(skipped)) letters.set(code, part);
      code += Number.isNaN(skipped) ? 1 : skipped;
    }
  }
  return letters;
}
