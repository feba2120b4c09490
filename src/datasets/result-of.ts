import type { ArchivedDataset } from './archiving.ts';
import type { Dataset } from './dataset.ts';
import { shownUrl } from './fetch/shown-url.ts';
import type { IngestFailure } from './ingest-failure.ts';
import type { Landing } from './landing/landing.ts';
import type { DatasetManifest, ManifestFile, StrategyName } from './manifest.ts';
import type { PlatformDataset } from './platform.ts';
import type { IngestResult, ResultPlatform, ResultTerminal } from './request.ts';
import type { DatasetStatus } from './status.ts';
import { notTried } from './strategies/manifest-entry.ts';

/** What is known of a request: the steps add to it, so that the result of one that fails has it, too. */
export interface Findings {
  landing?: Landing;
  dataset?: PlatformDataset;
  strategy?: StrategyName;
}

/** The identity of a dataset (d11). */
export function platformOf({ platformName, platformDomain, platformId, version }: PlatformDataset): ResultPlatform {
  return { name: platformName, domain: platformDomain, id: platformId, ...(version !== undefined && { version }) };
}

/** The result of a request whose dataset is stored. */
export function storedResult({ landing }: Findings, dataset: Dataset, status: DatasetStatus): IngestResult {
  const { platform, strategy, totalSize, fileCount, itemName, itemBundlePath, manifest, id } = dataset;
  return {
    hit: true,
    status,
    updated: Date.now(),
    ...(landing !== undefined && { terminal: terminalOf(landing) }),
    ...{ platform, strategy, totalSize, fileCount, manifest: manifest.artifact, dataset: id },
    ...(itemName !== undefined && { itemName }),
    ...(itemBundlePath !== undefined && { itemBundlePath }),
  };
}

/** The result of a request that has failed, with what was found before. */
export function failedResult(
  { landing, dataset, strategy }: Findings,
  { status, message, terminal }: IngestFailure,
  files: readonly Pick<ManifestFile, 'size'>[] | undefined,
): IngestResult {
  return {
    hit: false,
    status,
    message,
    updated: Date.now(),
    ...(landing !== undefined ? { terminal: terminalOf(landing) } : terminal !== undefined && { terminal }),
    ...(dataset !== undefined && { platform: platformOf(dataset) }),
    ...(strategy !== undefined && { strategy }),
    ...(files !== undefined && { fileCount: files.length, totalSize: sizeOf(files) }),
  };
}

/** The manifest of what was stored. */
export function manifestOf({ dataset, strategy }: Required<Findings>, archived: ArchivedDataset): DatasetManifest {
  const { platformName, platformDomain, platformId, version, persistentId, landingUrl, notes = [] } = dataset;
  const { files, bundle, itemName } = archived;
  return {
    platform_name: platformName,
    platform_domain: platformDomain,
    platform_id: platformId,
    ...(version !== undefined && { version }),
    ...(persistentId !== undefined && { persistent_id: persistentId }),
    landing_url: landingUrl,
    ingest_strategy: strategy,
    file_count: files.length,
    total_size: sizeOf(files),
    ...(itemName !== undefined && { item_name: itemName }),
    ...(bundle !== undefined && { bundle }),
    ...(notes.length > 0 && { notes }),
    files,
  };
}

/** The files of a dataset of which none was fetched, as their platform describes them. */
export const untried = ({ files }: PlatformDataset): readonly ManifestFile[] => files.map(notTried);

/** Bytes; a size that is not known counts as zero. */
export function sizeOf(files: readonly { readonly size?: number | undefined }[]): number {
  return files.reduce((sum, { size = 0 }) => sum + size, 0);
}

function terminalOf({ url, dt, statusCode, sha1hex }: Landing): ResultTerminal {
  return { url: shownUrl(url), dt, statusCode, ...(sha1hex !== undefined && { sha1hex }) };
}
