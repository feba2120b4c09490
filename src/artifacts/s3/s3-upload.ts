import { setTimeout as wait } from 'node:timers/promises';
import { TidemarkError } from '../../core/errors.ts';
import { failureOf } from '../../lib/s3/s3-failure.ts';
import type { ArtifactBody, ObjectKey, PutOptions, StoredObject } from '../artifact-store.ts';
import { BLOCK_BYTES, type Block, pumpBlocks } from '../blocks.ts';
import { BlockHasher } from '../hashing/block-hasher.ts';
import { keyTaken } from '../store-errors.ts';
import { withClaim } from './key-claim.ts';
import type { NewObject, UploadedPart, WriteRequests } from './write-requests.ts';

const MOST_PARTS = 10_000;
const MOST_ABORTS = 5;
/** Milliseconds before an upload is aborted again. */
const PAUSE = 50;

export interface UploadTask extends PutOptions {
  /** As errors name it. */
  readonly store: string;
  readonly key: ObjectKey;
  readonly body: ArtifactBody;
}

/**
 * Writes an object: in one request when it has but one block, else in parts that are put together at the end. Only that last request is
 * made under a claim. An upload that fails is aborted, and leaves nothing.
 */
export async function upload(requests: WriteRequests, task: UploadTask): Promise<StoredObject> {
  const upload = new Upload(requests, task);
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
  readonly #hasher = new BlockHasher();
  readonly #parts: UploadedPart[] = [];
  #only: Uint8Array | undefined;
  #uploadId: Promise<string> | undefined;

  constructor(requests: WriteRequests, task: UploadTask) {
    const { key, contentType } = task;
    this.#requests = requests;
    this.#task = task;
    this.#object = { path: key, contentType, id: crypto.randomUUID() };
  }

  async run(): Promise<StoredObject> {
    const { key, body, store, signal } = this.#task;
    const length = await pumpBlocks(body, { signal, take: (block) => this.#take(block) });
    const hashes = await this.#hasher.digest();
    signal?.throwIfAborted();
    await withClaim(this.#requests, key, { store, signal }, () => this.#finish());
    return { key, length, hashes };
  }

  async abort(): Promise<void> {
    // Whatever is wrong with the server, what failed first is told; what stays of the upload is found by the next one.
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
      this.#only = bytes;
      return;
    }
    if (at >= MOST_PARTS) throw tooLong(this.#task.key);
    this.#uploadId ??= this.#begin();
    const part = { path: this.#task.key, UploadId: await this.#uploadId, at, body: bytes };
    this.#parts.push(await this.#requests.uploadPart(part, this.#task.signal));
  }

  async #begin(): Promise<string> {
    const { store, key, signal } = this.#task;
    // The rest of a body need not be read when its key is taken already.
    if ((await this.#requests.bucket.find(key)) !== undefined) throw keyTaken(store, key);
    return this.#requests.beginUpload(this.#object, signal);
  }

  /** Makes the object exist. When the answer is an error, or was lost, the object itself tells who wrote it. */
  async #finish(): Promise<void> {
    const { key, store, signal } = this.#task;
    try {
      await this.#request(true);
      return;
    } catch (error) {
      const outcome = await this.#requests.writerOf(key).catch(() => undefined);
      if (outcome === this.#object.id) return;
      signal?.throwIfAborted();
      const { name, status } = failureOf(error);
      if (status === 412) throw keyTaken(store, key);
      if (status !== 501 && name !== 'NotImplemented') throw this.#requests.bucket.errorOf(error);
    }
    // A server that refuses the condition: the claim keeps others away.
    await this.#request(false).catch((error: unknown) => {
      throw this.#requests.bucket.errorOf(error);
    });
  }

  async #request(onlyNew: boolean): Promise<void> {
    const { key, signal } = this.#task;
    if (this.#only !== undefined) return this.#requests.put(this.#object, this.#only, { onlyNew, signal });
    const uploaded = { path: key, UploadId: await this.#uploadId!, parts: this.#parts };
    await this.#requests.completeUpload(uploaded, { onlyNew, signal });
  }
}

/** A part that was under way when an upload was aborted may bring it back: so it is aborted until the server does not know it. */
async function abortForGood(requests: WriteRequests, key: ObjectKey, id: string): Promise<void> {
  for (let pause = PAUSE, attempt = 0; attempt < MOST_ABORTS; attempt++, pause *= 2) {
    try {
      await requests.abortUpload(key, id);
    } catch (error) {
      if (failureOf(error).status === 404) return;
      throw error;
    }
    await wait(pause);
  }
}

function tooLong(key: ObjectKey): TidemarkError {
  const gigabytes = Math.floor((MOST_PARTS * BLOCK_BYTES) / 1024 ** 3);
  return new TidemarkError('invalid', `${key} is longer than an object on S3 can be here, ${gigabytes} GB`, { key });
}
