import { formatKey, mediaTypeOf } from '../../artifacts/artifact-key.ts';
import type { ArtifactStore, Draft, Drafts, SmallObject } from '../../artifacts/artifact-store.ts';
import type { DraftPlace } from '../../artifacts/drafts.ts';
import type { VersionKey } from '../../artifacts/keys/set-keys.ts';
import { putArtifact } from '../../artifacts/put-artifact.ts';
import type { SetId } from '../../core/resource-set.ts';
import { RunningHashes } from '../../core/running-hashes.ts';
import { failpoint } from '../../lib/failpoint.ts';
import type { ContentRoot, FileDigest, WantedCopy } from '../content-root.ts';
import { changedMeanwhile } from '../file-errors.ts';
import { ReliedVersions, type Removals } from './relied-versions.ts';

/** The store of the versions of a set. */
export interface VersionStore {
  readonly set: SetId;
  readonly artifacts: Pick<ArtifactStore, 'put' | 'putAll' | 'beginDrafts' | 'head'>;
  /** The last run that removed versions of the set; undefined when there never was one. */
  lastRemovals(): Promise<Removals | undefined>;
  /** Called when a scan was complete and every version is stored. */
  onAllKept(): Promise<void>;
}

/** Largest file, in bytes, whose bytes are kept while it is hashed. A larger file is read again. */
const SMALL_BYTES = 256 * 1024;
/** Bytes of small files that are stored together. */
const MOST_BYTES = 16 * 1024 * 1024;

/**
 * Milliseconds. Versions younger than a day are never removed, so a version of half that age need not be written again.
 */
const SAFE_MS = 12 * 60 * 60 * 1000;

/** Stores the bytes of the files that a comparison hashes, once for each digest. */
export class VersionWriter {
  readonly #store: VersionStore;
  readonly #root: Pick<ContentRoot, 'open'>;
  readonly #waiting = new Map<string, SmallObject>();
  #drafts: Promise<Drafts> | undefined;
  readonly #drafted = new Map<string, Draft>();
  #waitingBytes = 0;
  #writing: Promise<void> = Promise.resolve();
  readonly #relied: ReliedVersions;

  constructor(store: VersionStore, root: Pick<ContentRoot, 'open'>) {
    this.#store = store;
    this.#relied = new ReliedVersions(store);
    this.#root = root;
  }

  /** The copy to request when the next file is hashed. */
  async wantedCopy(): Promise<WantedCopy> {
    this.#drafts ??= this.#store.artifacts.beginDrafts?.();
    return { mostBytes: SMALL_BYTES, draft: await (await this.#drafts)?.place() };
  }

  /**
   * Stores the bytes of a file that was hashed; `stored` resolves when they are durable.
   * @param draft where the bytes were written, when the digest is drafted
   * @throws TidemarkError `conflict` or `not-found` when the file has been replaced; `unavailable` when the artifact
   *   store cannot be written
   */
  async keep(path: string, { hashes, bytes, isDrafted }: FileDigest, draft?: DraftPlace): Promise<void> {
    const digest = hashes['sha-256'];
    if (digest === undefined) throw new Error(`"${path}" was hashed without sha-256`);
    const version: VersionKey = { kind: 'version', set: this.#store.set, digest };
    const key = formatKey(version);
    await this.#relied.add(key);
    if (isDrafted) this.#drafted.set(key, { key, path: draft!.path });
    else if (bytes !== undefined) await this.#keepBytes({ key, bytes });
    else await this.#keepLarge(path, version);
  }

  /**
   * Resolves when all bytes passed so far are durable; more may be passed meanwhile.
   * @throws TidemarkError `unavailable` when the artifact store cannot be written, or another process has removed some
   *   of the bytes meanwhile
   */
  async stored(): Promise<void> {
    const relied = this.#relied.take();
    this.#writeWaiting();
    await Promise.all([this.#writing, this.#keepDrafts([...this.#drafted.values()])]);
    await this.#relied.require(relied);
    failpoint('version.stored');
  }

  /** Drops what was passed since the last call of `stored`. */
  async discard(): Promise<void> {
    this.#relied.take();
    this.#waiting.clear();
    this.#waitingBytes = 0;
    // The writer has failed already, and leftover drafts are removed later.
    await this.#keepDrafts([]).catch(() => {});
  }

  async #keepDrafts(drafted: readonly Draft[]): Promise<void> {
    const drafts = this.#drafts;
    this.#drafts = undefined;
    this.#drafted.clear();
    if (drafted.length > 0) failpoint('version.writing');
    await (await drafts)?.keep(drafted);
  }

  async #keepBytes(object: SmallObject): Promise<void> {
    if (this.#waiting.has(object.key)) return;
    this.#waiting.set(object.key, object);
    this.#waitingBytes += object.bytes.length;
    if (this.#waitingBytes >= MOST_BYTES) await this.#writeWaiting();
  }

  /** Starts a write. Resolves when the previous write is done, so that memory has the bytes of two writes at most. */
  #writeWaiting(): Promise<void> {
    const before = this.#writing;
    const objects = [...this.#waiting.values()];
    this.#waiting.clear();
    this.#waitingBytes = 0;
    if (objects.length > 0) {
      this.#writing = before.then(() => this.#write(objects));
      // The next caller that awaits the write gets its error.
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

  /** The bytes of a file. Fails before the last bytes when they have another digest, so that nothing is stored. */
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
