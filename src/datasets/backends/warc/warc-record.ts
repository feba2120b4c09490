import { hash } from 'node:crypto';
import { base32Of } from '../base32.ts';

// WARC 1.1 (ISO 28500:2017, as of https://iipc.github.io/warc-specifications/).

const CRLF = '\r\n';
const END = Buffer.from('\r\n\r\n');

/** The block of a record: bytes in memory, or a stream of which length and digest are known. */
export type WarcBlock =
  | { readonly bytes: Uint8Array }
  | {
      /** Before the payload, such as the head of a response. */
      readonly head: Uint8Array;
      /** Bytes. */
      readonly length: number;
      /** SHA-1 of all of the block: hexadecimal digits. */
      readonly sha1: string;
      read(): AsyncIterable<Uint8Array>;
    };

export interface WarcRecord {
  readonly type: 'warcinfo' | 'response' | 'request' | 'metadata';
  /** As `newRecordId` makes it. */
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly contentType: string;
  /** Other fields, by their names; undefined ones are left out. */
  readonly fields: Readonly<Record<string, string | undefined>>;
  readonly block: WarcBlock;
}

export const newRecordId = (): string => `<urn:uuid:${crypto.randomUUID()}>`;

/** The header of a record, with the empty line after it. */
export function headerOf({ type, id, time, contentType, fields, block }: WarcRecord): Buffer {
  const { length, sha1 } = 'bytes' in block ? { length: block.bytes.length, sha1: hash('sha1', block.bytes) } : block;
  const all = {
    'WARC-Type': type,
    'WARC-Record-ID': id,
    // Whole seconds: many readers know no fractions, which WARC 1.1 permits.
    'WARC-Date': `${new Date(time).toISOString().slice(0, 19)}Z`,
    ...fields,
    'WARC-Block-Digest': digestField(sha1),
    'Content-Type': contentType,
    'Content-Length': String(length),
  };
  const lines = Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${value}`]));
  return Buffer.from(['WARC/1.1', ...lines, '', ''].join(CRLF));
}

/** All bytes of a record. */
export async function* bytesOf(record: WarcRecord): AsyncGenerator<Uint8Array, void, undefined> {
  const { block } = record;
  const start = headerOf(record);
  if ('bytes' in block) {
    yield Buffer.concat([start, block.bytes, END]);
    return;
  }
  yield Buffer.concat([start, block.head]);
  yield* block.read();
  yield END;
}

/** Bytes of a record, as `bytesOf` yields them. */
export function lengthOf(record: WarcRecord): number {
  const { block } = record;
  return headerOf(record).length + ('bytes' in block ? block.bytes.length : block.length) + END.length;
}

/** A digest as web archives write it. @param sha1 hexadecimal digits */
export const digestField = (sha1: string): string => `sha1:${base32Of(sha1)}`;
