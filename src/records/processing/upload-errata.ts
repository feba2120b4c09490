import { PassThrough } from 'node:stream';
import type { ArtifactStore, StoredObject } from '../../artifacts/artifact-store.ts';
import type { UploadReadingKey } from '../../artifacts/keys/stream-keys.ts';
import { putArtifact } from '../../artifacts/put-artifact.ts';
import { writeTo } from '../../lib/write-to.ts';
import type { UploadErratum } from '../arrivals/upload-state.ts';

/**
 * Most characters of an id and of a reason that are kept, since field 001 may have any length. So no line is above 64
 * kB.
 */
const MOST_ID = 255;
const MOST_REASON = 2_000;
/** Most errata of an upload: a file of a few kilobytes can unpack to millions of them. */
export const MOST_LISTED = 1_000_000;

/**
 * Writes the errata of an upload into an artifact as they are found; those beyond a million are left out. Without
 * errata there is no artifact.
 */
export class UploadErrata {
  readonly #artifacts: Pick<ArtifactStore, 'put'>;
  readonly #key: UploadReadingKey;
  readonly #mostListed: number;
  #listed = 0;
  #stream: PassThrough | undefined;
  #stored: Promise<StoredObject> | undefined;

  /** @param mostListed for tests */
  constructor(artifacts: Pick<ArtifactStore, 'put'>, key: UploadReadingKey, mostListed = MOST_LISTED) {
    this.#artifacts = artifacts;
    this.#key = key;
    this.#mostListed = mostListed;
  }

  /** @throws TidemarkError as `ArtifactStore.put` */
  async add({ id, reason, warning, ...place }: UploadErratum): Promise<void> {
    if (this.#listed === this.#mostListed) return;
    this.#listed += 1;
    const stream = this.#begin();
    const erratum: UploadErratum = {
      ...place,
      ...(id !== undefined && { id: shortened(id, MOST_ID) }),
      reason: shortened(reason, MOST_REASON),
      ...(warning && { warning }),
    };
    if (!(await writeTo(stream, `${JSON.stringify(erratum)}\n`))) await this.#stored;
  }

  /**
   * Returns the artifact when it is stored; undefined without errata. @throws TidemarkError as
   * `ArtifactStore.put`
   */
  async end(): Promise<StoredObject | undefined> {
    this.#stream?.end();
    return this.#stored;
  }

  /** Ends the file without an artifact. */
  async abandon(): Promise<void> {
    this.#stream?.destroy(new Error('the upload cannot be read'));
    await this.#stored?.catch(() => {});
  }

  #begin(): PassThrough {
    if (this.#stream !== undefined) return this.#stream;
    this.#stream = new PassThrough();
    // `abandon` destroys the stream; its errors are reported by `#stored`.
    this.#stream.on('error', () => {});
    const options = { hashes: ['sha-256'] } as const;
    this.#stored = putArtifact(this.#artifacts, this.#key, this.#stream, options);
    // A store that failed stops reading: this wakes the writer.
    this.#stored.catch(() => this.#stream?.destroy());
    return this.#stream;
  }
}

function shortened(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most - 1).toWellFormed()}…` : text;
}
