import { randomBytes } from 'node:crypto';
import type { ArtifactStore } from '../artifacts/artifact-store.ts';
import { unlessConflict } from '../core/errors.ts';
import { failpoint } from '../lib/failpoint.ts';
import { formatBytes } from '../lib/format-bytes.ts';
import type { Catalog, CatalogDocument } from '../stores/catalog.ts';
import type { ArchivedDataset, ArchivingJob, StrategyArchiver } from './archiving.ts';
import { type Dataset, datasetId, folderOf } from './dataset.ts';
import type { IngestAttempt, IngestPlan } from './datasets.ts';
import { type AskedIngest, type FindParts, findDataset } from './find-dataset.ts';
import { IngestFailure } from './ingest-failure.ts';
import type { DatasetManifest, ManifestFile, StrategyName } from './manifest.ts';
import type { IngestResult } from './request.ts';
import { type Findings, failedResult, manifestOf, platformOf, sizeOf, storedResult, untried } from './result-of.ts';
import { putManifest } from './results/manifests.ts';
import { isHit } from './status.ts';

export interface IngestParts extends FindParts {
  readonly catalog: Pick<Catalog, 'get' | 'put'>;
  readonly artifacts: Pick<ArtifactStore, 'put'>;
  archiverOf(strategy: StrategyName): StrategyArchiver;
}

export interface AskedDataset extends AskedIngest, IngestAttempt {
  /** The slug of the set. */
  readonly set: string;
}

/** What an attempt has led to. */
interface IngestOutcome {
  readonly result: IngestResult;
  /** What became of the files of a dataset that was not stored: the manifest of the result of a last attempt. */
  readonly unstored?: { readonly folder: string; readonly files: readonly ManifestFile[] };
}

const ATTEMPT_BYTES = 4;

/**
 * Ingests a dataset: finds it, stores its files, then its manifest, then puts its document: from then on it exists.
 * Whatever is wrong with it is a result. Any number of processes may ingest the same one: one of them puts it.
 * @throws TidemarkError when this program's own store fails; the signal's reason
 */
export async function ingestDataset(asked: AskedDataset, parts: IngestParts): Promise<IngestOutcome> {
  const findings: Findings = {};
  let files: readonly ManifestFile[] | undefined;
  try {
    const found = await findDataset(asked, parts, findings);
    files = untried(found.dataset);
    const existing = await readDataset(asked.set, found, parts);
    if (isThere(existing)) return { result: storedResult(findings, existing.body, 'success-existing') };
    const job = jobOf(asked, found);
    const archived = await archive(job, asked, parts);
    if (isHit(archived.status as IngestResult['status']))
      return await put(asked, { found, job, archived, existing }, parts);
    files = archived.files;
    throw new IngestFailure(archived.status as IngestFailure['status'], archived.message ?? 'a file was not stored');
  } catch (error) {
    asked.signal.throwIfAborted();
    if (!(error instanceof IngestFailure)) throw error;
    const { dataset } = findings;
    if (dataset !== undefined) files ??= untried(dataset);
    const result = failedResult(findings, error, files);
    return { result, ...(files && dataset && { unstored: { folder: folderOf(platformOf(dataset)), files } }) };
  }
}

/** What would be stored, and how: nothing is. @throws IngestFailure; the signal's reason */
export async function planIngest(asked: AskedIngest, parts: FindParts): Promise<IngestPlan> {
  const { dataset, strategy } = await findDataset(asked, parts, {});
  return { dataset, strategy, totalSize: sizeOf(dataset.files) };
}

/** The result of a last attempt: the files of what was not stored are then its manifest. */
export async function withManifest(
  { result, unstored }: IngestOutcome,
  { artifacts }: Pick<IngestParts, 'artifacts'>,
): Promise<IngestResult> {
  if (unstored === undefined) return result;
  const { folder, files } = unstored;
  const { key } = await putManifest(artifacts, { folder, attempt: newAttempt() }, { files });
  return { ...result, manifest: key };
}

