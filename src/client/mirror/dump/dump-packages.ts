import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { HASH_ALGORITHMS } from '../../../core/hash.ts';
import { RunningHashes } from '../../../core/running-hashes.ts';
import { reasonOf } from '../../../lib/system-error.ts';
import { unlinked } from '../../../lib/unlinked.ts';
import { linksOf } from '../../read/document.ts';
import { FetchFailure } from '../../read/fetcher.ts';
import type { Reader } from '../../read/reader.ts';
import { unpacked } from '../../read/unpacked.ts';
import { readResourceList } from '../lists/read-resource-list.ts';
import { type WantedResource, wantedOf } from '../lists/wanted-resource.ts';
import { resumedBody } from '../requests/resumed-body.ts';

/** An entry of a dump for one of its packages. */
export interface ListedPackage extends Pick<WantedResource, 'uri' | 'length' | 'hashes'> {
  /** The URI of the package's manifest as a document of its own. */
  readonly contents: string | undefined;
}

const MOST_PACKAGES = 100_000;
/** The limit for a package whose length the dump does not state. */
const MOST_BYTES = 4 * 1024 ** 3;

/**
 * Lists the packages of a Resource Dump, or of the dumps in its index.
 * @throws DocumentFailure
 */
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

/** A package on disk. */
export interface PackageFile {
  readonly fd: number;
  /** Bytes. */
  readonly length: number;
  /** Closes and deletes the file. */
  close(): void;
}

/**
 * Fetches a package into an unlinked file.
 * @param path the name of the file until it is closed, on systems that cannot unlink an open file
 * @throws FetchFailure or TooLarge when the package cannot be fetched, or is not as its dump says
 */
export async function fetchPackage(reader: Reader, listed: ListedPackage, path: string): Promise<PackageFile> {
  rmSync(path, { force: true });
  const fd = openSync(path, 'wx+', 0o600);
  // The system then deletes the file even when this process is killed.
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

/** @throws FetchFailure such as when the disk has no room for the package: it may have room for single resources */
function writeTo(fd: number, chunk: Uint8Array): void {
  try {
    for (let at = 0; at < chunk.length; ) at += writeSync(fd, chunk, at);
  } catch (error) {
    throw new FetchFailure(`it cannot be written: ${reasonOf(error)}`);
  }
}
