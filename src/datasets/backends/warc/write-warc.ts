import { softwareVersion } from '../../../config/version.ts';
import type { CapturedFile } from './captured-file.ts';
import { recordsOf } from './captured-file.ts';
import { bytesOf, headerOf, lengthOf, newRecordId, type WarcRecord } from './warc-record.ts';

interface WarcInfo {
  /** The name of the file. */
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly time: number;
  /** What it has: a line. */
  readonly description: string;
}

/** A WARC that is about to be written. */
interface Warc {
  /** Where the payload of each file begins: bytes, by the number of the file. */
  readonly offsets: ReadonlyMap<number, number>;
  /** All bytes. Reads the bodies. */
  read(): AsyncIterable<Uint8Array>;
}

/** Puts files into a WARC without compression, so that each file is a range of its bytes (d14). */
export function warcOf(files: readonly CapturedFile[], info: WarcInfo): Warc {
  const first = warcinfoOf(info);
  const records: WarcRecord[] = [first];
  const offsets = new Map<number, number>();
  let position = lengthOf(first);
  for (const file of files) {
    for (const record of recordsOf(file)) {
      if ('head' in record.block) offsets.set(file.number, position + headerOf(record).length + file.head.length);
      records.push(record);
      position += lengthOf(record);
    }
  }
  return {
    offsets,
    async *read() {
      for (const record of records) yield* bytesOf(record);
    },
  };
}

function warcinfoOf({ name, time, description }: WarcInfo): WarcRecord {
  const lines = {
    software: `Tidemark/${softwareVersion()}`,
    format: 'WARC File Format 1.1',
    conformsTo: 'https://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/',
    description,
  };
  const text = Object.entries(lines).map(([field, value]) => `${field}: ${value}\r\n`);
  return {
    type: 'warcinfo',
    id: newRecordId(),
    time,
    contentType: 'application/warc-fields',
    fields: { 'WARC-Filename': name },
    block: { bytes: Buffer.from(text.join('')) },
  };
}
