import { randomBytes } from 'node:crypto';
import { formatKey } from '../../artifacts/artifact-key.ts';
import type { ArtifactStore, Drafts, ObjectKey, SmallObject } from '../../artifacts/artifact-store.ts';
import type { VersionKey, VersionPackKey } from '../../artifacts/keys/set-keys.ts';
import { putArtifact } from '../../artifacts/put-artifact.ts';
import { PackBuilder } from '../../artifacts/version-pack.ts';
import type { ResourceState, VersionPlace } from '../../core/resource.ts';
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
/** Bytes of small files, packed or not, that are written at the same time. */
const MOST_BYTES = 16 * 1024 * 1024;
/**
 * Bytes and versions of a pack. When one of them is removed later, the others of its pack are stored alone: so a larger
 * pack would save requests now, and cost more then.
 */
const PACK_BYTES = 1024 * 1024;
const PACK_VERSIONS = 100;

/**
 * Milliseconds. Versions younger than a day are never removed, so a version of half that age need not be written again.
 */
const SAFE_MS = 12 * 60 * 60 * 1000;

/** The media type of versions, also of packs: a bucket names one for all objects that are written together. */
const BYTES = 'application/octet-stream';

/** What was stored since a step of a comparison began. */
interface Step {
  readonly relied: ReliedVersions;
  readonly batch: Drafts | undefined;
  readonly packs: PackNames;
  /** Whether a pack of an earlier step exists, by its name. */
  readonly found: Map<string, Promise<boolean>>;
}

/** The names of the packs of a step. */
class PackNames {
  readonly #step = randomBytes(8).toString('hex');
  /** By the names of their drafts. */
  readonly ofDrafts = new Map<string, string>();
  #count = 0;

  next(): string {
    return `${this.#step}-${this.#count++}`;
  }

  ofDraft(draft: string): string {
    const name = this.ofDrafts.get(draft) ?? this.next();
    this.ofDrafts.set(draft, name);
    return name;
  }
}

/**
 * Stores the bytes of the files that a comparison hashes. Small ones share a pack: a file system, and even more a
 * bucket, takes much longer for many objects than for a few with the same bytes. Only the state of a resource names the
 * place in a pack. So bytes that a resource has already, for which no state is recorded, are stored alone under their
 * digest, as are large ones.
 */
export class VersionWriter {
  readonly #store: VersionStore;
  readonly #root: Pick<ContentRoot, 'open'>;
  #step: Step | undefined;
  #pack: { readonly name: string; readonly builder: PackBuilder } | undefined;
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
    this.#step = { relied, batch, packs: new PackNames(), found: new Map() };
  }

  /**
   * The copy to request of a file of this step.
   * @param known the present state of its resource
   */
  wantedCopy(known: ResourceState | undefined): WantedCopy {
    return { mostBytes: SMALL_BYTES, packs: this.#step!.batch?.place, unpacked: known?.hashes?.['sha-256'] };
  }

  /**
   * Stores the bytes of a file that was hashed; `stored` resolves when they are durable. Returns their place, for the
   * state of the resource; undefined when they are stored alone.
   * @param known the present state of its resource
   * @throws TidemarkError `conflict` or `not-found` when the file has been replaced; `unavailable` when the artifact
   *   store cannot be written
   */
  async keep(
    path: string,
    { hashes, mtime, bytes, packed }: FileDigest,
    known: ResourceState | undefined,
  ): Promise<VersionPlace | undefined> {
    const digest = hashes['sha-256'];
    if (digest === undefined) throw new Error(`"${path}" was hashed without sha-256`);
    const { packs } = this.#step!;
    if (packed !== undefined) return { pack: packs.ofDraft(packed.draft), offset: packed.offset };
    const isKnown = digest === known?.hashes?.['sha-256'];
    if (bytes !== undefined && bytes.length > 0 && !isKnown) {
      return this.#addToPack({ digest, modified: Number(mtime / 1_000_000_000n) }, bytes);
    }
    const place = isKnown ? known?.kept : undefined;
    if (place === undefined || !(await this.#isThere(place))) await this.#keepAlone(path, digest, bytes);
    return place;
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
    // An error of an earlier write is thrown below.
    this.#finishPack().catch(() => {});
    this.#writeWaiting().catch(() => {});
    const drafts = [...step.packs.ofDrafts].map(([name, pack]) => ({ key: this.#keyOfPack(pack), name }));
    if (drafts.length > 0) failpoint('version.writing');
    await Promise.all([this.#writing, step.batch?.keep(drafts)]);
    await step.relied.require();
    failpoint('version.stored');
  }

  /** Ends the step, and drops what was passed in it. */
  async discard(): Promise<void> {
    const step = this.#step;
    this.#step = undefined;
    this.#pack = undefined;
    this.#waiting = [];
    this.#waitingBytes = 0;
    // The writer has failed already, and leftover drafts are removed later.
    await step?.batch?.keep([]).catch(() => {});
  }

  #keyOfPack(name: string): ObjectKey {
    return formatKey({ kind: 'version-pack', set: this.#store.set, name } satisfies VersionPackKey);
  }

  /** The artifact store may have lost the pack of an earlier step. */
  #isThere({ pack }: VersionPlace): Promise<boolean> {
    const { found } = this.#step!;
    const isThere =
      found.get(pack) ?? this.#store.artifacts.head(this.#keyOfPack(pack)).then((object) => object !== undefined);
    found.set(pack, isThere);
    return isThere;
  }

  async #addToPack(version: { readonly digest: string; readonly modified: number }, bytes: Uint8Array) {
    this.#pack ??= { name: this.#step!.packs.next(), builder: new PackBuilder() };
    const { name, builder } = this.#pack;
    const place: VersionPlace = { pack: name, offset: builder.add(version, bytes) };
    if (builder.length >= PACK_BYTES || builder.versions >= PACK_VERSIONS) await this.#finishPack();
    return place;
  }

  async #finishPack(): Promise<void> {
    const pack = this.#pack;
    this.#pack = undefined;
    if (pack === undefined) return;
    // A copy, since a thread that writes it gets the whole buffer of the builder otherwise.
    await this.#keepBytes({ key: this.#keyOfPack(pack.name), bytes: new Uint8Array(pack.builder.finish()) });
  }

  async #keepAlone(path: string, digest: string, bytes: Uint8Array | undefined): Promise<void> {
    const version: VersionKey = { kind: 'version', set: this.#store.set, digest };
    const key = formatKey(version);
    const { relied } = this.#step!;
    if (relied.has(key)) return;
    if (bytes === undefined) await this.#keepLarge(path, version);
    relied.add(key);
    if (bytes !== undefined) await this.#keepBytes({ key, bytes });
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
    return this.#store.artifacts.putAll(objects, { contentType: BYTES });
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
