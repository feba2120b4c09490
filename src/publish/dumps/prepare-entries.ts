import type { ArtifactStore } from '../../artifacts/artifact-store.ts';
import type { Resource } from '../../core/resource.ts';
import { copyBytes } from '../../lib/bytes/copy-bytes.ts';
import { readBuffer } from '../../lib/bytes/read-buffer.ts';
import { mapInOrder } from '../../lib/calls/map-in-order.ts';
import { dataOffset, type PackedEntry, packEntry, type ZipEntry } from '../../lib/zip/zip-writer.ts';
import type { Contents } from '../../sources/contents.ts';
import type { StoredBytes } from '../versions/stored-version.ts';
import { hasHashOf, MOST_IN_MEMORY, strongestHash } from './open-matching.ts';
import { READ_AT_ONCE, readVersions } from './read-versions.ts';

/** An entry to make from bytes that must match a state. Plain values, so that a thread can receive them. */
export interface WantedEntry {
  readonly entry: ZipEntry;
  readonly resource: Resource;
  /** Where the version is stored; undefined for the current bytes of the resource. */
  readonly version?: StoredBytes | undefined;
}

/** A packed entry: the range of its header and data in a buffer. */
export interface PreparedEntry extends PackedEntry {
  readonly start: number;
  readonly end: number;
}

export interface PrepareParts {
  readonly contents: Pick<Contents, 'open' | 'beginReads'>;
  readonly artifacts: Pick<ArtifactStore, 'readSmall'>;
}

export type PrepareEntries = (
  wanted: readonly (WantedEntry | undefined)[],
  into: Uint8Array,
) => Promise<readonly (PreparedEntry | undefined)[]>;

/** Fills a buffer with the bytes of an entry without waiting; false when that is not possible. */
type Fill = (wanted: WantedEntry, buffer: Uint8Array) => boolean;

/** Bytes to be deflated, of one entry at a time. */
const scratch = readBuffer(MOST_IN_MEMORY);

/**
 * Reads and packs entries into a buffer. An entry is undefined when it cannot be made in the usual way: its bytes
 * differ, are too many, or cannot be read. The caller finds the cause.
 */
export async function prepareEntries(
  wanted: readonly (WantedEntry | undefined)[],
  into: Uint8Array,
  parts: PrepareParts,
): Promise<readonly (PreparedEntry | undefined)[]> {
  const batch = new Batch(into);
  const fill = await filling(wanted, parts);
  if (fill !== undefined) {
    for (const one of wanted) {
      if (one === undefined || !batch.addFilled(one, fill)) batch.add(one, one && (await bytesOf(one, parts)));
    }
    return batch.prepared;
  }
  const read = async (one: WantedEntry | undefined) => ({ one, bytes: one && (await bytesOf(one, parts)) });
  for await (const { one, bytes } of mapInOrder(wanted, READ_AT_ONCE, read)) batch.add(one, bytes);
  return batch.prepared;
}

/** Consecutive entries in a buffer. */
class Batch {
  readonly prepared: (PreparedEntry | undefined)[] = [];
  readonly #into: Uint8Array;
  #start = 0;

  constructor(into: Uint8Array) {
    this.#into = into;
  }

  /** Adds an entry: undefined without bytes, or when there is no room for it. */
  add(wanted: WantedEntry | undefined, bytes: Uint8Array | undefined): void {
    this.prepared.push(wanted && bytes && this.#pack(wanted.entry, bytes));
  }

  /** Returns false, and adds nothing, when the bytes cannot be read without waiting. */
  addFilled(wanted: WantedEntry, fill: Fill): boolean {
    const { entry, resource } = wanted;
    const { length } = resource.state;
    // Without a hash, the bytes that were read could not be verified.
    if (length === undefined || length > MOST_IN_MEMORY || strongestHash(resource.state) === undefined) return false;
    // Bytes that are only stored are read directly to their place.
    const at = this.#start + dataOffset(entry);
    const buffer = entry.compress ? scratch.subarray(0, length) : this.#into.subarray(at, at + length);
    if (buffer.length < length || !fill(wanted, buffer) || !hasHashOf(resource.state, buffer)) return false;
    this.prepared.push(this.#pack(entry, buffer));
    return true;
  }

  #pack(entry: ZipEntry, bytes: Uint8Array): PreparedEntry | undefined {
    const { packed, header, data } = packEntry(entry, bytes);
    const start = this.#start;
    const from = start + header.length;
    const end = from + data.length;
    if (end > this.#into.length) return undefined;
    copyBytes(header, this.#into, start);
    const isInPlace = data.buffer === this.#into.buffer && data.byteOffset === this.#into.byteOffset + from;
    if (!isInPlace) copyBytes(data, this.#into, from);
    this.#start = end;
    return { ...packed, start, end };
  }
}

/** All entries of a batch are versions, or all are current bytes. Undefined where reads cannot block. */
async function filling(
  wanted: readonly (WantedEntry | undefined)[],
  { contents, artifacts }: PrepareParts,
): Promise<Fill | undefined> {
  const versions = wanted.flatMap((one) => one?.version ?? []);
  if (versions.length > 0) {
    const read = await readVersions(versions, artifacts);
    return ({ version }, buffer) => {
      const bytes = version && read.get(version);
      if (bytes?.length !== buffer.length) return false;
      copyBytes(bytes, buffer, 0);
      return true;
    };
  }
  if (!wanted.some((one) => one !== undefined)) return undefined;
  const fill = await contents.beginReads?.();
  return fill && (({ resource }, buffer) => fill(resource.key, buffer));
}

/** Undefined when the bytes do not match the state. */
async function bytesOf(
  { resource, version }: WantedEntry,
  { contents }: PrepareParts,
): Promise<Uint8Array | undefined> {
  // It was read with others, in vain.
  if (version !== undefined) return undefined;
  try {
    const bytes = await read(resource, contents);
    return bytes !== undefined && hasHashOf(resource.state, bytes) ? bytes : undefined;
  } catch {
    return undefined;
  }
}

async function read(resource: Resource, contents: PrepareParts['contents']): Promise<Uint8Array | undefined> {
  const content = await contents.open(resource);
  if (content === undefined) return undefined;
  const { length = content.length } = resource.state;
  if (content.length !== length || (content.bytes === undefined && length > MOST_IN_MEMORY)) {
    await content.close();
    return undefined;
  }
  return content.bytes ?? Buffer.concat(await content.stream().toArray());
}
