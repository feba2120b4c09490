import { isTidemarkError } from '../../core/errors.ts';
import { mapInOrder } from '../../lib/calls/map-in-order.ts';
import type { RecordOf, SchemaId } from './avro-schemas.ts';
import { ByteSource } from './byte-source.ts';
import { type BlockPlace, UNDER_WAY } from './container-writer.ts';
import { type ContainerHeader, type HeaderOptions, takeHeader } from './header-reader.ts';
import {
  type Block,
  type BlockHeader,
  damaged,
  type PlainBlock,
  packedBlock,
  type RawBlock,
  rawBlocks,
  unpack,
} from './packed-blocks.ts';
import { recordType } from './record-type.ts';

/**
 * Reads Avro object container files, strictly: an error names the byte at which the file is damaged, and no part is
 * skipped. avsc decodes the values. Its own file reader is not used: it takes a file that is cut off for a shorter one,
 * and cannot read a single block.
 */

interface DecodedBlock<Id extends SchemaId> {
  readonly place: BlockPlace;
  readonly records: readonly RecordOf[Id][];
}

/**
 * Reads only the header of a file. The bytes may end anywhere after it.
 * @throws TidemarkError `invalid` for a file that is not Avro, has another schema, or an unknown codec
 */
export async function readHeader<Id extends SchemaId = SchemaId>(
  bytes: AsyncIterable<Uint8Array>,
  options: HeaderOptions<Id>,
): Promise<ContainerHeader<Id>> {
  const source = new ByteSource(bytes);
  try {
    return await takeHeader(source, options);
  } finally {
    await source.close();
  }
}

/**
 * Reads a whole file, block by block; some blocks are decompressed ahead. From a damaged file, it yields the blocks
 * before the damage first.
 * @throws TidemarkError `invalid` for a file that is cut off or damaged, has another schema or an unknown codec, or
 *   invalid UTF-8; what `bytes` throws
 */
export async function* readContainer<Id extends SchemaId>(
  bytes: AsyncIterable<Uint8Array>,
  options: HeaderOptions<Id>,
): AsyncGenerator<DecodedBlock<Id>> {
  const source = new ByteSource(bytes);
  try {
    const header = await takeHeader(source, options);
    const unpacked = async (raw: RawBlock) => unpack(packedBlock(raw.bytes, header, raw.offset), header);
    for await (const block of mapInOrder(rawBlocks(source, header), UNDER_WAY, unpacked)) {
      yield { place: block.place, records: decode(block, header) };
    }
  } finally {
    await source.close();
  }
}

/**
 * Decodes one block that was read by its place.
 * @param bytes all bytes of the block, as its place says
 * @param offset position of the block in the file, for messages
 * @throws TidemarkError `invalid` when they are not exactly one block of that file
 */
export async function decodeBlock<Id extends SchemaId>(
  bytes: Uint8Array,
  header: ContainerHeader<Id>,
  offset: number,
): Promise<readonly RecordOf[Id][]> {
  return decode(await unpackBlock(bytes, header, offset), header);
}

/**
 * Decompresses one block that was read by its place, as `decodeBlock` does, but does not decode its records.
 * @throws TidemarkError as `decodeBlock`
 */
export async function unpackBlock<Id extends SchemaId>(
  bytes: Uint8Array,
  header: ContainerHeader<Id>,
  offset: number,
): Promise<PlainBlock<Id>> {
  const block = packedBlock(bytes, header, offset);
  if (block.place.length !== bytes.length) {
    throw damaged(header, offset, `has ${block.place.length} bytes, not ${bytes.length}`);
  }
  return { ...(await unpack(block, header)), header };
}

function decode<Id extends SchemaId>({ place, data }: Block, header: BlockHeader<Id>): readonly RecordOf[Id][] {
  const type = recordType(header.schema);
  const buffer = Buffer.from(data.buffer, data.byteOffset, data.length);
  const records: RecordOf[Id][] = [];
  const next = (position: number) => {
    try {
      return type.decode(buffer, position);
    } catch (error) {
      if (!isTidemarkError(error, 'invalid')) throw error;
      throw damaged(header, place.offset, `is damaged: record ${records.length + 1} ${error.message}`, error);
    }
  };
  let position = 0;
  while (records.length < place.records) {
    const read = next(position);
    if (read === undefined) {
      throw damaged(header, place.offset, `holds only ${records.length} of its ${place.records} records`);
    }
    records.push(read.record);
    position = read.end;
  }
  if (position !== buffer.length) throw damaged(header, place.offset, 'goes on after its last record');
  return records;
}
