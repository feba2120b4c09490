import { TidemarkError } from '../../core/errors.ts';
import { type Backoff, pauseAfter, retry } from '../../lib/calls/retry.ts';
import { formatBytes } from '../../lib/format-bytes.ts';
import { failureOf } from '../../lib/s3/s3-failure.ts';
import type { NewObject, UploadedPart, WriteRequests } from '../../lib/s3/write-requests.ts';
import type { ArtifactBody, ObjectKey, PutOptions, StoredObject } from '../artifact-store.ts';
import { OWN_MEMORY, SHARED_MEMORY } from '../block-memory.ts';
import { BLOCK_BYTES, type Block, cutIntoBlocks } from '../blocks.ts';
import { BlockHasher } from '../hashing/block-hasher.ts';
import { keyTaken } from '../store-errors.ts';

export const MOST_PARTS = 10_000;
const PARTS_UNDER_WAY = 4;
/** The smallest size of a part that S3 accepts, in bytes. */
export const SMALL_PART_BYTES = 5 * 1024 * 1024;
const MOST_ATTEMPTS = 6;
const BACKOFF: Backoff = { firstMs: 50, longestMs: 1_000 };

interface UploadTask extends PutOptions {
  /** The name of the store in errors. */
  readonly store: string;
  readonly key: ObjectKey;
  readonly body: ArtifactBody;
}

/**
 * Writes an object: in one request if it has only one block, otherwise in parts. The last request creates the object,
 * unless the key exists. An upload that fails is aborted, and leaves nothing.
 * @param mostParts for tests
 */
export async function upload(requests: WriteRequests, task: UploadTask, mostParts = MOST_PARTS): Promise<StoredObject> {
  const upload = new Upload(requests, task, mostParts);
  try {
    return await upload.run();
  } catch (error) {
    await upload.abort();
    throw error;
  } finally {
    upload.end();
  }
}

class Upload {
  readonly #requests: WriteRequests;
  readonly #task: UploadTask;
  readonly #object: NewObject;
  readonly #hasher: BlockHasher;
  /** All parts but the last have it: some servers accept no others. */
  readonly #partBytes: number;
  readonly #mostParts: number;
  readonly #parts: UploadedPart[] = [];
  #only: Uint8Array | undefined;
  #uploadId: Promise<string> | undefined;

  constructor(requests: WriteRequests, task: UploadTask, mostParts: number) {
    const { key, contentType, hashes, restores, sparesMemory } = task;
    this.#requests = requests;
    this.#task = task;
    this.#mostParts = mostParts;
    this.#hasher = new BlockHasher(hashes);
    this.#partBytes = sparesMemory ? SMALL_PART_BYTES : BLOCK_BYTES;
    this.#object = { path: key, contentType, restores, id: crypto.randomUUID() };
  }

  async run(): Promise<StoredObject> {
    const { key, body, signal, sparesMemory = false } = this.#task;
    const mostUnderWay = sparesMemory ? 1 : PARTS_UNDER_WAY;
    const length = await cutIntoBlocks(body, {
      mostUnderWay,
      size: this.#partBytes,
      memory: this.#hasher.usesThreads ? SHARED_MEMORY : OWN_MEMORY,
      signal,
      take: (block) => this.#take(block),
    });
    const hashes = await this.#hasher.digest();
    signal?.throwIfAborted();
    await this.#finish();
    return { key, length, hashes };
  }

  async abort(): Promise<void> {
    // The caller gets the first error. A later process aborts what remains of the upload.
    const id = await this.#uploadId?.catch(() => undefined);
    if (id !== undefined) await abortForGood(this.#requests, this.#task.key, id).catch(() => {});
  }

  end(): void {
    this.#hasher.end();
  }

  async #take(block: Block): Promise<void> {
    try {
      await Promise.all([this.#hasher.update(block), this.#send(block)]);
    } catch (error) {
      this.#task.signal?.throwIfAborted();
      throw this.#requests.bucket.errorOf(error);
    }
  }

  async #send({ bytes, at, isOnly }: Block): Promise<void> {
    if (isOnly) {
      this.#only = bytes.slice();
      return;
    }
    if (at >= this.#mostParts) throw tooLong(this.#task.key, this.#mostParts * this.#partBytes);
    this.#uploadId ??= this.#begin();
    const part = { path: this.#task.key, UploadId: await this.#uploadId, at, body: bytes };
    this.#parts.push(await this.#requests.uploadPart(part, this.#task.signal));
  }

  async #begin(): Promise<string> {
    const { store, key, signal, restores } = this.#task;
    // If the key exists, the body need not be read.
    if (!restores && (await this.#isTaken())) throw keyTaken(store, key);
    return this.#requests.beginUpload(this.#object, signal);
  }

  /** Completes the upload, which creates the object. */
  async #finish(): Promise<void> {
    const { key, store, signal, restores } = this.#task;
    let isContended = false;
    const isTemporary = (error: unknown, failures: number): boolean => {
      const { status } = failureOf(error);
      // 409: another request is writing the object, and may still fail. Amazon S3 may then forget the upload (404).
      isContended = status === 409 || (status === 404 && failures > 1);
      return isContended && failures < MOST_ATTEMPTS;
    };
    try {
      await retry(() => this.#write(), { ...BACKOFF, signal, isTemporary });
    } catch (error) {
      signal?.throwIfAborted();
      if (restores && isContended && (await this.#isTaken())) return;
      if (failureOf(error).status === 412 || (isContended && (await this.#isTaken()))) throw keyTaken(store, key);
      throw isContended ? writtenByOther(store, key) : this.#requests.bucket.errorOf(error);
    }
  }

  /** If the response is an error or was lost, the metadata of the object shows which `put` wrote it. */
  async #write(): Promise<void> {
    const { key, signal } = this.#task;
    try {
      await this.#request();
    } catch (error) {
      const writer = await this.#requests.writerOf(key).catch(() => undefined);
      if (writer === this.#object.id) return;
      signal?.throwIfAborted();
      throw error;
    }
  }

  async #isTaken(): Promise<boolean> {
    return (await this.#requests.bucket.find(this.#task.key)) !== undefined;
  }

  async #request(): Promise<void> {
    const { key, signal, restores } = this.#task;
    if (this.#only !== undefined) return this.#requests.put(this.#object, this.#only, signal);
    const uploaded = { path: key, UploadId: await this.#uploadId!, parts: this.#parts, restores };
    await this.#requests.completeUpload(uploaded, signal);
  }
}

/**
 * A part that arrives late may recreate an aborted upload, so it is aborted until the server does not know it any
 * more.
 */
async function abortForGood(requests: WriteRequests, key: ObjectKey, id: string): Promise<void> {
  for (let attempt = 1; attempt <= MOST_ATTEMPTS; attempt++) {
    try {
      await requests.abortUpload(key, id);
    } catch (error) {
      if (failureOf(error).status === 404) return;
      throw error;
    }
    await pauseAfter(attempt, BACKOFF);
  }
}

function writtenByOther(store: string, key: ObjectKey): TidemarkError {
  const message = `${key} is being written into the artifact store ${store} by another process; try again in some minutes`;
  return new TidemarkError('unavailable', message, { key, artifacts: store });
}

function tooLong(key: ObjectKey, most: number): TidemarkError {
  const message = `${key} is longer than an object on S3 can be here, ${formatBytes(most)}`;
  return new TidemarkError('invalid', message, { key });
}
