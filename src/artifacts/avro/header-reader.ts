import { isTidemarkError, TidemarkError } from '../../core/errors.ts';
import { NAME_PREFIX, type SchemaId } from './avro-schemas.ts';
import type { ByteSource } from './byte-source.ts';
import { availableCodecs, type Codec, isCodec, packingOf } from './codecs.ts';
import { decodeHeader, LONGEST_HEADER, type RawHeader } from './container-header.ts';
import { documentType } from './document-type.ts';
import { fileSchema } from './file-schema.ts';

/** The header of a file, with all that is needed to read any of its blocks. */
export interface ContainerHeader<Id extends SchemaId> {
  /** The name of the file, for messages. */
  readonly name: string;
  readonly schema: Id;
  readonly codec: Codec;
  /** The marker at the end of every block. */
  readonly sync: Buffer;
  readonly doc: string | undefined;
  readonly metadata: ReadonlyMap<string, string>;
  /** The media type of the documents of StreamRecords. */
  readonly documentType: string;
  /** Bytes; the first block follows. */
  readonly length: number;
}

export interface HeaderOptions<Id extends SchemaId> {
  /** Rejects files with another schema; undefined accepts any. */
  readonly schema?: Id | undefined;
  /** The name of the file, for messages. */
  readonly name: string;
}

/** Bytes: more than a usual header has. */
const FIRST_LOOK = 4096;

/**
 * Reads the header, and leaves the source at the first block.
 * @throws TidemarkError `invalid` for a file that is not Avro, has another schema, or an unknown codec
 */
export async function takeHeader<Id extends SchemaId>(
  source: ByteSource,
  { schema, name }: HeaderOptions<Id>,
): Promise<ContainerHeader<Id>> {
  const raw = await rawHeader(source, name);
  source.take(raw.length);
  return named(name, () => {
    const { id, doc } = fileSchema(raw.metadata, schema);
    if (schema !== undefined && id !== schema) {
      throw invalid(`its schema is ${NAME_PREFIX}${id}, and ${NAME_PREFIX}${schema} was asked for`);
    }
    return { ...raw, name, schema: id as Id, codec: codecOf(raw), doc, documentType: documentType(raw.metadata) };
  });
}

async function rawHeader(source: ByteSource, name: string): Promise<RawHeader> {
  for (let length = FIRST_LOOK; ; length *= 2) {
    const bytes = await source.next(length);
    const header = named(name, () => decodeHeader(bytes));
    if (header !== undefined) return header;
    if (bytes.length < length) throw invalid(`${name}: its header is cut off`);
    if (length > LONGEST_HEADER) throw invalid(`${name}: its header has more than ${LONGEST_HEADER} bytes`);
  }
}

function codecOf({ metadata }: RawHeader): Codec {
  const codec = metadata.get('avro.codec') ?? 'null';
  if (!isCodec(codec))
    throw invalid(`its codec is ${JSON.stringify(codec)}, and not ${availableCodecs().join(' or ')}`);
  // Fails early when this Node does not have the codec.
  packingOf(codec);
  return codec;
}

/** Adds the name of the file to an error. */
function named<Result>(name: string, read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    if (!isTidemarkError(error, 'invalid')) throw error;
    throw new TidemarkError('invalid', `${name}: ${error.message}`, error.details, error);
  }
}

function invalid(message: string): TidemarkError {
  return new TidemarkError('invalid', message);
}
