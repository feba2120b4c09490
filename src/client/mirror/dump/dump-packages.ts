import { HASH_ALGORITHMS, type Hashes } from '../../../core/hash.ts';
import { RunningHashes } from '../../../core/running-hashes.ts';
import { linksOf } from '../../read/document.ts';
import { fetchPackage, type PackageFile } from '../../read/fetch-package.ts';
import { type Fetched, FetchFailure } from '../../read/fetcher.ts';
import { resumedBody } from '../../read/resumed-body.ts';
import type { Reader } from '../../read/source-reader.ts';
import { readResourceList } from '../lists/read-resource-list.ts';
import { type WantedResource, wantedOf } from '../lists/wanted-resource.ts';

/** An entry of a dump for one of its packages. */
export interface ListedPackage extends Pick<WantedResource, 'uri' | 'length' | 'hashes'> {
  /** The URI of the package's manifest as a document of its own. */
  readonly contents: string | undefined;
}

const MOST_PACKAGES = 100_000;
/** The limit for a package whose length the dump does not state. */
const MOST_BYTES = 4 * 1024 ** 3;

/**
 * Lists the packages of a Resource Dump, or of the dumps in its index, and counts the entries that it ignores: those
 * without a location, and those above a limit.
 * @throws DocumentFailure
 */
export async function listPackages(
  reader: Reader,
  dump: string,
): Promise<{ readonly packages: readonly ListedPackage[]; readonly ignored: number }> {
  let found: ListedPackage[] = [];
  let ignored = 0;
  await readResourceList(reader, [dump], {
    capability: 'resourcedump',
    onStart() {
      found = [];
      ignored = 0;
    },
    onEntry(entry) {
      const { uri, length, hashes } = wantedOf(entry, false);
      const contents = linksOf(entry, 'contents').find((href) => URL.canParse(href, dump));
      if (!URL.canParse(uri, dump) || uri === '' || found.length === MOST_PACKAGES) {
        ignored += 1;
        return;
      }
      found.push({
        uri: new URL(uri, dump).href,
        length,
        hashes,
        contents: contents === undefined ? undefined : new URL(contents, dump).href,
      });
    },
  });
  return { packages: found, ignored };
}

/**
 * Fetches a package into an unlinked file.
 * @param path the name of the file until it is closed, on systems that cannot unlink an open file
 * @throws FetchFailure or TooLarge when the package cannot be fetched, or is not as its dump says
 * @throws TidemarkError `unavailable` when the file cannot be written
 */
export async function fetchListed(reader: Reader, listed: ListedPackage, path: string): Promise<PackageFile> {
  const { uri, length: mostBytes = MOST_BYTES, hashes } = listed;
  const running = new RunningHashes(HASH_ALGORITHMS.filter((name) => hashes[name] !== undefined));
  const onChunk = (chunk: Buffer) => running.update(chunk);
  const resumed = (fetched: Fetched) => resumedBody(uri, fetched, reader);
  const file = await fetchPackage(reader, uri, { path, mostBytes, onChunk, resumed });
  try {
    requireEqual(listed, file.length, running.digest());
    return file;
  } catch (error) {
    file.close();
    throw error;
  }
}

/** @throws FetchFailure */
function requireEqual({ length, hashes }: ListedPackage, bytes: number, found: Hashes): void {
  if (length !== undefined && bytes !== length) {
    throw new FetchFailure(`it has ${bytes} bytes, and the dump says ${length}`);
  }
  for (const name of HASH_ALGORITHMS) {
    if (hashes[name] !== found[name]) {
      throw new FetchFailure(`its ${name} is ${found[name]}, and the dump says ${hashes[name]}`);
    }
  }
}
