import { isUtf8 } from 'node:buffer';

/** Where the first character begins that is not UTF-8. */
export function firstInvalid(bytes: Buffer): number {
  let [valid, invalid] = [0, bytes.length];
  // The end of what is valid may be within a character, so a prefix is tried with what ends it.
  while (invalid - valid > 1) {
    const middle = (valid + invalid) >> 1;
    if (isUtf8(bytes.subarray(0, endOfCharacter(bytes, middle)))) valid = middle;
    else invalid = middle;
  }
  return valid;
}

/** The end of the character that a place is in: continuation bytes belong to what is before them. */
function endOfCharacter(bytes: Buffer, from: number): number {
  let at = from;
  while (at < bytes.length && at < from + 3 && (bytes[at]! & 0xc0) === 0x80) at++;
  return at;
}

/** How many of these bytes are whole characters: the last may be one whose other bytes have not arrived yet. */
export function wholeCharacters(bytes: Buffer): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back]!;
    if ((byte & 0xc0) === 0x80) continue;
    const needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return needed > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}
