/**
 * Avro's long: zig-zag, seven bits a byte, least significant first. Used here only for counts and lengths, which are
 * safe integers. Avro 1.12, "Primitive Types"
 */

/** Most bytes of a long. */
export const LONGEST_LONG = 10;

/** Encodes a non-negative number. */
export function encodeLong(number: number): Uint8Array {
  const bytes: number[] = [];
  let rest = number * 2;
  while (rest > 127) {
    bytes.push((rest % 128) | 128);
    rest = Math.floor(rest / 128);
  }
  bytes.push(rest);
  return Uint8Array.from(bytes);
}

/**
 * Decodes the number at a position, and returns its end. Undefined when the bytes end before. A number above the safe
 * integers becomes Infinity: it exceeds every limit.
 */
export function decodeLong(bytes: Uint8Array, position: number): { value: number; end: number } | undefined {
  let sum = 0;
  let unit = 1;
  for (let end = position; end < bytes.length; end++) {
    const byte = bytes[end]!;
    sum += (byte & 127) * unit;
    if (byte < 128) return { value: fromZigZag(sum), end: end + 1 };
    unit *= 128;
  }
  return undefined;
}

function fromZigZag(sum: number): number {
  if (sum > Number.MAX_SAFE_INTEGER) return Number.POSITIVE_INFINITY;
  return sum % 2 === 0 ? sum / 2 : -(sum + 1) / 2;
}
