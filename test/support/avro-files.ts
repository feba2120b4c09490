import type { OriginalRecord, RecordOf, SchemaId } from '../../src/artifacts/avro/avro-schemas.ts';
import { readContainer } from '../../src/artifacts/avro/container-reader.ts';
import { type EncodeOptions, encodeContainer } from '../../src/artifacts/avro/container-writer.ts';
import { encodeLong } from '../../src/artifacts/avro/long.ts';

export const SYNC = Buffer.from('sixteen bytes ..');

type EncodeRest<Id extends SchemaId> = Omit<EncodeOptions<Id>, 'schema' | 'records'>;

/** A whole file, as our writer makes it. */
export async function encodeFile<Id extends SchemaId>(
  schema: Id,
  records: readonly RecordOf[Id][],
  rest: EncodeRest<Id> = {},
): Promise<Buffer> {
  return Buffer.concat(await all(encodeContainer({ schema, records: batches(records), ...rest })));
}

/** All records of a file, which comes in chunks of some bytes. */
export async function decodeFile<Id extends SchemaId>(
  schema: Id,
  bytes: Uint8Array,
  chunk = 65_536,
): Promise<readonly RecordOf[Id][]> {
  const blocks = await all(readContainer(chunks(bytes, chunk), { schema, name: 'records.avro' }));
  return blocks.flatMap(({ records }) => records);
}

export async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const found: Item[] = [];
  for await (const item of items) found.push(item);
  return found;
}

/** Some records at a time, and now and then none. */
export async function* batches<Item>(items: readonly Item[]): AsyncGenerator<readonly Item[]> {
  for (let start = 0, size = 0; start < items.length; start += size, size = (size * 3 + 1) % 200) {
    yield items.slice(start, start + size);
  }
}

export async function* chunks(bytes: Uint8Array, length = 65_536): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += length) yield bytes.subarray(start, start + length);
}

/** A file as others may write it: any header, and blocks of any bytes. */
export function rawFile(metadata: Readonly<Record<string, string>>, ...blocks: readonly Uint8Array[]): Buffer {
  const pairs = Object.entries(metadata).flatMap(([key, value]) => [text(key), text(value)]);
  const count = pairs.length / 2;
  const map = count === 0 ? [] : [encodeLong(count), ...pairs];
  return Buffer.concat([Buffer.from('Obj\u0001'), ...map, encodeLong(0), SYNC, ...blocks]);
}

export function rawBlock(records: number, data: Uint8Array, sync: Uint8Array = SYNC): Buffer {
  return Buffer.concat([encodeLong(records), encodeLong(data.length), data, sync]);
}

/** A text as Avro writes it. */
export function text(value: string | Uint8Array): Buffer {
  const bytes = Buffer.from(value as string);
  return Buffer.concat([encodeLong(bytes.length), bytes]);
}

/** Documents of many lengths, of one, two, three and four bytes a letter. */
export function originalRecords(count: number): readonly OriginalRecord[] {
  return Array.from({ length: count }, (_, number) => ({
    id: `oai:example.org:${number}`,
    provider: 'cdl',
    document: `<record n="${number}">\r\n\t<title>Zürich \u{1f5fa} — ${'ž'.repeat(number % 97)}</title>\u0000\ufeff</record>`,
    mimetype: (['application/xml', 'application/json', 'text/turtle'] as const)[number % 3]!,
  }));
}
