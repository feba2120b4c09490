import { isUtf8 } from 'node:buffer';
import { sizeOf } from '../../lib/bytes/utf8.ts';
import type { TextPart } from './readable-record.ts';

/** Control characters but for tabs and line breaks, and what XML does not have. */
const CONTROL = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufffe\uffff]/;

/** Bytes as text in UTF-8. Those that are no text are marked, as `\xB9`. */
export function partsOfUtf8(bytes: Buffer): readonly TextPart[] {
  const text = bytes.toString('utf8');
  if (isUtf8(bytes) && !CONTROL.test(text)) return [{ text }];
  const parts = new PartsWriter();
  for (let at = 0; at < bytes.length; ) {
    const size = sizeOf(bytes[at]!);
    const character = bytes.subarray(at, at + size);
    const isText = character.length === size && isUtf8(character) && !CONTROL.test(character.toString('utf8'));
    if (isText) parts.text(character.toString('utf8'));
    else parts.fault(bytes.subarray(at, at + 1));
    at += isText ? size : 1;
  }
  return parts.end();
}

/** Joins characters and bytes to few parts. */
export class PartsWriter {
  readonly #parts: { text: string; readonly mark?: 'fault' }[] = [];

  text(text: string): void {
    const last = this.#parts.at(-1);
    if (last !== undefined && last.mark === undefined) last.text += text;
    else this.#parts.push({ text });
  }

  fault(bytes: Uint8Array): void {
    const text = [...bytes].map((byte) => `\\x${byte.toString(16).toUpperCase().padStart(2, '0')}`).join('');
    const last = this.#parts.at(-1);
    if (last?.mark === 'fault') last.text += text;
    else this.#parts.push({ text, mark: 'fault' });
  }

  end(): readonly TextPart[] {
    return this.#parts;
  }
}
