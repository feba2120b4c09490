import { randomBytes } from 'node:crypto';
import { mapInOrder } from '../../lib/map-in-order.ts';
import { type Block, blocksOf } from './blocks.ts';
import { type Codec, packingOf } from './codecs.ts';
import { encodeHeader, SYNC_LENGTH } from './container-header.ts';
import { encodeLong } from './long.ts';
import { release, releaseOwn } from './release.ts';
import type { RecordOf, SchemaId } from './schemas.ts';

/**
 * Writes Avro object container files. Values are encoded by avsc; its own writer of files knows neither where a block
 * begins nor how many bytes wait, and gives records back one event at a time, so that blocks are put together here.
 */

/** Where a block is in its file. */
export interface BlockPlace {
  /** Bytes before it. */
  readonly offset: number;
  /** Bytes of the whole block: both numbers, the data, and the sync marker. */
  readonly length: number;
  readonly records: number;
}

interface HeadOptions<Id extends SchemaId> {
  readonly schema: Id;
  /** Deflate unless given: every reader has it. */
  readonly codec?: Codec | undefined;
  /** What made the file, for the `doc` of the schema: see doc-text.ts. */
  readonly doc?: string | undefined;
  /** More for the header; keys that begin with `avro.` are Avro's. */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  /**
   * Called with each block when it is given out, in their order: the records are those that were given, one after the
   * other.
   */
  readonly onBlock?: ((block: BlockPlace) => void) | undefined;
}

export interface EncodeOptions<Id extends SchemaId> extends HeadOptions<Id> {
  readonly records: AsyncIterable<readonly RecordOf[Id][]>;
}

export interface PackOptions<Id extends SchemaId> extends HeadOptions<Id> {
  /** Records of the schema that the caller has encoded. */
  readonly blocks: AsyncIterable<Block>;
  /**
   * Packs in this thread, which does nothing else. Bytes are lost when they were used: those of a block, in a buffer of
   * its own, when it is packed, and those that are given out when the next are asked for. Else the garbage of a million
   * records would be collected hundreds of times.
   */
  readonly ownThread?: boolean | undefined;
}

/** Blocks that are packed, or wait for those before them: as many as Node has threads for it. */
export const UNDER_WAY = 4;

/**
 * Encodes records into an Avro object container file.
 * @throws TidemarkError `invalid` for a record that is none of the schema, naming it and the field; what `records`
 *   throws
 */
export function encodeContainer<Id extends SchemaId>(options: EncodeOptions<Id>): AsyncGenerator<Uint8Array> {
  const { records, ...others } = options;
  return packContainer({ ...others, blocks: blocksOf(options.schema, records) });
}

/** Packs blocks into an Avro object container file. @throws what `blocks` throws */
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
    // Not put together: the caller copies them anyway.
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
  /** Both numbers. */
  readonly head: Uint8Array;
}

async function pack(
  { data, records }: Block,
  compress: (bytes: Uint8Array) => Promise<Uint8Array>,
): Promise<PackedBlock> {
  const packed = await compress(data);
  return { head: Buffer.concat([encodeLong(records), encodeLong(packed.length)]), data: packed, records };
}
