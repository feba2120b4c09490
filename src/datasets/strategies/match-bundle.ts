import type { ManifestFile, PlatformFile } from '../manifest.ts';
import { compareWithManifest } from './compare-with-manifest.ts';
import { failedEntry, isStored, storedEntry } from './manifest-entry.ts';
import type { BundledFile } from './read-bundle.ts';

/** The files of a manifest as a bundle has them. */
export interface MatchedBundle {
  readonly files: readonly ManifestFile[];
  /** The paths of files in the bundle that the manifest does not have, such as MANIFEST.TXT. */
  readonly otherPaths: readonly string[];
}

/**
 * Finds each file of a manifest in a bundle, and compares them (d16). A folder around all files of the bundle does not
 * count. Several files with one path, as figshare permits them, are distinguished by their bytes.
 */
export function matchBundle(
  files: readonly PlatformFile[],
  bundled: readonly BundledFile[],
  acceptMismatch: boolean,
): MatchedBundle {
  const names = new Set(bundled.map(({ name }) => name));
  const around = files.some((file) => pathsOf(file).some((path) => names.has(path))) ? '' : commonFolder(bundled);
  const left = Map.groupBy(bundled, ({ name }) => name.slice(around.length));
  const entries = files.map((file) => {
    const path = pathsOf(file).find((one) => (left.get(one)?.length ?? 0) > 0);
    if (path === undefined) return failedEntry(file, { status: 'bundle-incomplete', message: missing(file) });
    return entryOf(file, left.get(path)!, acceptMismatch);
  });
  const otherPaths = [...left.values()].flatMap((rest) => rest.map(({ name }) => name));
  return { files: entries, otherPaths };
}

/** In the manifest, and as the platform has it when that had to be changed. */
function pathsOf({ path, extra }: PlatformFile): readonly string[] {
  return typeof extra?.path === 'string' ? [path, extra.path] : [path];
}

function entryOf(file: PlatformFile, candidates: BundledFile[], acceptMismatch: boolean): ManifestFile {
  const same = candidates.findIndex((one) => isStored(compareWithManifest(file, one, false)));
  const [found] = candidates.splice(Math.max(same, 0), 1);
  const compared = compareWithManifest(file, found!, acceptMismatch);
  return isStored(compared) ? storedEntry(file, compared, found!) : failedEntry(file, compared);
}

function commonFolder(bundled: readonly BundledFile[]): string {
  const folder = /^[^/]+\//.exec(bundled[0]?.name ?? '')?.[0] ?? '';
  return bundled.every(({ name }) => name.startsWith(folder)) ? folder : '';
}

const missing = ({ path }: PlatformFile): string =>
  `${path} is in the manifest of the platform, and not in its bundle: ingest without --bundle where the platform has single files, or ask the platform`;
