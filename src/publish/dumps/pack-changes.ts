import { randomBytes } from 'node:crypto';
import { formatKey } from '../../artifacts/artifact-key.ts';
import type { ArtifactStore, OpenObject } from '../../artifacts/artifact-store.ts';
import { isDamaged } from '../../artifacts/damage.ts';
import { putArtifact } from '../../artifacts/put-artifact.ts';
import type { Change } from '../../core/change.ts';
import { isTidemarkError } from '../../core/errors.ts';
import type { ResourceKey } from '../../core/key.ts';
import type { SetId } from '../../core/resource-set.ts';
import { RunningHashes } from '../../core/running-hashes.ts';
import { boundaryBefore, clockStamp, formatStamp, type Stamp } from '../../core/stamp.ts';
import { ByteList } from '../../lib/zip/byte-list.ts';
import {
  mostBytesOf,
  mostBytesOfPacked,
  type PackedEntry,
  type ZipEntry,
  ZipWriter,
} from '../../lib/zip/zip-writer.ts';
import type { Contents } from '../../sources/contents.ts';
import type { ChangeLog } from '../../stores/change-log.ts';
import { changeManifestEntry, changeManifestHead } from '../render/documents/change-dump-document.ts';
import type { EntryStyle } from '../render/documents/entry.ts';
import { URLSET_END } from '../render/documents/sitemap.ts';
import { openStored, placesOf, type StoredBytes } from '../versions/stored-version.ts';
import { isCompressible } from './compressible.ts';
import { entryPath } from './entry-path.ts';
import { MOST_IN_MEMORY } from './open-matching.ts';
import { MANIFEST_ENTRY, PackageRoom } from './package-room.ts';
import type { PackedItem, PreparedAhead, PreparedBatch } from './prepared-ahead.ts';
import type { ChangePackage } from './stored-change-dump.ts';
import type { ManifestPlace } from './stored-dump.ts';

/** A closed window of changes to pack. Plain values, so that another thread can receive them. */
export interface ChangePackJob {
  readonly set: SetId;
  /** EPOCH-WINDOW */
  readonly window: string;
  readonly from: Stamp;
  readonly until: Stamp;
  readonly capabilityList: string;
  readonly style: EntryStyle;
  /** Bytes above which no more is added to a package. */
  readonly mostBytes: number;
  readonly compress: boolean;
}

export interface ChangePackParts {
  readonly index: Pick<ChangeLog, 'changes'>;
  /** Reads the records of artifacts. */
  readonly contents: Pick<Contents, 'open'>;
  readonly artifacts: ArtifactStore;
  /** Where packages are stored. */
  readonly packages: Pick<ArtifactStore, 'put'>;
  readonly ahead: PreparedAhead;
}

/** A change, and the place of the bytes after it; a deletion has none. */
interface ListedChange extends PackedItem {
  readonly change: Change;
  readonly entry: ZipEntry | undefined;
  /** Where the bytes of a version of a file may be; empty for a record of an artifact. */
  readonly places: readonly StoredBytes[];
}

/** A package that is being written. */
interface OpenPart {
  readonly zip: ZipWriter;
  readonly entries: ByteList;
  readonly room: PackageRoom;
}

/** The bytes of a version do not exist, or are damaged. */
class NotKept extends Error {
  constructor(key: ResourceKey) {
    super(`the version of ${key} is not kept`);
  }
}

/**
 * Packs a window into one package, or several when it would be too large. Undefined when a version of it does not
 * exist, or is damaged; nothing is stored then.
 */
export async function packChanges(
  job: ChangePackJob,
  parts: ChangePackParts,
): Promise<readonly ChangePackage[] | undefined> {
  const writer = new ChangeWriter(job, parts);
  try {
    return await writer.write();
  } catch (error) {
    for (const { name } of writer.packages) {
      await parts.artifacts.delete(formatKey({ kind: 'change-package', set: job.set, name }));
    }
    if (error instanceof NotKept) return undefined;
    throw error;
  }
}

class ChangeWriter {
  readonly packages: ChangePackage[] = [];
  readonly #job: ChangePackJob;
  readonly #parts: ChangePackParts;
  readonly #batches: AsyncIterator<PreparedBatch<ListedChange>>;
  /** The first change that no part contains yet; undefined after the last. */
  #next: { readonly batch: PreparedBatch<ListedChange>; readonly at: number } | undefined;

  constructor(job: ChangePackJob, parts: ChangePackParts) {
    this.#job = job;
    this.#parts = parts;
    this.#batches = parts.ahead.batches(this.#listed());
  }

