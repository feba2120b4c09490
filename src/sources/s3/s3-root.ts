import { tmpdir } from 'node:os';
import { setImmediate } from 'node:timers/promises';
import { isTidemarkError } from '../../core/errors.ts';
import type { HashAlgorithm, Hashes } from '../../core/hash.ts';
import { RunningHashes } from '../../core/running-hashes.ts';
import {
  type Exclusions,
  exclusionsOf,
  IGNORE_FILE,
  isLeftOut,
  MOST_IGNORE_BYTES,
  type RootPatterns,
} from '../../lib/glob/exclusions.ts';
import { parseS3Location, type S3Location } from '../../lib/s3/s3-location.ts';
import type {
  ContentRoot,
  DigestOptions,
  FileDigest,
  PresignedUse,
  RootEntry,
  RootFile,
  RootProblem,
  RootWatch,
  WantedCopy,
} from '../content-root.ts';
import { noSuchFile } from '../file-errors.ts';
import { isPlainPath } from '../plain-path.ts';
import type { RootLocation, S3Settings } from '../root-location.ts';
import type { LeavesOut } from '../served-source.ts';
import { listedOnly } from './object-error.ts';
import { type EntryOf, entriesOf } from './s3-entries.ts';
import { S3File } from './s3-file.ts';
import { SortedEntries } from './sorted-entries.ts';
import type { KnownObject, S3Object, SourceBucket } from './source-bucket.ts';
import { watchS3 } from './watch-s3.ts';

/** Milliseconds for which the exclusions stay valid, except for a list of everything. */
const MOST_AGE = 60_000;
/** Milliseconds of work between two pauses. */
const SLICE = 10;
/** Bytes that are read before a response begins: sending them at once costs less than a stream. */
const SMALL = 65_536;

const NO_COPY: WantedCopy = { mostBytes: -1 };
const DEFAULTS: S3Settings = { timeoutMs: 30_000, pollIntervalMs: 300_000 };

/**
 * The objects below a prefix of a bucket. A list of everything is complete before the first batch is returned. A digest
 * contains the hashes that the root was opened for, and those that are known without reading the object; if there are
 * none, the object is read once for its sha-256.
 */
export class S3Root implements ContentRoot {
  readonly hashes: readonly HashAlgorithm[];
  readonly digestsAtOnce = 16;
  readonly #location: S3Location;
  readonly #settings: S3Settings;
  readonly #patterns: RootPatterns;
  readonly #scratchFolder: string;
  #opened: Promise<SourceBucket> | undefined;
  #exclusions: { readonly text: string; readonly readAt: number; readonly excludes: Exclusions } | undefined;

  /** @throws TidemarkError `invalid` for an invalid location */
  constructor({ root, exclude, ownFiles, hashes = [], s3, scratchFolder = tmpdir() }: RootLocation) {
    this.#location = parseS3Location(root);
    this.#settings = { ...DEFAULTS, ...s3 };
    this.#patterns = { exclude, ownFiles };
    this.#scratchFolder = scratchFolder;
    this.hashes = [...new Set(hashes)];
  }

