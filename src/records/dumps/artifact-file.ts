import { PassThrough } from 'node:stream';
import type { ArtifactBody, ArtifactStore, StoredObject } from '../../artifacts/artifact-store.ts';
import { putArtifact } from '../../artifacts/put-artifact.ts';
import { writeTo } from '../../lib/bytes/write-to.ts';
import { randomId } from '../arrivals/store-file.ts';
import type { StreamName } from '../stream-set-names.ts';

/** Number of parts that wait in memory. */
const WAITING = 1;

/** A file of a dump that is stored while it is written. Clients do not know of it until a dump names it. */
export class ArtifactFile {
  readonly #stream = new PassThrough({ objectMode: true, highWaterMark: WAITING });
  readonly #stored: Promise<StoredObject>;

  /** @param encode converts the parts into the stored bytes */
  constructor(
    artifacts: Pick<ArtifactStore, 'put'>,
    { organization, stream }: StreamName,
    encode: (parts: AsyncIterable<Buffer>) => ArtifactBody = (parts) => parts,
  ) {
    const key = { kind: 'stream-dump', organization, stream, id: randomId() } as const;
    const options = { hashes: ['sha-256'], sparesMemory: true } as const;
    this.#stored = putArtifact(artifacts, key, encode(this.#stream), options);
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
  end(): Promise<StoredObject> {
    this.#stream.end();
    return this.#stored;
  }

  /** Ends the file without an artifact, unless it is already stored. Returns the stored artifact, if any. */
  async abandon(): Promise<StoredObject | undefined> {
    if (!this.#stream.writableEnded) this.#stream.destroy(new Error('the dump is given up'));
    return this.#stored.catch(() => undefined);
  }
}