  async write(): Promise<readonly ChangePackage[]> {
    try {
      await this.#advance();
      do await this.#writePart(this.packages.length + 1);
      while (this.#next !== undefined);
      return this.packages;
    } finally {
      await this.#batches.return?.();
    }
  }

  async #writePart(part: number): Promise<void> {
    const { set, window, from } = this.#job;
    const name = `${window}-${part}-${randomBytes(4).toString('hex')}`;
    const written = { from: this.packages.at(-1)?.until ?? from, until: 0, changes: 0, manifest: NO_PLACE };
    const { packages } = this.#parts;
    const key = { kind: 'change-package', set, name } as const;
    const { length, hashes } = await putArtifact(packages, key, this.#bytes(written), {
      hashes: ['sha-256'],
      sparesMemory: true,
    });
    this.packages.push({ name, ...written, completed: clockStamp(), length, sha256: hashes['sha-256'] });
  }

  async *#bytes(written: { from: Stamp; until: Stamp; changes: number; manifest: ManifestPlace }) {
    const { capabilityList, until, mostBytes } = this.#job;
    const zip = new ZipWriter();
    const entries = new ByteList();
    const headUntil = (end: Stamp) => changeManifestHead({ from: written.from, until: end, capabilityList });
    // All times have the same length.
    const room = new PackageRoom({ zip, entries, head: headUntil(until), mostBytes });
    while (this.#next !== undefined) {
      yield* this.#packBatch({ zip, entries, room });
      if (this.#next.at < this.#next.batch.items.length) break;
      await this.#advance();
    }
    written.changes = entries.count;
    const next = this.#next?.batch.items[this.#next.at];
    written.until = next === undefined ? until : boundaryBefore(next.change.stamp);
    const head = headUntil(written.until);
    const manifest = Buffer.concat([Buffer.from(head), ...entries.pieces, Buffer.from(URLSET_END)]);
    const before = zip.length;
    const entry = { ...MANIFEST_ENTRY, modified: seconds(written.until) };
    const [header, data] = zip.add(entry, manifest);
    written.manifest = { offset: before + header.length, packed: data.length, length: manifest.length };
    yield header;
    yield data;
    yield* zip.end();
  }

  /** Packs as much of the current batch as the part has room for. */
  async *#packBatch({ zip, entries, room }: OpenPart): AsyncGenerator<Uint8Array> {
    const { style } = this.#job;
    const { batch } = this.#next!;
    let { at } = this.#next!;
    // Adjacent entries are yielded in one piece.
    let start = 0;
    let end = 0;
    for (; at < batch.items.length; at++) {
      const listed = batch.items[at]!;
      const { change, entry } = listed;
      const packed = batch.prepared[at];
      const text = changeManifestEntry(change, entry?.name, style);
      if (!room.isFor(bytesOf(listed, packed), text)) break;
      if (packed !== undefined) {
        if (packed.start !== end) {
          if (end > start) yield batch.bytes.subarray(start, end);
          start = packed.start;
        }
        zip.addPacked(entry!, packed);
        end = packed.end;
      } else if (entry !== undefined) {
        if (end > start) yield batch.bytes.subarray(start, end);
        start = end;
        yield* this.#pack(zip, listed, entry);
      }
      entries.addText(text);
    }
    if (end > start) yield batch.bytes.subarray(start, end);
    this.#next = { batch, at };
  }

  /** Packs a version that was not prepared. */
  async *#pack(zip: ZipWriter, { change, places }: ListedChange, entry: ZipEntry): AsyncGenerator<Uint8Array> {
    const { key, stamp, state } = change;
    if (places.length === 0) {
      const record = state!.record && (await this.#parts.contents.open({ key, stamp, created: stamp, state: state! }));
      if (record?.bytes === undefined) throw new NotKept(key);
      yield* zip.add(entry, record.bytes);
      return;
    }
    const { length, body } = await this.#open(places, key);
    yield* zip.addStream(entry, kept(body, change), length);
  }

  async #open(places: readonly StoredBytes[], key: ResourceKey): Promise<OpenObject> {
    try {
      return await openStored(this.#parts.artifacts, places);
    } catch (error) {
      if (isTidemarkError(error, 'not-found') || isDamaged(error)) throw new NotKept(key);
      throw error;
    }
  }

  async #advance(): Promise<void> {
    const { done, value } = await this.#batches.next();
    this.#next = done ? undefined : { batch: value, at: 0 };
  }

  async *#listed(): AsyncGenerator<readonly ListedChange[]> {
    const { set, from: after, until } = this.#job;
    for await (const batch of this.#parts.index.changes(set, { after, until })) {
      yield batch.map((change) => this.#list(change));
    }
  }

  #list(change: Change): ListedChange {
    const { key, kind, stamp, state } = change;
    if (kind === 'deleted' || state === undefined) {
      return { change, entry: undefined, places: [], wanted: undefined };
    }
    const { set, compress } = this.#job;
    const name = nameOf(change);
    const places = state.record === undefined ? placesOf(set, state) : [];
    if (name === undefined || (places.length === 0 && state.record === undefined)) throw new NotKept(key);
    const entry = {
      name,
      modified: state.lastmod ?? seconds(stamp),
      compress: compress && isCompressible(state.mime),
    };
    const isSmall = (state.length ?? 0) <= MOST_IN_MEMORY;
    const resource = { key, stamp, created: stamp, state };
    return { change, entry, places, wanted: isSmall ? { entry, resource, version: places[0] } : undefined };
  }
}

/** Most bytes that a change adds to a package, without its manifest. */
function bytesOf({ change, entry }: ListedChange, packed: PackedEntry | undefined): number {
  if (packed !== undefined) return mostBytesOfPacked(packed);
  return entry === undefined ? 0 : mostBytesOf(entry, change.state?.length ?? 0);
}

/** The bytes of a large version. @throws NotKept when they differ from the digest of its state */
async function* kept(body: AsyncIterable<Uint8Array>, { key, state }: Change) {
  const hashes = new RunningHashes(['sha-256']);
  for await (const chunk of body) {
    hashes.update(chunk);
    yield chunk;
  }
  if (hashes.digest()['sha-256'] !== state?.hashes?.['sha-256']) throw new NotKept(key);
}

const NO_PLACE: ManifestPlace = { offset: 0, packed: 0, length: 0 };

/** The path of the resource, in a folder for each change that is named by its time. */
function nameOf({ key, stamp }: Change): string | undefined {
  const path = entryPath(key);
  return path === undefined ? undefined : `${formatStamp(stamp).replace(/[-:]/g, '')}/${path}`;
}

function seconds(stamp: Stamp): number {
  return Math.floor(stamp / 1_000_000);
}
