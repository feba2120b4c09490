import type { ArtifactStore } from '../../artifacts/artifact-store.ts';
import { BufferPool } from '../../lib/buffer-pool.ts';
import { MarcRecord } from '../forms/marc/marc-record.ts';
import { MARCXML_END, MARCXML_START } from '../forms/marc/marcxml-markup.ts';
import { MarcXmlWriter } from '../forms/marc/write-marcxml.ts';
import type { StreamName } from '../set-names.ts';
import { ArtifactFile } from './artifact-file.ts';
import { gzipParts } from './gzip-parts.ts';
import type { DumpFileKind } from './stored-dump.ts';

/** A stored file, as reported by the thread that made it. */
export interface MadeFile {
  readonly kind: DumpFileKind;
  readonly artifact: string;
  readonly length: number;
  readonly sha256: string;
}

/** Bytes that are compressed at a time. */
const PART_BYTES = 512 * 1024;
/** Bytes of MARCXML taken from the writer at a time: half of its initial buffer, so that the buffer need not grow. */
const XML_BYTES = 32 * 1024;
/** Compression level of gzip: see scripts/bench/HISTORY.md. */
const LEVEL = 2;

/** Writes records as MARC21 and as MARCXML side by side, both with gzip. */
export class RecordFiles {
  readonly #pool = new BufferPool(PART_BYTES);
  readonly #marc21: PackedFile;
  readonly #marcxml: PackedFile;
  readonly #xml = new MarcXmlWriter();

  constructor(artifacts: Pick<ArtifactStore, 'put'>, name: StreamName) {
    this.#marc21 = new PackedFile(artifacts, name, this.#pool);
    this.#marcxml = new PackedFile(artifacts, name, this.#pool);
    this.#marcxml.addBytes(Buffer.from(MARCXML_START));
  }

  /** Copies a document: MARC21 in UTF-8, as `MarcRecord` has it. */
  add(document: Uint8Array): void {
    const bytes = Buffer.from(document.buffer, document.byteOffset, document.byteLength);
    this.#marc21.addBytes(bytes);
    this.#xml.add(new MarcRecord(bytes));
    if (this.#xml.size >= XML_BYTES) this.#marcxml.addBytes(this.#xml.takeToCopy());
  }

  /** Resolves when more records may be added. @throws TidemarkError as `ArtifactStore.put` */
  async flush(): Promise<void> {
    await this.#marc21.flush();
    await this.#marcxml.flush();
  }

  /** Resolves when both files are stored. @throws TidemarkError as `ArtifactStore.put` */
  async end(): Promise<readonly MadeFile[]> {
    this.#marcxml.addBytes(this.#xml.take());
    this.#marcxml.addBytes(Buffer.from(MARCXML_END));
    const [marc21, marcxml] = await Promise.all([this.#marc21.end(), this.#marcxml.end()]);
    return [
      { kind: 'marc21', ...marc21 },
      { kind: 'marcxml', ...marcxml },
    ];
  }

  /** Returns the keys of the artifacts that were stored nevertheless. */
  async abandon(): Promise<readonly string[]> {
    const stored = await Promise.all([this.#marc21.abandon(), this.#marcxml.abandon()]);
    return stored.filter((key) => key !== undefined);
  }
}

/** Gathers bytes into parts, and has them compressed and stored. */
class PackedFile {
  readonly #pool: BufferPool;
  readonly #file: ArtifactFile;
  #full: Buffer[] = [];
  #part: Buffer;
  #end = 0;

  constructor(artifacts: Pick<ArtifactStore, 'put'>, name: StreamName, pool: BufferPool) {
    this.#pool = pool;
    this.#part = pool.take();
    this.#file = new ArtifactFile(artifacts, name, (parts) =>
      gzipParts(parts, { level: LEVEL, onPacked: (part) => giveBack(part, pool) }),
    );
  }

  addBytes(bytes: Buffer): void {
    if (this.#end + bytes.length > this.#part.length) this.#next(bytes.length);
    this.#end += bytes.copy(this.#part, this.#end);
  }

  async flush(): Promise<void> {
    const full = this.#full;
    this.#full = [];
    for (const part of full) await this.#file.write(part);
  }

  async end(): Promise<Omit<MadeFile, 'kind'>> {
    this.#next(0);
    await this.flush();
    const { key, length, hashes } = await this.#file.end();
    return { artifact: key, length, sha256: hashes['sha-256'] };
  }

  async abandon(): Promise<string | undefined> {
    return (await this.#file.abandon())?.key;
  }

  #next(needed: number): void {
    if (this.#end > 0) this.#full.push(this.#part.subarray(0, this.#end));
    this.#part = needed > this.#pool.bytes ? Buffer.allocUnsafeSlow(needed) : this.#pool.take();
    this.#end = 0;
  }
}

/** Returns the whole buffer of a part to the pool. */
function giveBack({ buffer }: Buffer, pool: BufferPool): void {
  if (buffer.byteLength === pool.bytes) pool.give(Buffer.from(buffer));
}
