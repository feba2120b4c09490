import { isUtf8 } from 'node:buffer';
import { sizeOf } from '../../../../lib/bytes/utf8.ts';
import { SUBFIELD_DELIMITER } from '../iso2709.ts';

const FIRST_PRINTABLE = 0x20;
const DELETE = 0x7f;
const INVISIBLE = /[\u0000-\u001f\u007f-\u009f\ufffe\uffff]/g;

/** A text for people: what is not UTF-8, and control characters, as `\xB9`; before the code of a subfield, ` $`. */
export function readableText(bytes: Buffer): string {
  let text = '';
  for (let at = 0; at < bytes.length; ) {
    const byte = bytes[at]!;
    const character = bytes.subarray(at, at + sizeOf(byte));
    if (byte === SUBFIELD_DELIMITER) text += text === '' ? '$' : ' $';
    else if (byte < FIRST_PRINTABLE || byte === DELETE || !isUtf8(character)) {
      text += hexText(byte);
      at += 1;
      continue;
    } else text += visible(character.toString('utf8'));
    at += byte === SUBFIELD_DELIMITER ? 1 : character.length;
    // Of `$a`, the code is separated from its text.
    if (byte === SUBFIELD_DELIMITER && at < bytes.length && bytes[at]! > FIRST_PRINTABLE && bytes[at]! < DELETE) {
      text += `${String.fromCharCode(bytes[at++]!)} `;
    }
  }
  return text;
}

/** A text for people, with control characters as `\x89`, and what is no character as `U+FFFE`. */
export const visible = (text: string): string =>
  text.replace(INVISIBLE, (character) => {
    const point = character.charCodeAt(0);
    return point > 0xff ? `U+${point.toString(16).toUpperCase()}` : hexText(point);
  });

const hexText = (byte: number): string => `\\x${hexOf(byte)}`;

export const hexOf = (byte: number): string => byte.toString(16).toUpperCase().padStart(2, '0');
