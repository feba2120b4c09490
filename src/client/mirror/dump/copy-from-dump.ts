import type { Reader } from '../../read/reader.ts';
import { DocumentFailure, readEntries } from '../lists/read-entries.ts';
import { wantedOf } from '../lists/wanted-resource.ts';
import type { ApplyParts } from '../pass/apply-wanted.ts';
import type { WantedTable } from '../state/wanted-table.ts';
import { type ListedPackage, listPackages } from './dump-packages.ts';
import { PackagePrefetcher } from './package-prefetcher.ts';
import { findWanted, type TakeParts, takeFrom } from './take-from-package.ts';

export interface UsedDump {
  /** Where the Resource Dump is. */
  readonly uri: string;
  /** Whether some of the resources are in the copy: then packages may have nothing that is wanted. */
  readonly isPartial: boolean;
  /** For packages that are being read. */
  readonly folder: string;
  readonly onProgress: (done: number, total: number) => void;
  readonly onNotice: (text: string) => void;
}

/** After so many packages that were of no use, what is left is fetched file by file. */
const MOST_USELESS = 3;

/**
 * Takes from a Resource Dump what is wanted and has the right bytes there. Whatever the dump has or says, nothing else
 * gets into the copy: what is not in it, or is another version, is left to be fetched alone.
 */
export async function copyFromDump(wanted: WantedTable, dump: UsedDump, parts: ApplyParts): Promise<void> {
  const { isPartial, folder, onNotice } = dump;
  const total = wanted.size.fetches;
  let done = 0;
  const take = { ...parts, wanted, onTaken: () => dump.onProgress(++done, total) };
  const packages = await packagesOf(parts.reader, dump);
  const isUseful = async (listed: ListedPackage) => !isPartial || pays(listed, take);
  const prefetcher = new PackagePrefetcher(packages, { reader: parts.reader, folder, isUseful });
  let useless = 0;
  try {
    for (let next = await prefetcher.next(); next !== undefined; next = await prefetcher.next()) {
      // Where one was of no use, others may be of no use, too.
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
    // What was taken need not be fetched, also after a stop.
    await parts.writer.flush();
  }
}

async function packagesOf(reader: Reader, { uri, onNotice }: UsedDump): Promise<readonly ListedPackage[]> {
  try {
    return await listPackages(reader, uri);
  } catch (error) {
    if (!(error instanceof DocumentFailure)) throw error;
    onNotice(`the Resource Dump cannot be used: ${error.message}`);
    return [];
  }
}

/** Whether half of a package or more is wanted, as far as its manifest can be read alone. */
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
