import { randomBytes } from 'node:crypto';
import type { ArtifactStore } from '../../artifacts/artifact-store.ts';
import { putArtifact } from '../../artifacts/put-artifact.ts';
import { isTidemarkError, TidemarkError } from '../../core/errors.ts';
import type { ResourceKey } from '../../core/key.ts';
import type { Resource } from '../../core/resource.ts';
import { RunningHashes } from '../../core/running-hashes.ts';
import { clockStamp } from '../../core/stamp.ts';
import { ByteList } from '../../lib/zip/byte-list.ts';
import { mostBytesOf, mostBytesOfPacked, type ZipEntry, ZipWriter } from '../../lib/zip/zip-writer.ts';
import type { Content, Contents } from '../../sources/contents.ts';
import type { ResourceStates } from '../../stores/resource-states.ts';
import { manifestEntry, manifestHead, URLSET_END } from '../render/documents/resource-dump-manifest.ts';
import { isCompressible } from './compressible.ts';
import { entryPath } from './entry-path.ts';
import { type Matching, MOST_IN_MEMORY, openMatching, strongestHash } from './open-matching.ts';
import type { PackJob } from './pack-job.ts';
import { MANIFEST_ENTRY, PackageRoom } from './package-room.ts';
import type { WantedEntry } from './prepare-entries.ts';
import type { PreparedAhead, PreparedBatch } from './prepared-ahead.ts';
import type { ManifestPlace, Package } from './stored-dump.ts';

export interface PartWriterParts {
  readonly index: ResourceStates;
  readonly contents: Contents;
  /** Where packages are stored. */
  readonly packages: Pick<ArtifactStore, 'put'>;
  readonly ahead: PreparedAhead;
}

/** A resource to pack. */
interface Listed {
  readonly resource: Resource;
  /** Undefined for a large resource. */
  readonly wanted: WantedEntry | undefined;
}

export interface PackedPart {
  readonly package: Package;
  /** The first key of the next part, if there is more. */
  readonly next: ResourceKey | undefined;
}

/** If more of a page is missing, its files have not merely changed: they cannot be read. */
const MOST_MISSING = { resources: 10, share: 0.1 };

/** A large resource had other bytes than its state describes, which is detected only after they were written. */
export class SpoiledPackage extends Error {
  readonly resource: Resource;

  constructor(resource: Resource, cause?: unknown) {
    super(`${resource.key} was changed while it was packed`, { cause });
    this.resource = resource;
  }
}

/** Writes one package. */
export class PartWriter {
  readonly #job: PackJob;
  readonly #parts: PartWriterParts;
  /** Resources that cannot be packed as they are listed. */
  readonly #missing: Set<ResourceKey>;
  readonly #zip = new ZipWriter();
  readonly #open = new Set<Content>();
  readonly #entries = new ByteList();
  readonly #room: PackageRoom;
  #next: ResourceKey | undefined;
  #manifest: ManifestPlace | undefined;
  #fault: unknown;

  /** @param missing resources to leave out; those that cannot be packed are added to it */
  constructor(job: PackJob, parts: PartWriterParts, missing: Set<ResourceKey>) {
    this.#job = job;
    this.#parts = parts;
    this.#missing = missing;
    const { head, mostBytes } = job;
    this.#room = new PackageRoom({ zip: this.#zip, entries: this.#entries, head: manifestHead(head), mostBytes });
  }

