import type { ArtifactStore } from '../../artifacts/artifact-store.ts';
import { BufferPool } from '../../lib/bytes/buffer-pool.ts';
import type { WalkedRecord } from '../digests/walk-records.ts';
import type { RecordWriter, StoredRecords } from '../forms/record-form.ts';
import { STORED, storedAs } from '../forms/record-forms.ts';
import type { StreamName } from '../stream-set-names.ts';
import { ArtifactFile, type StoredDumpFile } from './artifact-file.ts';
import { gzipParts } from './gzip-parts.ts';

/** A stored file, as reported by the thread that made it. */
export interface MadeFile extends StoredDumpFile {
  readonly kind: string;
}

/** Bytes that are compressed at a time. */
const PART_BYTES = 512 * 1024;
/** Compression level of gzip: see scripts/bench/HISTORY.md. */
const LEVEL = 2;

interface OpenFile {
  readonly kind: string;
  readonly packed: PackedFile;
  readonly writer: RecordWriter;
}

/** Writes records into the files of their form side by side, all with gzip. */
export class RecordFiles {
  readonly #artifacts: Pick<ArtifactStore, 'put'>;
  readonly #name: StreamName;
  readonly #pool = new BufferPool(PART_BYTES);
  readonly #forms = new Map<StoredRecords, readonly OpenFile[]>();
  /** The files of the last record, and its media type. */
  #files: readonly OpenFile[] = [];
  #mime: string | undefined;

  constructor(artifacts: Pick<ArtifactStore, 'put'>, name: StreamName) {
    this.#artifacts = artifacts;
    this.#name = name;
  }

  /**
   * Copies the documents of records. Resolves when more may be added.
   * @throws TidemarkError as `ArtifactStore.put`; `unavailable` for a form that does not exist
   */
  async add(records: readonly WalkedRecord[]): Promise<void> {
    for (const { document, mime } of records) {
      if (mime !== this.#mime) await this.#choose(mime);
      const bytes = Buffer.from(document.buffer, document.byteOffset, document.byteLength);
      for (const { writer } of this.#files) writer.add(bytes);
    }
    for (const { packed } of this.#open) await packed.flush();
  }

  /**
   * Resolves when all files are stored. Without a record, they are those of the first form.
   * @throws TidemarkError as `ArtifactStore.put`
   */
  async end(): Promise<readonly MadeFile[]> {
    if (this.#forms.size === 0) await this.#openFiles(STORED[0]!);
    for (const { writer } of this.#open) writer.end();
    return Promise.all(this.#open.map(async ({ kind, packed }) => ({ kind, ...(await packed.end()) })));
  }

  /** Returns the keys of the artifacts that were stored nevertheless. */
  async abandon(): Promise<readonly string[]> {
    const stored = await Promise.all(this.#open.map(({ packed }) => packed.abandon()));
    return stored.filter((key) => key !== undefined);
  }

  /** In the order of the list of forms. */
  get #open(): readonly OpenFile[] {
    return STORED.flatMap((form) => this.#forms.get(form) ?? []);
  }

  async #choose(mime: string): Promise<void> {
    const form = storedAs(mime);
    this.#files = this.#forms.get(form) ?? (await this.#openFiles(form));
    this.#mime = mime;
  }

  async #openFiles(form: StoredRecords): Promise<readonly OpenFile[]> {
    const files = await Promise.all(
      form.files.map(async ({ kind, openWriter }) => {
        const packed = new PackedFile(this.#artifacts, this.#name, this.#pool);
        return { kind, packed, writer: await openWriter((bytes) => packed.addBytes(bytes)) };
      }),
    );
    this.#forms.set(form, files);
    return files;
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

  async end(): Promise<StoredDumpFile> {
    this.#next(0);
    await this.flush();
    return this.#file.end();
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
