import { formatKey, mediaTypeOf } from '../../artifacts/artifact-key.ts';
import type { ArtifactStore, Draft, Drafts, SmallObject } from '../../artifacts/artifact-store.ts';
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

/** What was stored since a step of a comparison began. */
interface Step {
  readonly relied: ReliedVersions;
  readonly batch: Drafts | undefined;
  readonly drafts: Draft[];
  readonly wantedCopy: WantedCopy;
}

/** Stores the bytes of the files that a comparison hashes, once for each digest. */
export class VersionWriter {
  readonly #store: VersionStore;
  readonly #root: Pick<ContentRoot, 'open'>;
  #step: Step | undefined;
  #waiting: SmallObject[] = [];
  #waitingBytes = 0;
  #writing: Promise<void> = Promise.resolve();

  constructor(store: VersionStore, root: Pick<ContentRoot, 'open'>) {
    this.#store = store;
    this.#root = root;
  }

  /**
   * Begins a step. End it by `stored` or `discard`.
   * @throws TidemarkError `unavailable` when the artifact store cannot be written
   */
  async begin(): Promise<void> {
    const relied = await ReliedVersions.begin(this.#store);
    const batch = await this.#store.artifacts.beginDrafts?.();
    this.#step = { relied, batch, drafts: [], wantedCopy: { mostBytes: SMALL_BYTES, draft: batch?.place } };
  }

  /** The copy to request of each file of this step. */
  get wantedCopy(): WantedCopy {
    return this.#step!.wantedCopy;
  }

  /**
   * Stores the bytes of a file that was hashed; `stored` resolves when they are durable.
   * @throws TidemarkError `conflict` or `not-found` when the file has been replaced; `unavailable` when the artifact
   *   store cannot be written
   */
  async keep(path: string, { hashes, bytes, draft }: FileDigest): Promise<void> {
    const digest = hashes['sha-256'];
    if (digest === undefined) throw new Error(`"${path}" was hashed without sha-256`);
    const version: VersionKey = { kind: 'version', set: this.#store.set, digest };
    const key = formatKey(version);
    const { relied, drafts } = this.#step!;
    if (relied.has(key)) return;
    if (draft === undefined && bytes === undefined) await this.#keepLarge(path, version);
    relied.add(key);
    if (draft !== undefined) drafts.push({ key, name: draft });
    else if (bytes !== undefined) await this.#keepBytes({ key, bytes });
  }

  /**
   * Ends the step. Resolves when all its bytes are durable; the next step may begin meanwhile.
   * @throws TidemarkError `unavailable` when the artifact store cannot be written, or another process has removed some
   *   of the bytes meanwhile
   */
  async stored(): Promise<void> {
    const step = this.#step;
    if (step === undefined) return;
    this.#step = undefined;
    this.#writeWaiting();
    if (step.drafts.length > 0) failpoint('version.writing');
    await Promise.all([this.#writing, step.batch?.keep(step.drafts)]);
    await step.relied.require();
    failpoint('version.stored');
  }

  /** Ends the step, and drops what was passed in it. */
  async discard(): Promise<void> {
    const step = this.#step;
    this.#step = undefined;
    this.#waiting = [];
    this.#waitingBytes = 0;
    // The writer has failed already, and leftover drafts are removed later.
    await step?.batch?.keep([]).catch(() => {});
  }

  async #keepBytes(object: SmallObject): Promise<void> {
    this.#waiting.push(object);
    this.#waitingBytes += object.bytes.length;
    if (this.#waitingBytes >= MOST_BYTES) await this.#writeWaiting();
  }

  /** Starts a write. Resolves when the previous write is done, so that memory has the bytes of two writes at most. */
  #writeWaiting(): Promise<void> {
    const before = this.#writing;
    const objects = this.#waiting;
    this.#waiting = [];
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
