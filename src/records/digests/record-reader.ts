import { hash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import type { ArtifactStore, ObjectKey } from '../../artifacts/artifact-store.ts';
import type { DocumentSchemaId } from '../../artifacts/avro/avro-schemas.ts';
import { readHeader, unpackBlock } from '../../artifacts/avro/container-reader.ts';
import type { ContainerHeader } from '../../artifacts/avro/header-reader.ts';
import { recordsSchemaOf } from '../../artifacts/records-schema.ts';
import { unreadable } from '../../artifacts/store-errors.ts';
import { isTidemarkError, TidemarkError } from '../../core/errors.ts';
import type { RecordPlace } from '../../core/resource.ts';
import { BlockRecords } from './block-records.ts';
import { documentSchema } from './digest-records.ts';
import type { WalkedRecord } from './walk-records.ts';

type Header = ContainerHeader<DocumentSchemaId>;

/** Number of cached headers: few of the artifacts of a set are used all the time. */
const MOST_HEADERS = 1_000;
/**
 * Bytes of cached decompressed blocks: a client that copies a set requests the records of a block one after the
 * other.
 */
const MOST_BYTES = 16 * 1024 * 1024;
/** Bytes: headers of this program are shorter, and so are most of others. */
const USUAL_HEADER = 4_096;

/** Reads records of artifacts by their places. Each read is one range request. */
export class RecordReader {
  readonly #artifacts: Pick<ArtifactStore, 'get' | 'name'>;
  readonly #headers = new Map<ObjectKey, Promise<Header>>();
  readonly #blocks = new Map<string, Promise<BlockRecords>>();
  readonly #sizes = new Map<string, number>();
  #bytes = 0;

  constructor(artifacts: Pick<ArtifactStore, 'get' | 'name'>) {
    this.#artifacts = artifacts;
  }

  /**
   * @param digest the SHA-256 of the document when it was compared
   * @throws TidemarkError `unavailable` when the artifact does not exist (any more), or has changed
   */
  async read(place: RecordPlace, digest: string): Promise<WalkedRecord> {
    try {
      const record = (await this.#block(place)).at(place.position);
      if (record === undefined) throw otherArtifact(place, 'does not exist');
      if (hash('sha256', record.document, 'hex') === digest) return record;
      throw otherArtifact(place, 'has another document');
    } catch (error) {
      // Not cached, because the artifact may be repaired.
      this.#forget(nameOf(place));
      this.#headers.delete(place.artifact);
      throw unreadable(error, place.artifact, this.#artifacts.name);
    }
  }

  #block(place: RecordPlace): Promise<BlockRecords> {
    const name = nameOf(place);
    const found = this.#blocks.get(name);
    if (found !== undefined) return found;
    const block = this.#readBlock(place);
    this.#blocks.set(name, block);
    block.then(
      ({ bytes }) => {
        // A caller may have found it wrong meanwhile.
        if (this.#blocks.get(name) === block) this.#keep(name, bytes);
      },
      () => {},
    );
    return block;
  }

  #keep(name: string, bytes: number): void {
    this.#sizes.set(name, bytes);
    this.#bytes += bytes;
    for (const oldest of this.#sizes.keys()) {
      if (this.#bytes <= MOST_BYTES) return;
      this.#forget(oldest);
    }
  }

  #forget(name: string): void {
    this.#blocks.delete(name);
    this.#bytes -= this.#sizes.get(name) ?? 0;
    this.#sizes.delete(name);
  }

  async #readBlock({ artifact, offset, length }: RecordPlace): Promise<BlockRecords> {
    const [header, bytes] = await Promise.all([
      this.#header(artifact),
      this.#bytesOf(artifact, { start: offset, length }),
    ]);
    return new BlockRecords(await unpackBlock(bytes, header, offset));
  }

  #header(artifact: ObjectKey): Promise<Header> {
    const found = this.#headers.get(artifact);
    if (found !== undefined) return found;
    const header = this.#readHeader(artifact);
    this.#headers.set(artifact, header);
    header.catch(() => this.#headers.delete(artifact));
    const [oldest] = this.#headers.keys();
    if (this.#headers.size > MOST_HEADERS) this.#headers.delete(oldest!);
    return header;
  }

  async #readHeader(artifact: ObjectKey): Promise<Header> {
    const schema = documentSchema(recordsSchemaOf(artifact));
    const options = { schema, name: artifact };
    const beginning = await this.#bytesOf(artifact, { start: 0, length: USUAL_HEADER });
    try {
      return await readHeader(once(beginning), options);
    } catch (error) {
      if (!isTidemarkError(error, 'invalid') || beginning.length < USUAL_HEADER) throw error;
    }
    const { body } = await this.#artifacts.get(artifact);
    return readHeader(body, options);
  }

  async #bytesOf(artifact: ObjectKey, range: { readonly start: number; readonly length: number }): Promise<Buffer> {
    const { body } = await this.#artifacts.get(artifact, { range });
    return buffer(body);
  }
}

function nameOf({ artifact, offset }: RecordPlace): string {
  return `${artifact} ${offset}`;
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

function otherArtifact({ artifact, offset, position }: RecordPlace, problem: string): TidemarkError {
  return new TidemarkError(
    'unavailable',
    `the artifact ${artifact} is not what it was when it was compared: record ${position} of the block at byte ${offset} ${problem}`,
    { artifact },
  );
}
