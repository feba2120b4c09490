import { createHash } from 'node:crypto';
import { PassThrough } from 'node:stream';
import type { ArtifactBody, ArtifactStore, ObjectKey, StoredObject } from '../../artifacts/artifact-store.ts';
import { putArtifact } from '../../artifacts/put-artifact.ts';
import { writeTo } from '../../lib/bytes/write-to.ts';
import { randomId } from '../arrivals/store-file.ts';
import type { StreamName } from '../stream-set-names.ts';

/** A file of a dump, stored. */
export interface StoredDumpFile {
  readonly artifact: ObjectKey;
  /** Bytes. */
  readonly length: number;
  /** Hexadecimal, as `md5`, by which clients of the POD aggregator check files. */
  readonly sha256: string;
  readonly md5: string;
}

/** Number of parts that wait in memory. */
const WAITING = 1;

/** A file of a dump that is stored while it is written. Clients do not know of it until a dump names it. */
export class ArtifactFile {
  readonly #stream = new PassThrough({ objectMode: true, highWaterMark: WAITING });
  readonly #md5 = createHash('md5');
  readonly #stored: Promise<StoredObject>;

  /** @param encode converts the parts into the stored bytes */
  constructor(
    artifacts: Pick<ArtifactStore, 'put'>,
    { organization, stream }: StreamName,
    encode: (parts: AsyncIterable<Buffer>) => ArtifactBody = (parts) => parts,
  ) {
    const key = { kind: 'stream-dump', organization, stream, id: randomId() } as const;
    const options = { hashes: ['sha-256'], sparesMemory: true } as const;
    this.#stored = putArtifact(artifacts, key, this.#hashed(encode(this.#stream)), options);
    // A store that failed stops reading: this wakes the writer.
    this.#stored.catch(() => this.#stream.destroy());
    // `abandon` destroys the stream; its errors are reported by `#stored`.
    this.#stream.on('error', () => {});
  }

  /** Resolves when more may be written. @throws TidemarkError as `ArtifactStore.put` */
  async write(part: Buffer): Promise<void> {
    if (!(await writeTo(this.#stream, part))) await this.#stored;
  }

  /** Resolves when the file is stored. @throws TidemarkError as `ArtifactStore.put` */
  async end(): Promise<StoredDumpFile> {
    this.#stream.end();
    const { key, length, hashes } = await this.#stored;
    return { artifact: key, length, sha256: hashes['sha-256'], md5: this.#md5.digest('hex') };
  }

  /** Ends the file without an artifact, unless it is already stored. Returns the stored artifact, if any. */
  async abandon(): Promise<StoredObject | undefined> {
    if (!this.#stream.writableEnded) this.#stream.destroy(new Error('the dump is given up'));
    return this.#stored.catch(() => undefined);
  }

  async *#hashed(body: ArtifactBody): AsyncGenerator<Uint8Array> {
    for await (const chunk of body) {
      this.#md5.update(chunk);
      yield chunk;
    }
  }
}
