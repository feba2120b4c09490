import { randomBytes } from 'node:crypto';
import { mapInOrder } from '../../lib/calls/map-in-order.ts';
import { type Block, blocksOf } from './avro-blocks.ts';
import type { RecordOf, SchemaId } from './avro-schemas.ts';
import { type Codec, packingOf } from './codecs.ts';
import { encodeHeader, SYNC_LENGTH } from './container-header.ts';
import { encodeLong } from './long.ts';
import { release, releaseOwn } from './release.ts';

/**
 * Writes Avro object container files. avsc encodes the values. Its own file writer is not used: it reports neither the
 * positions of blocks nor how many bytes are buffered, and emits an event for each record.
 */

/** The position and size of a block in its file. */
export interface BlockPlace {
  /** Number of bytes before the block. */
  readonly offset: number;
  /** Bytes of the whole block: both numbers, the data, and the sync marker. */
  readonly length: number;
  readonly records: number;
}

interface HeadOptions<Id extends SchemaId> {
  readonly schema: Id;
  /** The default is deflate, which every reader supports. */
  readonly codec?: Codec | undefined;
  /** Describes what made the file, for the `doc` of the schema: see doc-text.ts. */
  readonly doc?: string | undefined;
  /** Additional metadata for the header. Keys that begin with `avro.` are reserved. */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  /** Called before each block is yielded, in order. The blocks contain all records in the order of the input. */
  readonly onBlock?: ((block: BlockPlace) => void) | undefined;
}

export interface EncodeOptions<Id extends SchemaId> extends HeadOptions<Id> {
  readonly records: AsyncIterable<readonly RecordOf[Id][]>;
}

export interface PackOptions<Id extends SchemaId> extends HeadOptions<Id> {
  /** Blocks of records of the schema, encoded by the caller. */
  readonly blocks: AsyncIterable<Block>;
  /**
   * Compresses in this thread, which must do nothing else. Buffers are freed after use: that of each input block once
   * it is compressed, and those that are yielded when the next are requested. Otherwise the garbage of a million
   * records would be collected hundreds of times.
   */
  readonly ownThread?: boolean | undefined;
}

/** Number of blocks that are being compressed, or wait for an earlier one: one for each of Node's threads. */
export const UNDER_WAY = 4;

/**
 * Encodes records into an Avro object container file.
 * @throws TidemarkError `invalid` for a record that does not match the schema; it names the record and the field;
 *   what `records` throws
 */
export function encodeContainer<Id extends SchemaId>(options: EncodeOptions<Id>): AsyncGenerator<Uint8Array> {
  const { records, ...others } = options;
  return packContainer({ ...others, blocks: blocksOf(options.schema, records) });
}

/**
 * Compresses blocks into an Avro object container file.
 * @throws what `blocks` throws
 */
export async function* packContainer<Id extends SchemaId>(options: PackOptions<Id>): AsyncGenerator<Uint8Array> {
  const { schema, codec = 'deflate', doc, metadata, blocks, onBlock, ownThread } = options;
  const { compress, compressSync } = packingOf(codec);
  const packing = ownThread ? async (bytes: Uint8Array) => packLast(bytes, compressSync) : compress;
  const sync = randomBytes(SYNC_LENGTH);
  const header = encodeHeader({ schema, codec, doc, metadata, sync });
  yield header;

  let offset = header.length;
  for await (const { head, data, records } of mapInOrder(blocks, UNDER_WAY, (block) => pack(block, packing))) {
    const length = head.length + data.length + sync.length;
    onBlock?.({ offset, length, records });
    offset += length;
    // Not concatenated: the caller copies them anyway.
    yield head;
    yield data;
    if (ownThread) release(data);
    yield sync;
  }
}

function packLast(bytes: Uint8Array, compress: (bytes: Uint8Array) => Uint8Array): Uint8Array {
  const packed = compress(bytes);
  if (packed !== bytes) releaseOwn(bytes);
  return packed;
}

interface PackedBlock extends Block {
  /** The record count and the length. */
  readonly head: Uint8Array;
}

async function pack(
  { data, records }: Block,
  compress: (bytes: Uint8Array) => Promise<Uint8Array>,
): Promise<PackedBlock> {
  const packed = await compress(data);
  return { head: Buffer.concat([encodeLong(records), encodeLong(packed.length)]), data: packed, records };
}