type Found = Required<Findings>;
type StoredDataset = CatalogDocument<Dataset> | undefined;

async function readDataset(set: string, { dataset }: Found, { catalog }: IngestParts): Promise<StoredDataset> {
  return catalog.get<Dataset>('dataset', datasetId(set, platformOf(dataset)));
}

function isThere(document: StoredDataset): document is CatalogDocument<Dataset> {
  return document !== undefined && document.body.removed === undefined;
}

function jobOf({ options, signal, onProgress }: AskedDataset, { dataset, strategy }: Found): ArchivingJob {
  const folder = folderOf(platformOf(dataset));
  return { dataset, strategy, folder, attempt: newAttempt(), options, signal, onProgress: onProgress ?? (() => {}) };
}

async function archive(job: ArchivingJob, { onStep }: AskedDataset, parts: IngestParts): Promise<ArchivedDataset> {
  const { strategy, dataset } = job;
  const archiver = parts.archiverOf(strategy);
  const existing = await archiver.checkExisting(job);
  if (existing !== undefined) return existing;
  const { length } = dataset.files;
  onStep?.(
    `storing ${length === 1 ? 'a file' : `${length} files`} (${formatBytes(sizeOf(dataset.files))}) as ${strategy}`,
  );
  return archiver.process(job);
}

interface Archived {
  readonly found: Found;
  readonly job: ArchivingJob;
  readonly archived: ArchivedDataset;
  /** A document of the dataset, which was taken out of its set. */
  readonly existing: StoredDataset;
}

async function put(asked: AskedDataset, stored: Archived, parts: IngestParts): Promise<IngestOutcome> {
  const { found, job, archived, existing } = stored;
  failpoint('dataset.archived');
  const manifest = manifestOf(found, archived);
  const { key, length, hashes } = await putManifest(parts.artifacts, job, manifest);
  failpoint('dataset.manifested');
  asked.signal.throwIfAborted();
  const dataset = datasetOf(asked.set, found, {
    manifest,
    archived,
    place: { artifact: key, length, sha256: hashes['sha-256'] },
  });
  const version = await unlessConflict(parts.catalog.put('dataset', dataset.id, dataset, existing?.version));
  failpoint('dataset.recorded');
  // Another process has put it first.
  const first = version === undefined ? await readDataset(asked.set, found, parts) : undefined;
  if (first !== undefined) return { result: storedResult(found, first.body, 'success-existing') };
  return { result: storedResult(found, dataset, statusOf(dataset, archived)) };
}

/** A copy that a remote backend had before is an existing one (d15); one of a killed attempt of our own is new. */
function statusOf({ isRemote, strategy }: Dataset, { status }: ArchivedDataset): IngestResult['status'] {
  if (isRemote && status === 'success-existing') return status;
  return strategy.endsWith('-file') ? 'success-file' : 'success';
}

interface DatasetParts extends Pick<Archived, 'archived'> {
  readonly manifest: DatasetManifest;
  readonly place: Dataset['manifest'];
}

function datasetOf(set: string, { dataset, strategy }: Found, { manifest, archived, place }: DatasetParts): Dataset {
  const platform = platformOf(dataset);
  const { itemName, itemBundlePath, files, bundle } = archived;
  const isRemote = [...files, bundle].every((file) => file?.stored === undefined);
  return {
    id: datasetId(set, platform),
    ...{ set, platform, landingUrl: dataset.landingUrl, strategy },
    ...(dataset.persistentId !== undefined && { persistentId: dataset.persistentId }),
    ...{ fileCount: manifest.file_count, totalSize: manifest.total_size },
    ...(itemName !== undefined && { itemName }),
    ...(itemBundlePath !== undefined && { itemBundlePath }),
    manifest: place,
    ...(isRemote && { isRemote }),
    stored: Date.now(),
  };
}

function newAttempt(): string {
  return randomBytes(ATTEMPT_BYTES).toString('hex');
}
