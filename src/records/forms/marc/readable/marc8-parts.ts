import type { TextPart } from '../../../readable/readable-record.ts';
import { PartsWriter } from '../../../readable/text-parts.ts';
import { UnusableRecord } from '../faults/unusable-record.ts';
import { decodeMarc8 } from '../marc8/marc8.ts';

/** Bytes of the longest character or escape sequence: a beginning that ends within one cannot be decoded. */
const LONGEST_CODE = 4;
/** Faults that are searched for; behind them, each byte that is not ASCII is shown as a number. */
const MOST_FAULTS = 20;

/** Bytes as text in MARC-8. Codes that its character sets do not have are marked, as `\xB9`. */
export function partsOfMarc8(bytes: Buffer): readonly TextPart[] {
  const parts = new PartsWriter();
  let rest = bytes;
  for (let faults = 0; rest.length > 0; faults++) {
    const length = faults < MOST_FAULTS ? decodableLength(rest) : 0;
    const text = decoded(rest.subarray(0, length));
    if (text !== undefined && text !== '') parts.text(text);
    if (length === rest.length) break;
    const byte = rest[length]!;
    if (faults >= MOST_FAULTS && byte >= 0x20 && byte < 0x7f) parts.text(String.fromCharCode(byte));
    else parts.fault(rest.subarray(length, length + 1));
    rest = rest.subarray(length + 1);
  }
  return parts.end();
}

/** Number of bytes before the first code that no character set has. */
function decodableLength(bytes: Buffer): number {
  if (decoded(bytes) !== undefined) return bytes.length;
  let [good, bad] = [0, bytes.length];
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    const length = lengthsFrom(middle, bad).find((one) => decoded(bytes.subarray(0, one)) !== undefined);
    if (length === undefined) bad = middle;
    else good = length;
  }
  return good;
}

function lengthsFrom(first: number, below: number): readonly number[] {
  return Array.from({ length: Math.min(LONGEST_CODE, below - first) }, (_, more) => first + more);
}

function decoded(bytes: Buffer): string | undefined {
  try {
    return decodeMarc8(bytes);
  } catch (error) {
    if (error instanceof UnusableRecord) return undefined;
    throw error;
  }
}
