import { isUtf8 } from 'node:buffer';

/** The position of the first character that is not UTF-8. */
export function firstInvalid(bytes: Buffer): number {
  let [valid, invalid] = [0, bytes.length];
  // The valid part may end within a character, so each prefix is tested with the rest of its last character.
  while (invalid - valid > 1) {
    const middle = (valid + invalid) >> 1;
    if (isUtf8(bytes.subarray(0, endOfCharacter(bytes, middle)))) valid = middle;
    else invalid = middle;
  }
  // Of the characters behind that, the first ones may be valid: a continuation byte can follow them that is none's.
  let at = valid === 0 ? 0 : endOfCharacter(bytes, valid);
  for (let size = sizeOf(bytes[at]!); at < bytes.length && isUtf8(bytes.subarray(at, at + size)); ) {
    at += size;
    size = sizeOf(bytes[at]!);
  }
  return at;
}

/** Bytes of a character that begins with a byte. */
export const sizeOf = (byte: number): number => (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1);

/** The end of the character at a position: continuation bytes belong to the byte before them. */
function endOfCharacter(bytes: Buffer, from: number): number {
  let at = from;
  while (at < bytes.length && at < from + 3 && (bytes[at]! & 0xc0) === 0x80) at++;
  return at;
}

/** How many of these bytes are whole characters: the other bytes of the last one may not have arrived yet. */
export function wholeCharacters(bytes: Buffer): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back]!;
    if ((byte & 0xc0) === 0x80) continue;
    return sizeOf(byte) > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}