  async *list(under = ''): AsyncGenerator<readonly RootEntry[]> {
    const bucket = await this.#bucket();
    const entryOf = entriesOf(await (under === '' ? this.#readExcludes(bucket) : this.#knownExcludes(bucket)));
    const sorted = new SortedEntries(this.#scratchFolder);
    try {
      for await (const objects of objectsUnder(bucket, under)) {
        for (const entry of await entriesOfPage(objects, entryOf)) sorted.add(entry);
      }
      yield* sorted.batches();
    } finally {
      sorted.close();
    }
  }

  async isEmpty(): Promise<boolean> {
    const bucket = await this.#bucket();
    const entryOf = entriesOf(await this.#readExcludes(bucket));
    for await (const objects of bucket.pages('')) {
      if ((await entriesOfPage(objects, entryOf)).length > 0) return false;
    }
    return true;
  }

  async leavesOut(): Promise<LeavesOut> {
    const excludes = await this.#knownExcludes(await this.#bucket());
    return (path) => isLeftOut(excludes, path);
  }

  /** Costs one request: HEAD, or with `isWhole` the GET that also has the bytes. */
  async open(path: string, isWhole = false): Promise<RootFile> {
    if (!isPlainPath(path)) throw noSuchFile(path);
    const bucket = await this.#bucket();
    await this.#requireListed(bucket, path);
    if (!isWhole) return new S3File(bucket, await bucket.head(path));
    const { object, body } = await bucket.get(path);
    const file = new S3File(bucket, object, body);
    try {
      if (object.length <= SMALL) await file.load();
      return file;
    } catch (error) {
      // Nothing of the older version has been sent yet.
      if (isTidemarkError(error, 'conflict')) return this.open(path);
      throw error;
    }
  }

  async digest(path: string, { signal, copied: { mostBytes } = NO_COPY }: DigestOptions = {}): Promise<FileDigest> {
    signal?.throwIfAborted();
    if (!isPlainPath(path)) throw noSuchFile(path);
    const bucket = await this.#bucket();
    const object = await headListed(bucket, path, signal);
    const { length, mtime, etag, mime } = object;
    const bytes = length <= mostBytes ? await bytesOf(new S3File(bucket, object).stream(undefined, signal)) : undefined;
    const read = await this.#readHashes(object, () => bytes ?? new S3File(bucket, object).stream(undefined, signal));
    return {
      length,
      mtime,
      ...(bytes !== undefined && { bytes: Buffer.concat(bytes) }),
      hashes: { ...object.hashes, ...read },
      ...(etag !== undefined && { tag: etag }),
      ...(mime !== undefined && { mime }),
    };
  }

  async watch(onChange: (path: string) => void, onProblem: (problem: RootProblem) => void): Promise<RootWatch> {
    return watchS3(await this.#bucket(), { interval: this.#settings.pollIntervalMs, onChange, onProblem });
  }

  async presign(path: string, use: PresignedUse): Promise<string> {
    const bucket = await this.#bucket();
    await this.#requireListed(bucket, path);
    return bucket.presign(path, use);
  }

  close(): void {
    // A client that could not be loaded has no connections.
    this.#opened?.then((bucket) => bucket.close()).catch(() => {});
  }

  /** Computes the requested hashes that are not known. */
  async #readHashes(
    object: KnownObject,
    read: () => AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  ): Promise<Hashes> {
    const known = Object.keys(object.hashes);
    const missing = this.hashes.filter((algorithm) => !known.includes(algorithm));
    if (missing.length === 0 && known.length === 0) missing.push('sha-256');
    if (missing.length === 0) return {};
    const running = new RunningHashes(missing);
    for await (const chunk of read()) running.update(chunk);
    return running.digest();
  }

  async #requireListed(bucket: SourceBucket, path: string): Promise<void> {
    if (isLeftOut(await this.#knownExcludes(bucket), path)) throw noSuchFile(path);
  }

  /** Reading the exclusions costs a request: except for a list of everything, recently read ones are used. */
  async #knownExcludes(bucket: SourceBucket): Promise<Exclusions> {
    const known = this.#exclusions;
    return known !== undefined && Date.now() - known.readAt < MOST_AGE ? known.excludes : this.#readExcludes(bucket);
  }

  async #readExcludes(bucket: SourceBucket): Promise<Exclusions> {
    const readAt = Date.now();
    const text = await this.#ignoreText(bucket);
    const known = this.#exclusions;
    const excludes = known?.text === text ? known.excludes : exclusionsOf(this.#patterns, text);
    this.#exclusions = { text, readAt, excludes };
    return excludes;
  }

  async #ignoreText(bucket: SourceBucket): Promise<string> {
    try {
      return (await bucket.readText(IGNORE_FILE, MOST_IGNORE_BYTES)) ?? '';
    } catch (error) {
      // When the bucket cannot even be listed, that is the error to report.
      await bucket.requireExists();
      throw error;
    }
  }

  /** The client takes 100 milliseconds to load, and most commands do not need it. */
  #bucket(): Promise<SourceBucket> {
    this.#opened ??= import('./source-bucket.ts').then(
      ({ SourceBucket }) => new SourceBucket(this.#location, this.#settings),
    );
    return this.#opened;
  }
}

/** Lets other code run between slices of work: comparing a thousand names with thousands of patterns takes seconds. */
async function entriesOfPage(objects: readonly S3Object[], entryOf: EntryOf): Promise<readonly RootEntry[]> {
  const entries: RootEntry[] = [];
  let began = performance.now();
  for (const object of objects) {
    const entry = entryOf(object);
    if (entry !== undefined) entries.push(entry);
    if (performance.now() - began < SLICE) continue;
    await setImmediate();
    began = performance.now();
  }
  return entries;
}

/**
 * The HEAD of an object that a list contains. If a list still contains an object that was not found, scanning again
 * does not help: the object was not just deleted.
 */
async function headListed(bucket: SourceBucket, path: string, signal: AbortSignal | undefined): Promise<KnownObject> {
  try {
    return await bucket.head(path, signal);
  } catch (error) {
    const isListedOnly = isTidemarkError(error, 'not-found') && (await bucket.isListed(path));
    throw isListedOnly ? listedOnly(path, error) : error;
  }
}

/** The object at a path, and all objects below it. Usually one page contains them all. */
async function* objectsUnder(bucket: SourceBucket, under: string): AsyncGenerator<readonly S3Object[]> {
  if (under === '') return yield* bucket.pages('');
  const { objects, isLast } = await bucket.firstPage(under);
  yield objects.filter(({ path }) => path === under || path.startsWith(`${under}/`));
  if (!isLast) yield* bucket.pages(`${under}/`);
}

async function bytesOf(stream: AsyncIterable<Buffer>): Promise<readonly Buffer[]> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return chunks;
}