  /** @throws SpoiledPackage; nothing was stored then */
  async write(part: number): Promise<PackedPart> {
    const { set, page, version, fingerprint, head } = this.#job;
    const name = `${page}-${version}-${part}-${randomBytes(4).toString('hex')}`;
    try {
      const { length, hashes } = await putArtifact(
        this.#parts.packages,
        { kind: 'package', set, name },
        this.#bytes(),
        { hashes: ['sha-256'], sparesMemory: true },
      );
      const counts = { resources: this.#entries.count, missing: this.#missing.size };
      const file = { length, sha256: hashes['sha-256'], manifest: this.#manifest! };
      const packed = { name, page, version, fingerprint, at: head.at, completed: clockStamp(), ...counts, ...file };
      return { package: packed, next: this.#next };
    } finally {
      await Promise.all([...this.#open].map((content) => content.close()));
    }
  }

  async *#bytes(): AsyncGenerator<Uint8Array> {
    for await (const batch of this.#parts.ahead.batches(this.#listed())) {
      yield* this.#packBatch(batch);
      if (this.#next !== undefined) break;
    }
    await this.#requireReadable();
    yield* this.#packManifest();
    yield* this.#zip.end();
  }

  async *#packBatch({ items, prepared, bytes }: PreparedBatch<Listed>): AsyncGenerator<Uint8Array> {
    // Adjacent entries are yielded in one piece.
    let start = 0;
    let end = 0;
    for (const [at, { resource, wanted }] of items.entries()) {
      const packed = prepared[at];
      if (packed !== undefined) {
        const { entry } = wanted!;
        const text = manifestEntry(resource, entry.name, this.#job.style);
        if (this.#endsBefore(resource, mostBytesOfPacked(packed), text)) break;
        this.#zip.addPacked(entry, packed);
        this.#entries.addText(text);
        end = packed.end;
        continue;
      }
      if (end > start) yield bytes.subarray(start, end);
      start = end;
      const matching = await this.#openOne(resource);
      if (matching === undefined) continue;
      const name = entryPath(resource.key)!;
      const entry = this.#entryOf(matching.resource, name);
      const text = manifestEntry(matching.resource, name, this.#job.style);
      if (this.#endsBefore(resource, mostBytesOf(entry, matching.content.length), text)) break;
      yield* this.#pack(matching, entry);
      this.#entries.addText(text);
    }
    if (end > start) yield bytes.subarray(start, end);
  }

  /** Whether the part would be too large with a resource, which then begins the next part. */
  #endsBefore({ key }: Resource, bytes: number, text: string): boolean {
    if (this.#room.isFor(bytes, text)) return false;
    this.#next = key;
    return true;
  }

  async *#listed(): AsyncGenerator<readonly Listed[]> {
    const { set, range } = this.#job;
    for await (const batch of this.#parts.index.read(set, range)) {
      const listed: Listed[] = [];
      for (const resource of batch) {
        const { key, state } = resource;
        const name = entryPath(key);
        // A resource with a URI elsewhere has no bytes here.
        if (name === undefined || this.#missing.has(key)) continue;
        const isSmall = (state.length ?? 0) <= MOST_IN_MEMORY;
        listed.push({ resource, wanted: isSmall ? { resource, entry: this.#entryOf(resource, name) } : undefined });
      }
      yield listed;
    }
  }

  #entryOf({ state }: Resource, name: string): ZipEntry {
    return { name, modified: state.lastmod ?? 0, compress: this.#job.compress && isCompressible(state.mime) };
  }

  /** Undefined when there is nothing to pack. */
  async #openOne(resource: Resource): Promise<Matching | undefined> {
    const { index, contents } = this.#parts;
    try {
      const opened = await openMatching(resource, { set: this.#job.set, index, contents });
      if (opened === 'deleted') return undefined;
      if (opened !== 'missing') {
        if (opened.bytes === undefined) this.#open.add(opened.content);
        return opened;
      }
    } catch (error) {
      if (!isTidemarkError(error, 'unavailable') && !isTidemarkError(error, 'conflict')) throw error;
      this.#fault = error;
    }
    this.#missing.add(resource.key);
    return undefined;
  }

  async *#pack({ resource, bytes, content }: Matching, entry: ZipEntry): AsyncGenerator<Uint8Array> {
    if (bytes !== undefined) yield* this.#zip.add(entry, bytes);
    else {
      yield* this.#zip.addStream(entry, checked(resource, content), content.length);
      this.#open.delete(content);
    }
  }

  *#packManifest(): Generator<Uint8Array> {
    const head = manifestHead(this.#job.head);
    const bytes = Buffer.concat([Buffer.from(head), ...this.#entries.pieces, Buffer.from(URLSET_END)]);
    const before = this.#zip.length;
    const entry = { ...MANIFEST_ENTRY, modified: Math.floor(this.#job.head.at / 1_000_000) };
    const [header, data] = this.#zip.add(entry, bytes);
    this.#manifest = { offset: before + header.length, packed: data.length, length: bytes.length };
    yield header;
    yield data;
  }

  /** Fails when files cannot be read: in a package without them, they would seem to be deleted. */
  async #requireReadable(): Promise<void> {
    const missing = this.#missing.size;
    if (missing === 0) return;
    await this.#parts.contents.requireThere();
    const total = missing + this.#entries.count;
    if (missing <= MOST_MISSING.resources || missing <= total * MOST_MISSING.share) return;
    const [example] = this.#missing;
    const message = `${missing} of ${total} resources of the page ${this.#job.page} cannot be read, such as ${example}: scan the set, and build the dump again`;
    throw new TidemarkError('unavailable', message, { page: this.#job.page }, this.#fault);
  }
}

/** The bytes of a large resource. @throws SpoiledPackage when they do not match its state */
async function* checked(resource: Resource, content: Content): AsyncGenerator<Uint8Array> {
  const expected = strongestHash(resource.state);
  const hashes = new RunningHashes(expected === undefined ? [] : [expected.algorithm]);
  try {
    for await (const chunk of content.stream()) {
      hashes.update(chunk);
      yield chunk;
    }
  } catch (error) {
    if (isTidemarkError(error, 'conflict') || isTidemarkError(error, 'not-found')) {
      throw new SpoiledPackage(resource, error);
    }
    throw error;
  }
  if (expected !== undefined && hashes.digest()[expected.algorithm] !== expected.digest) {
    throw new SpoiledPackage(resource);
  }
}
