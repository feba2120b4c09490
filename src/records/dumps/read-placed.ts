import { hash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import type { ArtifactStore, ObjectKey } from '../../artifacts/artifact-store.ts';
import { readHeader } from '../../artifacts/avro/container-reader.ts';
import { type BlockHeader, type PlainBlock, unpackChunk } from '../../artifacts/avro/packed-blocks.ts';
import { unreadable } from '../../artifacts/store-errors.ts';
import { TidemarkError } from '../../core/errors.ts';
import { mapInOrder } from '../../lib/calls/map-in-order.ts';
import { RecordWalk, type WalkedRecord } from '../digests/walk-records.ts';
import type { PlacedRecord } from './placed-rows.ts';

type Artifacts = Pick<ArtifactStore, 'get' | 'name'>;
type Header = BlockHeader<'stream.Record.v1'>;

/** Records to read from one block. */
interface WantedBlock {
  readonly offset: number;
  readonly length: number;
  readonly records: PlacedRecord[];
}

/** Adjacent blocks of one artifact, read by one request. */
interface WantedChunk {
  readonly artifact: ObjectKey;
  readonly blocks: WantedBlock[];
  end: number;
}

interface ReadChunk {
  readonly artifact: ObjectKey;
  readonly blocks: readonly WantedBlock[];
  readonly header: Header;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** Packed bytes. A chunk that compresses very well takes about 30 times as much memory. */
const CHUNK_BYTES = 512 * 1024;
/** Number of chunks that are read ahead. */
const READ_AHEAD = 2;
/** Bytes that usually contain the whole header of an artifact of this program. */
const USUAL_HEADER = 4_096;

/**
 * Reads records from their artifacts, in the order of their places, and checks their digests. Yields the records of a
 * block together: their documents refer to memory that is released when the next block is requested.
 * @param records ascending by artifact, offset and position
 * @throws TidemarkError `unavailable` when an artifact does not exist (any more), is damaged, or is another one
 */
export async function* readPlaced(
  records: Iterable<PlacedRecord>,
  artifacts: Artifacts,
): AsyncGenerator<readonly WalkedRecord[]> {
  const headers = new Headers(artifacts);
  const read = (chunk: WantedChunk) => readChunk(chunk, artifacts, headers);
  for await (const chunk of mapInOrder(chunksOf(records), READ_AHEAD, read)) {
    const { artifact, header, blocks, bytes } = chunk;
    try {
      let next = 0;
      for (const block of unpackChunk({ header, offset: blocks[0]!.offset, bytes })) {
        yield [...recordsOf(block, blocks[next++]!)];
      }
    } catch (error) {
      throw unreadable(error, artifact, artifacts.name);
    }
  }
}

/** The header of the artifact that was requested last: chunks come in the order of artifacts. */
class Headers {
  readonly #artifacts: Artifacts;
  #artifact: ObjectKey | undefined;
  #header: Promise<Header> | undefined;

  constructor(artifacts: Artifacts) {
    this.#artifacts = artifacts;
  }

  of(artifact: ObjectKey): Promise<Header> {
    if (this.#artifact === artifact && this.#header !== undefined) return this.#header;
    this.#artifact = artifact;
    this.#header = this.#read(artifact);
    this.#header.catch(() => {});
    return this.#header;
  }

  async #read(artifact: ObjectKey): Promise<Header> {
    const { body } = await this.#artifacts.get(artifact, { range: { start: 0, length: USUAL_HEADER } });
    return readHeader(body, { schema: 'stream.Record.v1', name: artifact });
  }
}

async function readChunk(chunk: WantedChunk, artifacts: Artifacts, headers: Headers): Promise<ReadChunk> {
  const { artifact, blocks, end } = chunk;
  try {
    const header = await headers.of(artifact);
    const start = blocks[0]!.offset;
    const { body } = await artifacts.get(artifact, { range: { start, length: end - start } });
    // `unpackChunk` releases this memory, so it must not belong to a pool.
    return { artifact, blocks, header, bytes: new Uint8Array(await buffer(body)) };
  } catch (error) {
    throw unreadable(error, artifact, artifacts.name);
  }
}

function* chunksOf(records: Iterable<PlacedRecord>): Generator<WantedChunk> {
  let chunk: WantedChunk | undefined;
  for (const record of records) {
    const { artifact, offset, length } = record;
    const block = chunk?.blocks.at(-1);
    if (chunk?.artifact === artifact && block!.offset === offset) {
      block!.records.push(record);
      continue;
    }
    const follows = chunk?.artifact === artifact && chunk.end === offset;
    if (follows && chunk!.end - chunk!.blocks[0]!.offset < CHUNK_BYTES) {
      chunk!.blocks.push({ offset, length, records: [record] });
      chunk!.end = offset + length;
      continue;
    }
    if (chunk !== undefined) yield chunk;
    chunk = { artifact, blocks: [{ offset, length, records: [record] }], end: offset + length };
  }
  if (chunk !== undefined) yield chunk;
}

function* recordsOf(block: PlainBlock<'stream.Record.v1'>, wanted: WantedBlock): Generator<WalkedRecord> {
  const walk = new RecordWalk(block);
  let passed = 0;
  for (const place of wanted.records) {
    let record: WalkedRecord | undefined;
    for (; passed <= place.position; passed++) record = walk.next();
    if (record === undefined) throw otherRecord(place, 'does not exist');
    if (hash('sha256', record.document, 'hex') !== place.digest) throw otherRecord(place, 'has another document');
    yield record;
  }
}

function otherRecord({ offset, position, key }: PlacedRecord, problem: string): TidemarkError {
  const message = `record ${position} of the block at byte ${offset}, which is ${key.slice(0, 100)}, ${problem}`;
  return new TidemarkError('invalid', message, { key });
}
