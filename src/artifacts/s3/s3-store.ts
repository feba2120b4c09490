import { buffer } from 'node:stream/consumers';
import { mapInOrder } from '../../lib/calls/map-in-order.ts';
import { unlessAborted } from '../../lib/calls/unless-aborted.ts';
import type { ListedS3Object } from '../../lib/s3/read-list.ts';
import type { S3ClientSettings } from '../../lib/s3/s3-client.ts';
import { describeS3, type S3Location } from '../../lib/s3/s3-location.ts';
import type {
  ArtifactBody,
  ArtifactStore,
  GetOptions,
  ListedObject,
  ObjectKey,
  ObjectRange,
  OpenObject,
  PutOptions,
  SmallObject,
  StoredObject,
} from '../artifact-store.ts';
import { isPlainKey, requirePlainKey } from '../plain-key.ts';
import { requireRange } from '../store-errors.ts';

const WRITES_AT_ONCE = 16;

/** Stores artifacts as objects below a prefix of a bucket, which must exist. */
export class S3Store implements ArtifactStore {
  readonly name: string;
  readonly #location: S3Location;
  readonly #settings: S3ClientSettings;
  #opened: Promise<Parts> | undefined;
  #swept: Promise<void> | undefined;
  #probed: Promise<void> | undefined;

  constructor(location: S3Location, settings: S3ClientSettings) {
    this.name = describeS3(location);
    this.#location = location;
    this.#settings = settings;
  }

  pathOf(key: ObjectKey): string {
    const { bucket, prefix } = this.#location;
    return `s3a://${bucket}/${prefix}${key}`;
  }

  async put(key: ObjectKey, body: ArtifactBody, options: PutOptions = {}): Promise<StoredObject> {
    requirePlainKey(key);
    const { requests, upload, abortAbandonedUploads } = await this.#parts();
    await unlessAborted(this.#requireConditionalWrites(), options.signal);
    this.#swept ??= abortAbandonedUploads(requests);
    return upload(requests, { ...options, store: this.name, key, body });
  }

  async putAll(objects: readonly SmallObject[], { contentType }: Pick<PutOptions, 'contentType'> = {}): Promise<void> {
    const write = ({ key, bytes }: SmallObject) =>
      this.put(key, [bytes], { contentType, hashes: ['sha-256'], restores: true });
    for await (const _ of mapInOrder(objects, WRITES_AT_ONCE, write));
  }

  async get(key: ObjectKey, options: GetOptions = {}): Promise<OpenObject> {
    requirePlainKey(key);
    requireRange(options.range);
    options.signal?.throwIfAborted();
    const { bucket, openObject } = await this.#parts();
    return openObject(bucket, { ...options, store: this.name, key });
  }

  async readSmall(key: ObjectKey, range?: ObjectRange): Promise<Buffer> {
    return buffer((await this.get(key, { range })).body);
  }

  async delete(key: ObjectKey): Promise<void> {
    requirePlainKey(key);
    const { bucket, requests } = await this.#parts();
    try {
      await requests.delete(key);
    } catch (error) {
      throw bucket.errorOf(error);
    }
  }

  async deleteOlder(key: ObjectKey, than: number): Promise<boolean> {
    const found = await this.head(key);
    if (found === undefined || found.modified >= than) return false;
    await this.delete(key);
    return true;
  }

  async head(key: ObjectKey): Promise<ListedObject | undefined> {
    requirePlainKey(key);
    const { bucket } = await this.#parts();
    const found = await bucket.find(key);
    return found === undefined ? undefined : listed(found);
  }

  async *list(prefix: string): AsyncGenerator<readonly ListedObject[]> {
    requireFolder(prefix.slice(0, prefix.lastIndexOf('/') + 1));
    const { bucket } = await this.#parts();
    let last = '';
    for await (const page of bucket.pages(prefix)) {
      const found = page.objects.filter(({ key }) => isPlainKey(key)).map(listed);
      for (const { key } of found) {
        if (key <= last) throw bucket.brokenAnswer('does not list in the order of the keys');
        last = key;
      }
      if (found.length > 0) yield found;
    }
  }

  async folders(under: string): Promise<readonly string[]> {
    requireFolder(under);
    const { bucket } = await this.#parts();
    const folders: string[] = [];
    for await (const page of bucket.pages(under, '/')) folders.push(...page.folders);
    // Sorted with their slashes, as the keys below them are.
    const names = folders.sort().map((folder) => folder.slice(under.length, -1));
    return names.filter(isPlainKey);
  }

  async objects(under: string): Promise<readonly ListedObject[]> {
    requireFolder(under);
    const { bucket } = await this.#parts();
    const found: ListedObject[] = [];
    for await (const page of bucket.pages(under, '/')) {
      found.push(...page.objects.filter(({ key }) => isPlainKey(key)).map(listed));
    }
    return found;
  }

  async removeUnfinished(before: number): Promise<number> {
    const { bucket, requests, removeUnfinished } = await this.#parts();
    try {
      return await removeUnfinished(requests, before);
    } catch (error) {
      throw bucket.errorOf(error);
    }
  }

  async close(): Promise<void> {
    const opened = await this.#opened;
    await this.#swept;
    opened?.bucket.close();
  }

  /** Checks once in a store that writes. After a failure, the next `put` checks again. */
  async #requireConditionalWrites(): Promise<void> {
    const { requests, requireConditionalWrites } = await this.#parts();
    this.#probed ??= requireConditionalWrites(requests).catch((error: unknown) => {
      this.#probed = undefined;
      throw error;
    });
    await this.#probed;
  }

  /** Loaded only when needed: the client takes 100 milliseconds to load, and most commands do not use it. */
  #parts(): Promise<Parts> {
    this.#opened ??= load(this.#location, this.#settings);
    return this.#opened;
  }
}

type Parts = Awaited<ReturnType<typeof load>>;

async function load(location: S3Location, settings: S3ClientSettings) {
  const [{ Bucket }, { WriteRequests }, ...functions] = await Promise.all([
    import('../../lib/s3/bucket.ts'),
    import('../../lib/s3/write-requests.ts'),
    import('./require-conditional-writes.ts'),
    import('./s3-upload.ts'),
    import('./s3-reader.ts'),
    import('./abandoned-uploads.ts'),
  ]);
  const [{ requireConditionalWrites }, { upload }, { openObject }, { abortAbandonedUploads, removeUnfinished }] =
    functions;
  const bucket = new Bucket(location, settings, 'artifacts');
  return {
    bucket,
    requests: new WriteRequests(bucket),
    requireConditionalWrites,
    upload,
    openObject,
    abortAbandonedUploads,
    removeUnfinished,
  };
}

function requireFolder(under: string): void {
  if (under !== '') requirePlainKey(under.replace(/\/$/, ''));
}

function listed({ key, length, lastModified }: ListedS3Object): ListedObject {
  return { key, length, modified: lastModified.getTime() };
}
