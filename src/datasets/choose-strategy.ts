import type { StrategyName } from './manifest.ts';
import type { PlatformDataset } from './platform.ts';

/** Above which a dataset is stored in an item rather than in a web archive (D17-D19, reading d1). */
export interface WebLimits {
  readonly files: number;
  /** Bytes of all files. */
  readonly totalBytes: number;
  /** Bytes of any one file. */
  readonly fileBytes: number;
}

export const WEB_LIMITS: WebLimits = { files: 20, totalBytes: 1024 ** 3, fileBytes: 128 * 1024 ** 2 };

type Chosen = Pick<PlatformDataset, 'files' | 'bundle' | 'isArchiveorgItem'>;

/**
 * The strategy of a dataset: a function of number and sizes of its files, and the platform alone (D05, d15, d16).
 * A size that the platform does not state counts as zero: what comes is limited while it is fetched.
 * @param bundled the user has asked for the bundle
 */
export function chooseStrategy(
  dataset: Chosen,
  { bundled, limits }: { readonly bundled: boolean; readonly limits: WebLimits },
): StrategyName {
  const { files, bundle, isArchiveorgItem } = dataset;
  const backend = isArchiveorgItem === true || exceeds(files, limits) ? 'archiveorg' : 'web';
  const hasNoSingleFiles = files.some(({ platformUrl }) => platformUrl === undefined);
  if (bundle !== undefined && (bundled || hasNoSingleFiles)) return `${backend}-fileset-bundled`;
  return files.length === 1 ? `${backend}-file` : `${backend}-fileset`;
}

function exceeds(files: Chosen['files'], { files: most, totalBytes, fileBytes }: WebLimits): boolean {
  const sizes = files.map(({ size = 0 }) => size);
  const total = sizes.reduce((sum, size) => sum + size, 0);
  return files.length > most || total > totalBytes || sizes.some((size) => size > fileBytes);
}
