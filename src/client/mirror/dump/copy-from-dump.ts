import { Bits } from '../../../lib/bits.ts';
import type { Reader } from '../../read/source-reader.ts';
import { DocumentFailure, readEntries } from '../lists/read-entries.ts';
import { wantedOf } from '../lists/wanted-resource.ts';
import type { ApplyParts } from '../pass/apply-wanted.ts';
import type { WantedTable } from '../state/wanted-table.ts';
import { type ListedPackage, listPackages } from './dump-packages.ts';
import { PackagePrefetcher } from './package-prefetcher.ts';
import { findWanted, type TakeParts, takeFrom } from './take-from-package.ts';

interface UsedDump {
  /** The URI of the Resource Dump. */
  readonly uri: string;
  /** Whether the copy has some of the resources already: then a package may contain nothing that is needed. */
  readonly isPartial: boolean;
  /** The folder for packages that are being read. */
  readonly folder: string;
  readonly onProgress: (done: number, total: number) => void;
  readonly onNotice: (text: string) => void;
}

/** After this number of useless packages, the other resources are fetched one by one. */
const MOST_USELESS = 3;

/**
 * Takes wanted resources from a Resource Dump if their bytes there are right. Nothing else from the dump gets into the
 * copy. Resources that the dump does not have, or has in another version, are fetched one by one afterwards.
 */
export async function copyFromDump(wanted: WantedTable, dump: UsedDump, parts: ApplyParts): Promise<void> {
  const { isPartial, folder, onNotice } = dump;
  const total = wanted.size.fetches;
  let done = 0;
  const namedRows = parts.state.largestId() === 0 ? new Bits(total) : undefined;
  const take = { ...parts, wanted, namedRows, onTaken: () => dump.onProgress(++done, total) };
  const packages = await packagesOf(parts.reader, dump);
  const isUseful = async (listed: ListedPackage) => !isPartial || pays(listed, take);
  const prefetcher = new PackagePrefetcher(packages, { reader: parts.reader, folder, isUseful });
  let useless = 0;
  try {
    for (let next = await prefetcher.next(); next !== undefined; next = await prefetcher.next()) {
      // After a useless package, fetch the next only when it is needed.
      if (useless === 0) prefetcher.prefetch();
      const { taken, problem } = 'problem' in next ? { ...next, taken: 0 } : await takeFrom(next.file, take);
      parts.writer.startFlush();
      if (problem !== undefined) onNotice(`the package ${next.uri} cannot be used as a whole: ${problem}`);
      if (problem !== undefined || taken === 0) useless += 1;
      if (useless < MOST_USELESS) continue;
      const reason = 'three packages of the Resource Dump were of no use';
      return onNotice(`${reason}: each resource that is left is fetched alone`);
    }
  } finally {
    await prefetcher.close();
    // Resources that were taken need not be fetched again, even when the pass was stopped.
    await parts.writer.flush();
  }
}

async function packagesOf(reader: Reader, { uri, onNotice }: UsedDump): Promise<readonly ListedPackage[]> {
  try {
    const { packages, ignored } = await listPackages(reader, uri);
    if (ignored > 0)
      onNotice(
        `${ignored === 1 ? 'an entry' : `${ignored} entries`} of the Resource Dump ${uri} without a usable location: ignored`,
      );
    return packages;
  } catch (error) {
    if (!(error instanceof DocumentFailure)) throw error;
    onNotice(`the Resource Dump cannot be used: ${error.message}`);
    return [];
  }
}

/**
 * Whether at least half of a package is wanted, by its separate manifest; true if it has none. If the manifest cannot
 * be read completely, the part before the fault decides.
 */
async function pays({ contents }: ListedPackage, parts: TakeParts): Promise<boolean> {
  if (contents === undefined) return true;
  let wanted = 0;
  let listed = 0;
  try {
    await readEntries(parts.reader, contents, (entry) => {
      listed += 1;
      if (findWanted(wantedOf(entry, false), parts) !== undefined) wanted += 1;
    });
  } catch (error) {
    if (!(error instanceof DocumentFailure)) throw error;
  }
  return wanted > 0 && wanted * 2 >= listed;
}
