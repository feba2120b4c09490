import { endianness } from 'node:os';

/** Rows that can be sorted at once: their numbers have 16 bits. */
export const ROWS_AT_ONCE = 65_536;

/** Bytes of a row that are compared at a time: with the number of the row, they fill 64 bits. */
const DIGIT = 6;
// The halves of 64 bits.
const HIGH = endianness() === 'LE' ? 1 : 0;
const LOW = 1 - HIGH;

/**
 * The numbers of rows in the order of their bytes; none may be the beginning of another. Numbers are sorted in place of texts: what rows begin with in common is passed
 * over, the next six bytes of each make a number, and those that have the same are sorted by what follows. This takes a fifth of the time that sorting
 * strings does, for V8 sorts 64-bit numbers without calling anybody.
 * @param starts where each row begins
 */
export function sortRows(bytes: Uint8Array, starts: Uint32Array): Uint16Array {
  const order = Uint16Array.from(starts, (_, row) => row);
  sortFrom(0, order, { bytes, starts });
  return order;
}

interface Rows {
  readonly bytes: Uint8Array;
  readonly starts: Uint32Array;
}

/** Sorts rows, given by their numbers, whose bytes before `at` are the same. */
function sortFrom(at: number, order: Uint16Array, rows: Rows): void {
  const begin = at + commonLength(at, order, rows);
  const { bytes, starts } = rows;
  const digits = new BigUint64Array(order.length);
  const halves = new Uint32Array(digits.buffer);
  for (let n = 0; n < order.length; n++) {
    const row = order[n]!;
    const from = starts[row]! + begin;
    halves[2 * n + HIGH] = (bytes[from]! << 24) | (bytes[from + 1]! << 16) | (bytes[from + 2]! << 8) | bytes[from + 3]!;
    halves[2 * n + LOW] = (bytes[from + 4]! << 24) | (bytes[from + 5]! << 16) | row;
  }
  digits.sort();
  let first = 0;
  for (let n = 0; n < order.length; n++) {
    order[n] = halves[2 * n + LOW]! & 0xffff;
    if (n + 1 < order.length && isSame(halves, n, n + 1)) continue;
    if (n > first) sortFrom(begin + DIGIT, order.subarray(first, n + 1), rows);
    first = n + 1;
  }
}

function isSame(halves: Uint32Array, a: number, b: number): boolean {
  return halves[2 * a + HIGH] === halves[2 * b + HIGH] && halves[2 * a + LOW]! >>> 16 === halves[2 * b + LOW]! >>> 16;
}

/** How many bytes from `at` on all rows have in common. */
function commonLength(at: number, order: Uint16Array, { bytes, starts }: Rows): number {
  const first = starts[order[0]!]! + at;
  let common = bytes.length;
  for (const row of order.subarray(1)) {
    const from = starts[row]! + at;
    let length = 0;
    while (length < common && bytes[first + length] === bytes[from + length]) length += 1;
    common = length;
  }
  return common;
}
