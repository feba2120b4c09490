import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { TidemarkError } from '../../../../core/errors.ts';
import { mapInOrder } from '../../../../lib/calls/map-in-order.ts';
import type { Bucket } from '../../../../lib/s3/bucket.ts';
import { readResuming } from '../../../../lib/s3/read-resuming.ts';
import { failureOf, nameOf } from '../../../../lib/s3/s3-failure.ts';
import type { WriteRequests } from '../../../../lib/s3/write-requests.ts';
import { OWN_PREFIX } from '../../names/safe-name.ts';
import type { MirrorTarget, PublishedFile, RejectedPath, StagedFile, UnfinishedFile } from '../mirror-target.ts';
import { requireClaim } from './bucket-claim.ts';
import { UploadJournal } from './upload-journal.ts';
import { abortUpload, md5Of, S3File, type StagedObject } from './uploaded-file.ts';

/** Short files stay in memory until they are published, while the next ones are gathered. */
const MOST_STAGED_BYTES = 32 * 1024 * 1024;
const AT_ONCE = 16;
/** The prefix for kept deleted files. */
const KEPT = `${OWN_PREFIX}-deleted`;
/** The server rejects this object, and maybe no other: its key is too long, or its bytes were damaged on the way. */
const REFUSED = [400, 409, 413];

interface TargetParts {
  readonly requests: WriteRequests;
  /** The id of the copy in the bucket's claim. */
  readonly claim: string;
  /** A local folder of this target alone. */
  readonly own: string;
}

/** A target whose files are objects below a prefix of a bucket. */
export class S3Target implements MirrorTarget {
  readonly name: string;
  readonly mostStagedBytes = MOST_STAGED_BYTES;
  readonly readsAtOnce = AT_ONCE;
  readonly writesAtOnce = 1;
  readonly keepsNames = true;
  readonly #bucket: Bucket;
  readonly #requests: WriteRequests;
  readonly #claim: string;
  readonly #journal: UploadJournal;
  readonly #staged = new Map<StagedFile, StagedObject>();
  readonly #closed = new AbortController();

  private constructor({ requests, claim, own }: TargetParts) {
    this.name = requests.bucket.name;
    this.#bucket = requests.bucket;
    this.#requests = requests;
    this.#claim = claim;
    this.#journal = new UploadJournal(join(own, 'uploads'));
  }

  /**
   * Opens the target, and aborts uploads that a killed process has left.
   * @throws TidemarkError `unavailable`
   */
  static async open(parts: TargetParts): Promise<S3Target> {
    const target = new S3Target(parts);
    try {
      await target.#abortLeft();
    } catch (error) {
      throw target.#bucket.errorOf(error);
    }
    return target;
  }

