import { Mutex } from '../../../lib/calls/mutex.ts';
import type { ArchivingJob, BackendSession, DatasetBackend, StoredCopy } from '../../archiving.ts';
import type { DatasetFetcher } from '../../fetch/dataset-fetcher.ts';
import { digits14 } from '../../fetch/timestamp14.ts';
import { IngestFailure } from '../../ingest-failure.ts';
import type { PlatformFile } from '../../manifest.ts';
import { ByteBudget, type ByteLimits } from '../../strategies/byte-budget.ts';
import { compareWithManifest } from '../../strategies/compare-with-manifest.ts';
import { fetchFile } from '../../strategies/fetch-file.ts';
import { isStored } from '../../strategies/manifest-entry.ts';
import { OtherHashes } from '../../strategies/other-hashes.ts';
import { type HashedScratchFile, writeHashedScratchFile } from '../hashed-scratch-file.ts';
import { itemNameOf } from '../item-name.ts';
import { type ArchiveKeys, requireArchiveKeys } from './archive-keys.ts';
import { isAsStated } from './as-stated.ts';
import { poll, type Timing } from './attempts.ts';
import { sendFile } from './ias3.ts';
import { fileMetadataHeaders, metadataHeaders } from './item-headers.ts';
import { DATASET_FIELD, type ItemFile, type ItemState, readItem } from './item-metadata.ts';
import { itemPath } from './item-paths.ts';
import { type Service, serviceFailure } from './service.ts';

const BUNDLE = 0;

interface Ias3Options {
  readonly service: Service;
  /** The metadata API, and the files of items. */
  readonly metadata: Service;
  readonly keysFile: string | undefined;
  readonly fetcher: DatasetFetcher;
  readonly sending: Timing;
  /** Of questions whether an item has what it got. */
  readonly polling: Timing;
  readonly limits: ByteLimits;
  readonly scratchFolder: string;
}

/**
 * Sends files to an item of archive.org by IAS3. What differs from what the platform states is not sent. Nothing is
 * removed from an item: what an attempt has sent stays for the next one.
 */
export function ias3Backend(options: Ias3Options): DatasetBackend {
  return {
    kind: 'archiveorg',
    async open(job) {
      if (isItem(job, options)) return openItemItself(job, options);
      const keys = await requireArchiveKeys(options.keysFile);
      const { signal, dataset, folder } = job;
      const itemName = itemNameOf(dataset);
      const state = await readItem(options.metadata, itemName, signal);
      requireOwn(state, itemName, folder);
      return new ItemSession({ ...options, keys, itemName, state }, job);
    },
  };
}

/** Whether the dataset is an item of the archive.org that this backend writes to (d15). */
function isItem({ dataset }: ArchivingJob, { metadata }: Ias3Options): boolean {
  const { host } = new URL(metadata.url);
  return dataset.isArchiveorgItem === true && dataset.platformDomain.replace(/^www\./, '') === host;
}

/** @throws IngestFailure `item-conflict` */
function requireOwn(state: ItemState | undefined, itemName: string, folder: string): void {
  if (state === undefined || state.dataset === folder) return;
  const message = `archive.org has an item ${itemName} already, of something else: nothing was changed in it. Store the dataset here, without --dataset-archiveorg`;
  throw new IngestFailure('item-conflict', message);
}

/** The item is the copy: it is read, and never written to. */
async function openItemItself({ dataset, signal }: ArchivingJob, { metadata }: Ias3Options): Promise<BackendSession> {
  const itemName = dataset.platformId;
  const state = await readItem(metadata, itemName, signal);
  const copies = new Map<number, StoredCopy>();
  return {
    itemName,
    async existing(file, number) {
      const path = typeof file.extra?.path === 'string' ? file.extra.path : file.path;
      const copy = copyOf(state?.files.get(path), file, { number, terminalUrl: downloadUrl(metadata, itemName, path) });
      if (copy !== undefined) copies.set(number, copy);
      return copy;
    },
    async store({ path }) {
      const problem = `says of ${path} in the item ${itemName} something else than its page: try again later`;
      throw serviceFailure(metadata, problem);
    },
    async discard({ number }) {
      copies.delete(number);
    },
    finish: async () => copies,
    abandon: async () => {},
  };
}

interface OpenItem extends Ias3Options {
  readonly keys: ArchiveKeys;
  readonly itemName: string;
  readonly state: ItemState | undefined;
}

class ItemSession implements BackendSession {
  readonly itemName: string;
  readonly #item: OpenItem;
  readonly #job: ArchivingJob;
  readonly #budget: ByteBudget;
  #bundle: HashedScratchFile | undefined;
  readonly #copies = new Map<number, StoredCopy>();
  /** The first file makes the item, by itself: of two that make it at the same time, one would be refused. */
  readonly #making = new Mutex();
  /** By path: md5 of what was sent by this session. */
  readonly #sent = new Map<string, string>();

  constructor(item: OpenItem, job: ArchivingJob) {
    this.itemName = item.itemName;
    this.#item = item;
    this.#job = job;
    this.#budget = new ByteBudget(item.limits);
  }

