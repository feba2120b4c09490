import { prefetchItems } from '../../lib/calls/prefetch.ts';
import { cleanName } from './clean-name.ts';
import { DamagedFile, type FoundFile, type GivenFile, type Packing } from './found-file.ts';
import { GZIP_MAGIC, gunzip } from './gunzip.ts';
import { Lookahead } from './lookahead.ts';
import { isOfMacos } from './of-macos.ts';
import { writeScratchFile } from './scratch-file.ts';
import { beginsAsTar, readTar } from './tar.ts';
import { Unpacking, type UnpackOptions } from './unpacking.ts';
import { readZip } from './zip.ts';

/** Length of a tar header. */
const HEAD_BYTES = 512;

const NOT_A_FILE = {
  link: 'it is a link, which is not followed: pack the file itself',
  device: 'it is a device, and no file',
  other: 'it is a kind of entry that only the program knows that made the tar',
} as const;

/**
 * The files in a given file: the file itself, or the contents of gzip, tar and ZIP packages, also nested, in the order
 * of the packages. A package that cannot be read, or not to its end, is yielded itself as an unknown file, after the
 * files that could be read. Folders, and the files that macOS adds to packages, are left out.
 * @throws what `given` throws, an Error for a package that is refused, and TidemarkError `unavailable` when a scratch
 *   file cannot be written
 */
export async function* findFiles(given: GivenFile, options: UnpackOptions): AsyncGenerator<FoundFile, void, undefined> {
  const unpacking = new Unpacking(options);
  const input = new Lookahead(unpacking.received(given.read()));
  try {
    yield* filesIn(input, { path: [given.name], packing: [], ranges: given.ranges }, unpacking);
  } finally {
    await input.close();
  }
}

/** Where a file was found. */
interface Place extends Pick<FoundFile, 'path' | 'packing'> {
  /** Only for the given file itself. */
  readonly ranges?: GivenFile['ranges'];
}

type Found = AsyncGenerator<FoundFile, void, undefined>;

async function* filesIn(input: Lookahead, place: Place, unpacking: Unpacking): Found {
  const packing = packingOf(await input.peek(HEAD_BYTES));
  if (packing === undefined) yield* identified(input, place, unpacking);
  else if (depthOf([...place.packing, packing]) > unpacking.limits.depth) {
    const reason = `packages in packages are opened to a depth of ${unpacking.limits.depth}: pack it more simply`;
    yield unknown(place, reason);
  } else {
    const inside = { ...place, packing: [...place.packing, packing] };
    let isEmpty = true;
    for await (const file of OPEN[packing](input, inside, unpacking)) {
      isEmpty = false;
      yield file;
    }
    if (isEmpty) yield unknown(place, 'it has no files');
  }
}

function packingOf(head: Buffer): Packing | undefined {
  const magic = head.toString('latin1', 0, 4);
  if (magic.startsWith(GZIP_MAGIC)) return 'gzip';
  if (magic === 'PK\x03\x04' || magic === 'PK\x05\x06') return 'zip';
  return beginsAsTar(head) ? 'tar' : undefined;
}

const depthOf = (packing: readonly Packing[]): number =>
  packing.filter((one, at) => one !== 'tar' || packing[at - 1] !== 'gzip').length;

async function* identified(input: Lookahead, place: Place, unpacking: Unpacking): Found {
  const isMacos = isOfMacos(await input.peek(HEAD_BYTES));
  if (isMacos && place.path.length > 1) return;
  const { kind, reason } = isMacos ? UNKNOWN_OF_MACOS : await unpacking.identify(input, place.path.at(-1)!);
  // A file that is damaged at its beginning may be of any kind.
  if (kind === 'unknown') yield unknown(place, input.damage?.message ?? reason);
  else yield { path: place.path, packing: place.packing, kind, bytes: input };
}

const UNKNOWN_OF_MACOS = { kind: 'unknown', reason: 'it has nothing but what macOS keeps of another file' } as const;

const OPEN: Readonly<Record<Packing, (input: Lookahead, place: Place, unpacking: Unpacking) => Found>> = {
  gzip: filesInGzip,
  tar: filesInTar,
  zip: filesInZip,
};

/** The name of a file packed by gzip does not matter. */
async function* filesInGzip(packed: Lookahead, { path, packing }: Place, unpacking: Unpacking): Found {
  const input = new Lookahead(unpacking.unpacked(prefetchItems(gunzip(packed))));
  try {
    yield* filesIn(input, { path, packing }, unpacking);
  } finally {
    await input.close();
  }
}

async function* filesInTar(input: Lookahead, place: Place, unpacking: Unpacking): Found {
  try {
    for await (const { name, kind, bytes } of readTar(input)) {
      unpacking.countEntry();
      const inside = below(place, name);
      if (kind === 'file') yield* filesIn(new Lookahead(bytes), inside, unpacking);
      else if (kind !== 'folder') yield unknown(inside, NOT_A_FILE[kind]);
    }
  } catch (error) {
    yield brokenOff(place, error);
  }
}

async function* filesInZip(input: Lookahead, place: Place, unpacking: Unpacking): Found {
  // The parts of a ZIP are read in any order, so all are counted at once.
  if (place.ranges !== undefined) unpacking.countReceived(place.ranges.length);
  try {
    await using scratch = place.ranges === undefined ? await scratchOf(input, unpacking) : undefined;
    for await (const { name, isFolder, problem, bytes } of readZip(place.ranges ?? scratch!.file)) {
      unpacking.countEntry();
      const inside = below(place, name);
      if (isFolder) continue;
      if (problem !== undefined) yield unknown(inside, problem);
      else yield* filesInZipped(bytes, inside, unpacking);
    }
  } catch (error) {
    yield brokenOff(place, error);
  }
}

async function* filesInZipped(bytes: AsyncIterable<Buffer>, inside: Place, unpacking: Unpacking): Found {
  const input = new Lookahead(unpacking.unpacked(bytes));
  try {
    yield* filesIn(input, inside, unpacking);
  } finally {
    await input.close();
  }
}

async function scratchOf(input: Lookahead, unpacking: Unpacking) {
  const file = await writeScratchFile(unpacking.copied(input), unpacking.scratchFolder);
  return { file, [Symbol.asyncDispose]: () => file.close() };
}

const below = ({ path, packing }: Place, name: string): Place => ({ path: [...path, cleanName(name)], packing });

async function* noBytes(): AsyncGenerator<Buffer, void, undefined> {}

function unknown({ path, packing }: Place, reason: string | undefined): FoundFile {
  return { path, packing, kind: 'unknown', reason, bytes: noBytes() };
}

/** Returns a damaged package as an unknown file. @throws every other error */
function brokenOff(place: Place, error: unknown): FoundFile {
  if (error instanceof DamagedFile) return unknown(place, error.message);
  throw error;
}