  requireOwned(): Promise<void> {
    return requireClaim(this.#bucket, this.#claim);
  }

  begin(path: string, length: number | undefined): UnfinishedFile {
    const stage = (object: StagedObject) => {
      this.#staged.set(object.id, object);
      return object.id;
    };
    return new S3File({ requests: this.#requests, journal: this.#journal, path, length, stage });
  }

  async publish(files: readonly PublishedFile[]): Promise<readonly RejectedPath[]> {
    const rejected: RejectedPath[] = [];
    for await (const result of mapInOrder(files, AT_ONCE, ({ staged }) => this.#publish(staged))) {
      if (result !== undefined) rejected.push(result);
    }
    return rejected;
  }

  async remove(paths: readonly string[], keep: boolean): Promise<readonly RejectedPath[]> {
    const rejected: RejectedPath[] = [];
    for await (const result of mapInOrder(paths, AT_ONCE, (path) => this.#remove(path, keep))) {
      if (result !== undefined) rejected.push(result);
    }
    return rejected;
  }

  async lengthOf(path: string): Promise<number | undefined> {
    try {
      return (await this.#bucket.head(path)).ContentLength;
    } catch (error) {
      if (failureOf(error).status === 404) return undefined;
      throw this.#bucket.errorOf(error);
    }
  }

  async *read(path: string): AsyncGenerator<Buffer> {
    const length = await this.lengthOf(path);
    if (length === undefined) throw new TidemarkError('not-found', `${path} does not exist`);
    const signal = this.#closed.signal;
    const bucket = this.#bucket;
    yield* readResuming({
      start: 0,
      end: length - 1,
      signal,
      open: (from) => this.#open(path, from),
      tooLong: () => bucket.brokenAnswer(`sent more of ${path} than it has`),
      cutOff: (came) => bucket.brokenAnswer(`sent ${came} of the ${length} bytes of ${path}`),
      errorOf: (error) => bucket.errorOf(error),
    });
  }

  async *paths(): AsyncGenerator<string> {
    for await (const { objects } of this.#bucket.pages('')) {
      for (const { key } of objects) if (!key.startsWith(OWN_PREFIX)) yield key;
    }
  }

  async close(): Promise<void> {
    this.#closed.abort();
    const left = [...this.#staged.values()];
    this.#staged.clear();
    for (const object of left) await this.#abort(object);
    this.#bucket.close();
  }

  async #open(path: string, from: number): Promise<Readable> {
    try {
      return (await this.#bucket.get(path, { Range: `bytes=${from}-` }, this.#closed.signal)).Body as Readable;
    } catch (error) {
      const { name, status } = failureOf(error);
      if (status === 404 && name !== 'NoSuchBucket') throw new TidemarkError('not-found', `${path} does not exist`);
      throw this.#bucket.errorOf(error);
    }
  }

  /** Returns why an object cannot be created; undefined when it was. */
  async #publish(staged: StagedFile): Promise<RejectedPath | undefined> {
    const object = this.#staged.get(staged)!;
    this.#staged.delete(staged);
    try {
      await this.#write(object);
      this.#journal.remove(object.id);
      return undefined;
    } catch (error) {
      await this.#abort(object);
      return this.#rejected(object.path, error);
    }
  }

  async #write({ path, id, length, content }: StagedObject): Promise<void> {
    const named = { path, contentType: undefined, id, restores: true };
    if (content.kind === 'bytes') {
      const { bytes } = content;
      return this.#requests.put({ ...named, md5: md5Of(bytes) }, bytes);
    }
    const { UploadId, parts } = content;
    try {
      await this.#requests.completeUpload({ path, UploadId, parts, restores: true });
    } catch (error) {
      // The response may have been lost: the object shows which file it was made of.
      if ((await this.#requests.writerOf(path).catch(() => undefined)) !== id) throw error;
    }
    const found = await this.lengthOf(path);
    if (found === length) return;
    throw this.#bucket.brokenAnswer(`has ${found ?? 'none'} of the ${length} bytes of ${path}`);
  }

  async #remove(path: string, keep: boolean): Promise<RejectedPath | undefined> {
    try {
      const rejected = keep ? await this.#keep(path) : undefined;
      if (rejected === undefined) await this.#requests.delete(path);
      return rejected;
    } catch (error) {
      return this.#rejected(path, error);
    }
  }

  /**
   * Copies an object to the prefix of kept files. The bytes go through this process, because servers copy only objects
   * up to some length.
   */
  async #keep(path: string): Promise<RejectedPath | undefined> {
    const length = await this.lengthOf(path);
    if (length === undefined) return undefined;
    let kept = `${KEPT}/${path}`;
    for (let number = 2; (await this.lengthOf(kept)) !== undefined; number++) kept = `${KEPT}/${path}~${number}`;
    const file = this.begin(kept, length);
    try {
      for await (const chunk of this.read(path)) await file.write(chunk);
      return await this.#publish(await file.finish());
    } catch (error) {
      await file.discard();
      throw error;
    }
  }

  #rejected(path: string, error: unknown): RejectedPath {
    const failure = failureOf(error);
    if (!REFUSED.includes(failure.status ?? 0)) throw this.#bucket.errorOf(error);
    return { path, reason: `${this.name} does not take it (${nameOf(failure)})` };
  }

  async #abort({ path, id, content }: StagedObject): Promise<void> {
    if (content.kind === 'bytes') return;
    await abortUpload({ requests: this.#requests, journal: this.#journal }, { path, id, UploadId: content.UploadId });
  }

  async #abortLeft(): Promise<void> {
    for (const { name, path } of this.#journal.entries()) {
      const uploads = await this.#requests.openUploads(path);
      const left = uploads.filter((upload) => upload.path === path);
      for (const { uploadId } of left) await this.#requests.abortUpload(path, uploadId);
      this.#journal.remove(name);
    }
  }
}
