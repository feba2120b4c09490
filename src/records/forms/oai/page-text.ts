import { isUtf8 } from 'node:buffer';
import { sizeOf, wholeCharacters } from '../../../lib/bytes/utf8.ts';

/** Bytes that are searched for an invalid one together. */
const PIECE = 1_024;
/** Invalid bytes that are kept; others are reported as the control character that is in their place. */
const MOST_INVALID = 1_000;

/**
 * Decodes a page as it arrives, and counts its bytes. A byte that is not UTF-8 becomes U+0000, which XML does not have:
 * so it is a fault of the place where it is, and no other byte moves.
 */
export class PageText {
  /** What has arrived, but for what was dropped. */
  text = '';
  /** Number of bytes before the text. */
  #bytes = 0;
  #rest: Buffer = Buffer.alloc(0);
  /** Number of bytes that were decoded. */
  #decoded = 0;
  #invalid = new Map<number, number>();

  push(chunk: Uint8Array): void {
    const bytes = this.#rest.length === 0 ? Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length) : undefined;
    const all = bytes ?? Buffer.concat([this.#rest, chunk]);
    const whole = wholeCharacters(all);
    this.#rest = all.subarray(whole);
    this.#decode(all.subarray(0, whole));
  }

  /** Takes what is left of the last character. */
  end(): void {
    this.#decode(this.#rest);
    this.#rest = Buffer.alloc(0);
  }

  /** Removes the first characters. */
  drop(characters: number): void {
    this.#bytes = this.byteAt(characters);
    this.text = this.text.slice(characters);
    for (const offset of this.#invalid.keys()) if (offset < this.#bytes) this.#invalid.delete(offset);
  }

  /** Number of bytes of the page before a character of the text. */
  byteAt(position: number): number {
    return this.#bytes + Buffer.byteLength(this.text.slice(0, position));
  }

  /** The byte at an offset of the page, if it is not UTF-8. */
  invalidAt(offset: number): number | undefined {
    return this.#invalid.get(offset);
  }

  /** What is wrong with the first byte behind an offset that is not UTF-8; undefined when there is none. */
  invalidFrom(offset: number): string | undefined {
    const first = this.#invalid.entries().find(([at]) => at >= offset);
    return first && `${notUtf8(first[1])}, at byte ${first[0]}`;
  }

  #decode(bytes: Buffer): void {
    this.text += (isUtf8(bytes) ? bytes : this.#withoutInvalid(bytes)).toString();
    this.#decoded += bytes.length;
  }

  #withoutInvalid(bytes: Buffer): Buffer {
    const copy = Buffer.from(bytes);
    for (let at = 0; at < copy.length; ) {
      const next = copy.subarray(at, at + PIECE);
      const piece = at + PIECE < copy.length ? next.subarray(0, wholeCharacters(next)) : next;
      if (!isUtf8(piece)) this.#replaceInvalid(piece, this.#decoded + at);
      at += piece.length;
    }
    return copy;
  }

  #replaceInvalid(piece: Buffer, offset: number): void {
    for (let at = 0, size = 0; at < piece.length; at += size) {
      size = sizeOf(piece[at]!);
      if (isUtf8(piece.subarray(at, at + size))) continue;
      if (this.#invalid.size < MOST_INVALID) this.#invalid.set(offset + at, piece[at]!);
      piece[at] = 0;
      size = 1;
    }
  }
}

export const notUtf8 = (byte: number): string => `the byte ${hex(byte, 2)} is not UTF-8`;

export const hex = (value: number, digits: number): string => value.toString(16).toUpperCase().padStart(digits, '0');
