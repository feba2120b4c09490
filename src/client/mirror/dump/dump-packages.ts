import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { HASH_ALGORITHMS } from '../../../core/hash.ts';
import { RunningHashes } from '../../../core/running-hashes.ts';
import { reasonOf } from '../../../lib/system-error.ts';
import { unlinked } from '../../../lib/unlinked.ts';
import { linksOf } from '../../read/document.ts';
import { FetchFailure } from '../../read/fetcher.ts';
import type { Reader } from '../../read/reader.ts';
import { TooLarge, unpacked } from '../../read/unpacked.ts';
import { readResourceList } from '../lists/read-resource-list.ts';
import { type WantedResource, wantedOf } from '../lists/wanted-resource.ts';
import { resumedBody } from '../requests/resumed-body.ts';

/** What a dump says of one of its packages. */
export interface ListedPackage extends Pick<WantedResource, 'uri' | 'length' | 'hashes'> {
  /** Where its manifest can be read alone. */
  readonly contents: string | undefined;
}

const MOST_PACKAGES = 100_000;
/** Of a package whose dump does not say how long it is. */
const MOST_BYTES = 4 * 1024 ** 3;

/** The packages of a Resource Dump, or of the dumps that its index names. @throws DocumentFailure */
export async function listPackages(reader: Reader, dump: string): Promise<readonly ListedPackage[]> {
  let found: ListedPackage[] = [];
  await readResourceList(
    reader,
    [dump],
    () => {
      found = [];
    },
    (entry) => {
      const { uri, length, hashes } = wantedOf(entry, false);
      const contents = linksOf(entry, 'contents').find((href) => URL.canParse(href, dump));
      if (!URL.canParse(uri, dump) || found.length === MOST_PACKAGES) return;
      found.push({
        ...{ uri: new URL(uri, dump).href, length, hashes },
        contents: contents === undefined ? undefined : new URL(contents, dump).href,
      });
    },
  );
  return found;
}

/** A package on the disk. */
export interface PackageFile {
  readonly fd: number;
  /** Bytes. */
  readonly length: number;
  /** Closes and removes it. */
  close(): void;
}

/**
 * Fetches a package into a file without a name.
 * @param path where the file can have a name until it is closed, on systems that need one
 * @throws FetchFailure or TooLarge when it does not come, or is not as its dump says
 */
export async function fetchPackage(reader: Reader, listed: ListedPackage, path: string): Promise<PackageFile> {
  rmSync(path, { force: true });
  const fd = openSync(path, 'wx+', 0o600);
  // It goes also when this process is killed.
  const isUnlinked = unlinked(path);
  const close = () => {
    closeSync(fd);
    if (!isUnlinked) unlinked(path);
  };
  try {
    return { fd, length: await download(reader, listed, fd), close };
  } catch (error) {
    close();
    throw error;
  }
}

async function download(reader: Reader, { uri, length, hashes }: ListedPackage, fd: number) {
  const fetched = await reader.fetcher.get(uri, 'identity', reader.signal);
  if (fetched.status !== 200) {
    fetched.discard();
    throw new FetchFailure(`the server answers ${fetched.status}`);
  }
  const running = new RunningHashes(HASH_ALGORITHMS.filter((name) => hashes[name] !== undefined));
  let bytes = 0;
  for await (const chunk of unpacked({ ...fetched, body: resumedBody(uri, fetched, reader) }, length ?? MOST_BYTES)) {
    bytes += chunk.length;
    running.update(chunk);
    writeTo(fd, chunk);
  }
  const found = running.digest();
  if (length !== undefined && bytes !== length) {
    throw new FetchFailure(`it has ${bytes} bytes, and the dump says ${length}`);
  }
  for (const name of HASH_ALGORITHMS) {
    if (hashes[name] !== found[name]) {
      throw new FetchFailure(`its ${name} is ${found[name]}, and the dump says ${hashes[name]}`);
    }
  }
  return bytes;
}

/** @throws FetchFailure such as when the disk has no room for a package, but perhaps for its resources */
function writeTo(fd: number, chunk: Uint8Array): void {
  try {
    for (let at = 0; at < chunk.length; ) at += writeSync(fd, chunk, at);
  } catch (error) {
    throw new FetchFailure(`it cannot be written: ${reasonOf(error)}`);
  }
}

export const isPackageFailure = (error: unknown): error is Error =>
  error instanceof FetchFailure || error instanceof TooLarge;
