import { TidemarkError } from '../../core/errors.ts';
import type { SchemaId } from './avro-schemas.ts';
import { LARGEST_BLOCK, LARGEST_BLOCK_MB } from './block-size.ts';
import { ByteSource } from './byte-source.ts';
import { packingOf } from './codecs.ts';
import { SYNC_LENGTH } from './container-header.ts';
import type { BlockPlace } from './container-writer.ts';
import { type ContainerHeader, type HeaderOptions, takeHeader } from './header-reader.ts';
import { decodeLong, LONGEST_LONG } from './long.ts';
import { release } from './release.ts';

/** Finds and decompresses the blocks of a file. It does not decode their records. */

/** The part of the header that is needed to decompress a block. */
export type BlockHeader<Id extends SchemaId = SchemaId> = Pick<
  ContainerHeader<Id>,
  'name' | 'schema' | 'codec' | 'sync' | 'documentType'
>;

/** A block, compressed as in the file, or decompressed. */
export interface Block {
  readonly place: BlockPlace;
  readonly data: Uint8Array;
}

/** A decompressed block: its data is the encoded records, concatenated. */
export interface PlainBlock<Id extends SchemaId> extends Block {
  readonly header: BlockHeader<Id>;
}

/**
 * Consecutive compressed blocks of a file. They are plain values, to be sent to a thread: `bytes` has a buffer of its
 * own.
 */
export interface PackedChunk<Id extends SchemaId> {
  readonly header: BlockHeader<Id>;
  /** Number of bytes before it in the file. */
  readonly offset: number;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** Most bytes of the two numbers of a block. */
const LONGEST_HEAD = 2 * LONGEST_LONG;
/**
 * Bytes of a chunk, unless a single block has more: the work of a thread on them takes a hundred times as long as
 * sending them.
 */
const CHUNK_BYTES = 512 * 1024;

/**
 * Reads a whole file without decompressing it: it decodes only the lengths of blocks.
 * @throws TidemarkError `invalid` for a file that is not Avro, has another schema, or an unknown codec; what `bytes`
 *   throws
 */
export async function* readChunks<Id extends SchemaId>(
  bytes: AsyncIterable<Uint8Array>,
  options: HeaderOptions<Id>,
): AsyncGenerator<PackedChunk<Id>> {
  const source = new ByteSource(bytes);
  try {
    const { length, doc: _, metadata: __, ...header } = await takeHeader(source, options);
    let offset = length;
    let gathered: Uint8Array[] = [];
    let size = 0;
    for await (const block of rawBlocks(source, header)) {
      gathered.push(block.bytes);
      size += block.bytes.length;
      if (size < CHUNK_BYTES) continue;
      yield { header, offset, bytes: joined(gathered, size) };
      offset += size;
      gathered = [];
      size = 0;
    }
    if (size > 0) yield { header, offset, bytes: joined(gathered, size) };
  } finally {
    await source.close();
  }
}

/**
 * Decompresses the blocks of a chunk in this thread. The buffer of each block is freed when the next one is requested,
 * and that of the chunk at the end: the garbage collector would let a hundred megabytes accumulate.
 * @throws TidemarkError `invalid` for a block that is cut off or damaged
 */
export function* unpackChunk<Id extends SchemaId>({
  header,
  offset,
  bytes,
}: PackedChunk<Id>): Generator<PlainBlock<Id>> {
  const { length } = bytes;
  for (let at = 0; at < length; ) {
    const block = packedBlock(bytes.subarray(at), header, offset + at);
    const plain = unpackSync(block, header);
    yield { header, ...plain };
    at += block.place.length;
    if (plain.data.buffer !== bytes.buffer) release(plain.data);
  }
  release(bytes);
}

/** Parses the block at the beginning of the bytes. */
export function packedBlock(bytes: Uint8Array, header: BlockHeader, offset: number): Block {
  const { records, start, end, length } = headOf(bytes, header, offset);
  if (bytes.length < length) throw damaged(header, offset, 'is cut off');
  if (Buffer.compare(header.sync, bytes.subarray(end, length)) !== 0) {
    throw damaged(header, offset, "does not end with the file's sync marker");
  }
  return { place: { offset, length, records }, data: bytes.subarray(start, end) };
}

/** Decompresses in one of zlib's threads. */
export async function unpack({ place, data }: Block, header: BlockHeader): Promise<Block> {
  try {
    return { place, data: await packingOf(header.codec).decompress(data) };
  } catch (error) {
    throw unpackable(header, place, error);
  }
}

export function damaged({ name }: BlockHeader, offset: number, problem: string, cause?: unknown): TidemarkError {
  return new TidemarkError('invalid', `${name}: the block at byte ${offset} ${problem}`, { offset }, cause);
}

/** The bytes of a block, not validated: `packedBlock` throws if they are damaged. */
export interface RawBlock {
  readonly offset: number;
  /** Shorter than the block's stated length when the file is cut off. */
  readonly bytes: Uint8Array;
}

/**
 * Yields blocks from the current position of a source to its end, or to the first damaged one, which it yields without
 * an error. So a caller that decompresses several at a time still gets the blocks before it.
 */
export async function* rawBlocks(source: ByteSource, header: BlockHeader): AsyncGenerator<RawBlock> {
  for (;;) {
    const head = await source.next(LONGEST_HEAD);
    if (head.length === 0) return;
    const { offset } = source;
    const length = lengthOf(head, header, offset);
    if (length === undefined) {
      yield { offset, bytes: head };
      return;
    }
    const bytes = await source.next(length);
    yield { offset, bytes };
    source.take(bytes.length);
  }
}

/** Returns undefined when the head of the block is damaged. */
function lengthOf(...block: Parameters<typeof headOf>): number | undefined {
  try {
    return headOf(...block).length;
  } catch {
    return undefined;
  }
}

interface Head {
  readonly records: number;
  /** Positions of the beginning and end of its data, and of the end of its sync marker. */
  readonly start: number;
  readonly end: number;
  readonly length: number;
}

/** Avro 1.12, "Object Container Files": number of records, number of bytes, these bytes, the sync marker. */
function headOf(bytes: Uint8Array, header: BlockHeader, offset: number): Head {
  const records = decodeLong(bytes, 0);
  const size = records && decodeLong(bytes, records.end);
  if (records === undefined || size === undefined) throw damaged(header, offset, 'is cut off');
  if (records.value < 0 || size.value < 0) throw damaged(header, offset, 'has a negative length');
  if (size.value > LARGEST_BLOCK) throw damaged(header, offset, `has more than ${LARGEST_BLOCK_MB} MB`);
  const end = size.end + size.value;
  return { records: records.value, start: size.end, end, length: end + SYNC_LENGTH };
}

function unpackSync({ place, data }: Block, header: BlockHeader): Block {
  try {
    return { place, data: packingOf(header.codec).decompressSync(data) };
  } catch (error) {
    throw unpackable(header, place, error);
  }
}

function unpackable(header: BlockHeader, { offset }: BlockPlace, error: unknown): TidemarkError {
  const isTooLarge = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
  const problem = isTooLarge
    ? `has more than ${LARGEST_BLOCK_MB} MB when it is unpacked: have its writer make smaller blocks`
    : `cannot be unpacked (${(error as Error).message})`;
  return damaged(header, offset, problem, error);
}

function joined(parts: readonly Uint8Array[], length: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
