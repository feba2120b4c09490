import type { MarcField } from '../../src/records/forms/marc/marc-record.ts';
import type { GoodRecord, ReadMarc, ReadRecord } from '../../src/records/forms/marc/read-record.ts';

/** Everything that a reader returns of a file, which arrives in chunks of a size. */
export async function readAll(read: ReadMarc, file: Uint8Array, chunkSize = 65_536): Promise<readonly ReadRecord[]> {
  const all: ReadRecord[] = [];
  for await (const batch of read(chunksOf(file, chunkSize))) all.push(...batch);
  return all;
}

async function* chunksOf(file: Uint8Array, size: number): AsyncGenerator<Uint8Array, void, undefined> {
  for (let at = 0; at < file.length; at += size) yield file.subarray(at, at + size);
}

export function isRecord(read: ReadRecord): read is GoodRecord {
  return read.kind === 'record';
}

/** Leader and fields, without the lengths that a format needs. */
export function contentOf({ record }: GoodRecord): { readonly leader: string; readonly fields: readonly MarcField[] } {
  return { leader: withoutLengths(record.leader), fields: [...record.fields()] };
}

export const withoutLengths = (leader: string): string => `00000${leader.slice(5, 12)}00000${leader.slice(17)}`;
