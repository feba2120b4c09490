import { formatKey, mediaTypeOf, type VersionKey } from '../../artifacts/artifact-key.ts';
import type { ArtifactStore, SmallObject } from '../../artifacts/artifact-store.ts';
import { putArtifact } from '../../artifacts/put-artifact.ts';
import type { SetId } from '../../core/resource-set.ts';
import { RunningHashes } from '../../core/running-hashes.ts';
import { failpoint } from '../../lib/failpoint.ts';
import type { ContentRoot, FileDigest } from '../content-root.ts';
import { changedMeanwhile } from '../file-errors.ts';

/** Where a set keeps its versions. */
export interface VersionStore {
  readonly set: SetId;
  readonly artifacts: Pick<ArtifactStore, 'put' | 'putAll' | 'head'>;
  /** Called when everything was scanned, and each version is stored. */
  onAllKept(): Promise<void>;
}

/** Files of at most so many bytes are kept as they were hashed; larger ones are read again. */
export const SMALL_BYTES = 256 * 1024;
/** Small files are stored together when they have so many bytes. */
const MOST_BYTES = 16 * 1024 * 1024;

/**
 * Versions that are younger than a day are never removed, so one that is half as old need not be written again.
 * Milliseconds.
 */
const SAFE_MS = 12 * 60 * 60 * 1000;

/** Keeps the bytes of the files that a comparison hashes, each digest once. */
export class VersionWriter {
  readonly #store: VersionStore;
  readonly #root: Pick<ContentRoot, 'open'>;
  #waiting = new Map<string, SmallObject>();
  #waitingBytes = 0;
  #writing: Promise<void> = Promise.resolve();

  constructor(store: VersionStore, root: Pick<ContentRoot, 'open'>) {
    this.#store = store;
    this.#root = root;
  }

  /**
   * Keeps the bytes of a file as it was hashed; `stored` says when they are durable.
   * @throws TidemarkError `conflict` or `not-found` when the file is another one by now; `unavailable` when the
   *   artifact store cannot be written
   */
  async keep(path: string, { hashes, bytes }: FileDigest): Promise<void> {
    const digest = hashes['sha-256'];
    if (digest === undefined) throw new Error(`"${path}" was hashed without sha-256`);
    const version: VersionKey = { kind: 'version', set: this.#store.set, digest };
    if (bytes === undefined) return this.#keepLarge(path, version);
    const key = formatKey(version);
    if (this.#waiting.has(key)) return;
    this.#waiting.set(key, { key, bytes });
    this.#waitingBytes += bytes.length;
    if (this.#waitingBytes >= MOST_BYTES) await this.#writeWaiting();
  }

  /**
   * Resolves when all bytes that were handed over are durable.
   * @throws TidemarkError `unavailable` when the artifact store cannot be written
   */
  async stored(): Promise<void> {
    await this.#writeWaiting();
    await this.#writing;
    failpoint('version.stored');
  }

  /** Begins to write. Resolves when what was begun before is written, so that memory has two of them at most. */
  #writeWaiting(): Promise<void> {
    const before = this.#writing;
    const objects = [...this.#waiting.values()];
    this.#waiting = new Map();
    this.#waitingBytes = 0;
    if (objects.length > 0) {
      this.#writing = before.then(() => this.#write(objects));
      // The next caller that awaits it gets the error.
      this.#writing.catch(() => {});
    }
    return before;
  }

  #write(objects: readonly SmallObject[]): Promise<void> {
    failpoint('version.writing');
    return this.#store.artifacts.putAll(objects, {
      contentType: mediaTypeOf({ kind: 'version', set: this.#store.set, digest: '' }),
    });
  }

  async #keepLarge(path: string, version: VersionKey): Promise<void> {
    const { artifacts } = this.#store;
    const key = formatKey(version);
    const found = await artifacts.head(key);
    if (found !== undefined && Date.now() - found.modified < SAFE_MS) return;
    await putArtifact(artifacts, version, this.#read(path, version.digest), { hashes: ['sha-256'], restores: true });
  }

  /** The bytes of a file. It fails before their end when they have another digest: then nothing is stored. */
  async *#read(path: string, digest: string): AsyncGenerator<Uint8Array> {
    const file = await this.#root.open(path, true);
    const hashes = new RunningHashes(['sha-256']);
    for await (const chunk of file.bytes === undefined ? file.stream() : [file.bytes]) {
      hashes.update(chunk);
      yield chunk;
    }
    if (hashes.digest()['sha-256'] !== digest) throw changedMeanwhile(path);
  }
}
