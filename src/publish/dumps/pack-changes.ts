import { hash, randomBytes } from 'node:crypto';
import { formatKey } from '../../artifacts/artifact-key.ts';
import type { ArtifactStore } from '../../artifacts/artifact-store.ts';
import { putArtifact } from '../../artifacts/put-artifact.ts';
import type { Change } from '../../core/change.ts';
import { isTidemarkError } from '../../core/errors.ts';
import type { SetId } from '../../core/resource-set.ts';
import { boundaryBefore, clockStamp, formatStamp, type Stamp } from '../../core/stamp.ts';
import { mapInOrder } from '../../lib/map-in-order.ts';
import { ByteList } from '../../lib/zip/byte-list.ts';
import { ZipWriter } from '../../lib/zip/zip-writer.ts';
import type { Contents } from '../../sources/contents.ts';
import type { ChangeLog } from '../../stores/change-log.ts';
import { changeManifestEntry, changeManifestHead } from '../render/documents/change-dump.ts';
import type { EntryStyle } from '../render/documents/entry.ts';
import { URLSET_END } from '../render/documents/sitemap.ts';
import { versionKey } from '../versions/versions.ts';
import { isCompressible } from './compressible.ts';
import { entryPath } from './entry-path.ts';
import type { ChangePackage } from './stored-change-dump.ts';
import type { ManifestPlace } from './stored-dump.ts';

/** A closed window of changes to pack; plain values, so that it can be handed to another thread. */
export interface ChangePackJob {
  readonly set: SetId;
  /** EPOCH-WINDOW */
  readonly window: string;
  readonly from: Stamp;
  readonly until: Stamp;
  readonly capabilityList: string;
  readonly style: EntryStyle;
  /** Bytes above which a package is not made larger. */
  readonly mostBytes: number;
  readonly compress: boolean;
}

export interface ChangePackParts {
  readonly index: Pick<ChangeLog, 'changes'>;
  /** Of the records of artifacts. */
  readonly contents: Pick<Contents, 'open'>;
  readonly artifacts: ArtifactStore;
}

/** A change with the bytes after it; a deletion has none. */
interface PackedChange {
  readonly change: Change;
  readonly bytes: Uint8Array | undefined;
}

/** Versions that are read at a time. */
const READ_AT_ONCE = 64;

/** A version whose bytes are not kept. */
class NotKept extends Error {}

/**
 * Packs a window: a package, or several when it would be too large. Undefined when a version of it is not kept; then
 * nothing is stored.
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
  readonly #changes: AsyncIterator<PackedChange>;
  #next: PackedChange | undefined;

  constructor(job: ChangePackJob, parts: ChangePackParts) {
    this.#job = job;
    this.#parts = parts;
    this.#changes = mapInOrder(this.#each(), READ_AT_ONCE, (change) => this.#read(change));
  }

  async write(): Promise<readonly ChangePackage[]> {
    this.#next = await this.#take();
    do await this.#writePart(this.packages.length + 1);
    while (this.#next !== undefined);
    return this.packages;
  }

  async #writePart(part: number): Promise<void> {
    const { set, window, from } = this.#job;
    const name = `${window}-${part}-${randomBytes(4).toString('hex')}`;
    const written = { from: this.packages.at(-1)?.until ?? from, until: 0, changes: 0, manifest: NO_PLACE };
    const { artifacts } = this.#parts;
    const key = { kind: 'change-package', set, name } as const;
    const { length, hashes } = await putArtifact(artifacts, key, this.#bytes(written), {
      hashes: ['sha-256'],
      sparesMemory: true,
    });
    this.packages.push({ name, ...written, completed: clockStamp(), length, sha256: hashes['sha-256'] });
  }

  async *#bytes(written: { from: Stamp; until: Stamp; changes: number; manifest: ManifestPlace }) {
    const { mostBytes, compress, style, capabilityList, until } = this.#job;
    const zip = new ZipWriter();
    const entries = new ByteList();
    for (; this.#next !== undefined; this.#next = await this.#take()) {
      const { change, bytes } = this.#next;
      if (entries.count > 0 && zip.length + (bytes?.length ?? 0) > mostBytes) break;
      const { stamp, state } = change;
      const name = bytes === undefined ? undefined : nameOf(change);
      if (name !== undefined && bytes !== undefined) {
        const entry = {
          name,
          modified: state?.lastmod ?? seconds(stamp),
          compress: compress && isCompressible(state?.mime),
        };
        yield* zip.add(entry, bytes);
      }
      entries.addText(changeManifestEntry(change, name, style));
    }
    written.changes = entries.count;
    written.until = this.#next === undefined ? until : boundaryBefore(this.#next.change.stamp);
    const { from } = written;
    const head = changeManifestHead({ from, until: written.until, capabilityList });
    const manifest = Buffer.concat([Buffer.from(head), entries.bytes, Buffer.from(URLSET_END)]);
    const before = zip.length;
    const [header, data] = zip.add(
      { name: 'manifest.xml', modified: seconds(written.until), compress: true },
      manifest,
    );
    written.manifest = { offset: before + header.length, packed: data.length, length: manifest.length };
    yield header;
    yield data;
    yield* zip.end();
  }

  async #take(): Promise<PackedChange | undefined> {
    const { done, value } = await this.#changes.next();
    return done ? undefined : value;
  }

  async *#each(): AsyncGenerator<Change> {
    const { set, from: after, until } = this.#job;
    for await (const batch of this.#parts.index.changes(set, { after, until })) yield* batch;
  }

  async #read(change: Change): Promise<PackedChange> {
    if (change.kind === 'deleted' || change.state === undefined) return { change, bytes: undefined };
    const bytes = entryPath(change.key) === undefined ? undefined : await this.#bytesOf(change);
    if (bytes === undefined) throw new NotKept(`the version of ${change.key} is not kept`);
    return { change, bytes };
  }

  async #bytesOf({ key, stamp, state }: Change): Promise<Uint8Array | undefined> {
    if (state!.record !== undefined) {
      const content = await this.#parts.contents.open({ key, stamp, created: stamp, state: state! });
      return content?.bytes;
    }
    const version = versionKey(this.#job.set, state!);
    if (version === undefined) return undefined;
    try {
      const bytes = await this.#parts.artifacts.readSmall(formatKey(version));
      return hash('sha256', bytes, 'hex') === version.digest ? bytes : undefined;
    } catch (error) {
      if (isTidemarkError(error, 'not-found')) return undefined;
      throw error;
    }
  }
}

const NO_PLACE: ManifestPlace = { offset: 0, packed: 0, length: 0 };

/** A folder for each change, named by its time, has the path of the resource. */
function nameOf({ key, stamp }: Change): string {
  return `${formatStamp(stamp).replace(/[-:]/g, '')}/${entryPath(key)!}`;
}

function seconds(stamp: Stamp): number {
  return Math.floor(stamp / 1_000_000);
}