  async existing(file: PlatformFile, number: number): Promise<StoredCopy | undefined> {
    const path = this.#pathOf(file);
    const terminalUrl = downloadUrl(this.#item.metadata, this.itemName, path);
    const copy = copyOf(this.#item.state?.files.get(path), file, { number, terminalUrl });
    if (copy !== undefined) this.#copies.set(number, copy);
    return copy;
  }

  async store(file: PlatformFile, number: number, onBytes: (count: number) => void): Promise<StoredCopy> {
    const { signal, options } = this.#job;
    const acceptMismatch = options.acceptMismatch === true;
    const { fetcher, metadata, scratchFolder: folder } = this.#item;
    const fetched = await fetchFile(file, { fetcher, signal, budget: this.#budget, acceptMismatch, onBytes });
    const others = new OtherHashes([file]);
    const scratch = await writeHashedScratchFile(others.tap(fetched.body), { folder, signal }).finally(() =>
      fetched.discard(),
    );
    const path = this.#pathOf(file);
    const copy: StoredCopy = {
      number,
      size: scratch.length,
      hashes: scratch.hashes,
      ...others.found(),
      ...(fetched.mimetype !== undefined && { mimetype: fetched.mimetype }),
      terminalUrl: downloadUrl(metadata, this.itemName, path),
      terminalDt: digits14(fetched.hops.at(-1)!.time),
      ...(number === BUNDLE && { read: (start, length) => scratch.read(start, length) }),
    };
    try {
      if (isStored(compareWithManifest(file, copy, acceptMismatch))) await this.#send(path, scratch);
    } finally {
      await this.#release(number, scratch);
    }
    this.#copies.set(number, copy);
    return copy;
  }

  /** The files of a bundle are read from it. */
  async #release(number: number, scratch: HashedScratchFile): Promise<void> {
    if (number !== BUNDLE) return scratch.close();
    await this.abandon();
    this.#bundle = scratch;
  }

  async #send(path: string, { hashes, length: size, read }: HashedScratchFile): Promise<void> {
    const { dataset, folder, signal } = this.#job;
    const headers = {
      ...metadataHeaders(dataset.archiveorgMetadata, { [DATASET_FIELD]: folder }),
      ...fileMetadataHeaders({ sha256: hashes['sha-256'] }),
    };
    const stated = dataset.files.reduce((sum, file) => sum + (file.size ?? 0), 0);
    const sent = { item: this.itemName, path, size, md5: hashes.md5, totalSize: Math.max(size, stated), headers };
    const send = async () => {
      await sendFile(this.#item, { ...sent, read: () => read(0, size) }, signal);
      this.#sent.set(path, hashes.md5);
    };
    const isMade = () => this.#item.state !== undefined || this.#sent.size > 0;
    const isFirst = !isMade() && (await this.#making.run(() => !isMade() && send().then(() => true), signal));
    if (!isFirst) await send();
  }

  #pathOf(file: PlatformFile): string {
    return itemPath(file, this.itemName, this.#job.dataset.files);
  }

  async discard({ number }: StoredCopy): Promise<void> {
    this.#copies.delete(number);
  }

  /** Waits until the item has what was sent: archive.org does it some time later. */
  async finish(): Promise<ReadonlyMap<number, StoredCopy>> {
    await this.abandon();
    if (this.#sent.size === 0) return this.#copies;
    const { metadata, polling } = this.#item;
    const { signal, folder } = this.#job;
    let missing: string | undefined;
    const whole = await poll(
      async () => {
        const state = await readItem(metadata, this.itemName, signal);
        requireOwn(state, this.itemName, folder);
        missing = [...this.#sent].find(([path, md5]) => state?.files.get(path)?.md5 !== md5)?.[0];
        return missing === undefined ? true : undefined;
      },
      { ...polling, signal },
    );
    if (whole === true) return this.#copies;
    const minutes = Math.round(polling.timeoutMs / 60_000);
    const problem = `has taken all files of the item ${this.itemName}, but does not list ${missing} with its md5 after ${minutes} minutes: try again later; what it lists by then is not sent again`;
    throw serviceFailure(metadata, problem);
  }

  async abandon(): Promise<void> {
    await this.#bundle?.close();
    this.#bundle = undefined;
  }
}

/** A file of an item as a copy; undefined unless it is what the platform states. */
function copyOf(
  stored: ItemFile | undefined,
  file: PlatformFile,
  of: Pick<StoredCopy, 'number' | 'terminalUrl'>,
): StoredCopy | undefined {
  const { size, md5, sha1, sha256 } = stored ?? {};
  if (size === undefined || md5 === undefined || sha1 === undefined) return undefined;
  const hashes = { md5, 'sha-1': sha1, ...(sha256 !== undefined && { 'sha-256': sha256 }) };
  const copy = { ...of, size, hashes };
  return isAsStated(file, copy) ? copy : undefined;
}

function downloadUrl({ url }: Service, item: string, path: string): string {
  return `${url}download/${item}/${path.split('/').map(encodeURIComponent).join('/')}`;
}
