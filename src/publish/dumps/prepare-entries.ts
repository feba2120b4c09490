import type { ArtifactStore, ObjectKey } from '../../artifacts/artifact-store.ts';
import type { Resource } from '../../core/resource.ts';
import { mapInOrder } from '../../lib/map-in-order.ts';
import { type PackedEntry, packEntry, type ZipEntry } from '../../lib/zip/zip-writer.ts';
import type { Contents } from '../../sources/contents.ts';
import { hasHashOf, MOST_IN_MEMORY } from './open-matching.ts';

/** An entry to make of bytes that must have the hash of a state; plain values, so that a thread can be given it. */
export interface WantedEntry {
  readonly entry: ZipEntry;
  readonly resource: Resource;
  /** Where the bytes are kept; undefined when they are the present ones of the resource. */
  readonly version?: ObjectKey | undefined;
}

/** A packed entry: its header and data are between these bytes of a buffer. */
export interface PreparedEntry extends PackedEntry {
  readonly start: number;
  readonly end: number;
}

export interface PrepareParts {
  readonly contents: Pick<Contents, 'open'>;
  readonly artifacts: Pick<ArtifactStore, 'readSmall'>;
}

export type PrepareEntries = (
  wanted: readonly (WantedEntry | undefined)[],
  into: Uint8Array,
) => Promise<readonly (PreparedEntry | undefined)[]>;

/** Contents that are read at a time: a server takes its time for each. */
const READ_AT_ONCE = 64;

/**
 * Reads and packs entries into a buffer. An entry is undefined when it cannot be made as usual: its bytes are other
 * ones, are too many, or cannot be read. The caller finds out why.
 */
export async function prepareEntries(
  wanted: readonly (WantedEntry | undefined)[],
  into: Uint8Array,
  parts: PrepareParts,
): Promise<readonly (PreparedEntry | undefined)[]> {
  const prepared: (PreparedEntry | undefined)[] = [];
  let start = 0;
  const read = async (one: WantedEntry | undefined) => {
    const bytes = one && (await bytesOf(one, parts).catch(() => undefined));
    return bytes && { entry: one.entry, bytes };
  };
  for await (const found of mapInOrder(wanted, READ_AT_ONCE, read)) {
    const made = found && packEntry(found.entry, found.bytes);
    const end = made === undefined ? start : start + made.header.length + made.data.length;
    if (made === undefined || end > into.length) {
      prepared.push(undefined);
      continue;
    }
    into.set(made.header, start);
    into.set(made.data, start + made.header.length);
    prepared.push({ ...made.packed, start, end });
    start = end;
  }
  return prepared;
}

async function bytesOf(
  { resource, version }: WantedEntry,
  { contents, artifacts }: PrepareParts,
): Promise<Uint8Array | undefined> {
  const bytes = version === undefined ? await present(resource, contents) : await artifacts.readSmall(version);
  return bytes !== undefined && hasHashOf(resource.state, bytes) ? bytes : undefined;
}

async function present(resource: Resource, contents: Pick<Contents, 'open'>): Promise<Uint8Array | undefined> {
  const content = await contents.open(resource);
  if (content === undefined) return undefined;
  const { length = content.length } = resource.state;
  if (content.length !== length || (content.bytes === undefined && length > MOST_IN_MEMORY)) {
    await content.close();
    return undefined;
  }
  return content.bytes ?? Buffer.concat(await content.stream().toArray());
}
