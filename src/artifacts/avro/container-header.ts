import { TidemarkError } from '../../core/errors.ts';
import { NAME_PREFIX, type SchemaId, schemaText } from './avro-schemas.ts';
import type { Codec } from './codecs.ts';
import { decodeLong, encodeLong } from './long.ts';

/** `Obj` and the version of the format, 1. */
const MAGIC = Buffer.from('Obj\u0001');

export const SYNC_LENGTH = 16;

/**
 * Most bytes of a header. A longer one is rejected: no schema of this program, including its `doc`, is nearly as
 * long.
 */
export const LONGEST_HEADER = 1_048_576;

/** The metadata key of the full name of the schema, which Avro parsers lose. */
export const SCHEMA_NAME = 'schema.name';

/** The header of a file, as stored. */
export interface RawHeader {
  readonly metadata: ReadonlyMap<string, string>;
  readonly sync: Buffer;
  /** Bytes; the first block follows. */
  readonly length: number;
}

interface NewHeader {
  readonly schema: SchemaId;
  readonly codec: Codec;
  readonly doc?: string | undefined;
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  readonly sync: Uint8Array;
}

export function encodeHeader({ schema, codec, doc, metadata, sync }: NewHeader): Uint8Array {
  const entries = Object.entries({
    ...metadata,
    'avro.schema': schemaText(schema, doc),
    'avro.codec': codec,
    [SCHEMA_NAME]: NAME_PREFIX + schema,
  });
  const pairs = entries.flatMap(([key, value]) => [...encodeText(key), ...encodeText(value)]);
  const bytes = Buffer.concat([MAGIC, encodeLong(entries.length), ...pairs, encodeLong(0), sync]);
  if (bytes.length <= LONGEST_HEADER) return bytes;
  throw new TidemarkError('invalid', `the header of the file would have more than ${LONGEST_HEADER} bytes`);
}

function encodeText(text: string): readonly Uint8Array[] {
  const bytes = Buffer.from(text);
  return [encodeLong(bytes.length), bytes];
}

/**
 * Decodes the header at the beginning of a file. Returns undefined when the bytes end before the header does.
 * @throws TidemarkError `invalid` when the bytes are not a header
 */
export function decodeHeader(bytes: Uint8Array): RawHeader | undefined {
  const magic = bytes.subarray(0, MAGIC.length);
  if (!MAGIC.subarray(0, magic.length).equals(magic)) {
    throw new TidemarkError('invalid', 'it does not begin as an Avro file does');
  }
  const map = decodeMetadata(bytes);
  const length = (map?.end ?? 0) + SYNC_LENGTH;
  if (map === undefined || length > bytes.length) return undefined;
  return { metadata: map.metadata, sync: Buffer.from(bytes.subarray(map.end, length)), length };
}

/** A map is a sequence of blocks of pairs, ended by an empty block. Avro 1.12, "Complex Types" */
function decodeMetadata(bytes: Uint8Array): { metadata: Map<string, string>; end: number } | undefined {
  const metadata = new Map<string, string>();
  let position: number | undefined = MAGIC.length;
  while (position !== undefined) {
    const count = decodeLong(bytes, position);
    if (count?.value === 0) return { metadata, end: count.end };
    // A negative count is followed by the length of its pairs in bytes.
    const start: number | undefined = count && count.value < 0 ? decodeLong(bytes, count.end)?.end : count?.end;
    position = start && decodePairs(bytes, { start, count: Math.abs(count!.value), into: metadata });
  }
  return undefined;
}

interface Pairs {
  readonly start: number;
  readonly count: number;
  readonly into: Map<string, string>;
}

/** Returns the end position; undefined when the bytes end before. */
function decodePairs(bytes: Uint8Array, { start, count, into }: Pairs): number | undefined {
  let position = start;
  for (let pair = 0; pair < count; pair++) {
    const key = decodeText(bytes, position);
    const value = key && decodeText(bytes, key.end);
    if (value === undefined) return undefined;
    into.set(key!.text, value.text);
    position = value.end;
  }
  return position;
}

function decodeText(bytes: Uint8Array, position: number): { text: string; end: number } | undefined {
  const length = decodeLong(bytes, position);
  if (length === undefined) return undefined;
  const end = length.end + length.value;
  if (length.value < 0) throw new TidemarkError('invalid', 'its header has a text of negative length');
  if (end > bytes.length) return undefined;
  return { text: Buffer.from(bytes.buffer, bytes.byteOffset + length.end, length.value).toString(), end };
}
