import type { ArchivedDataset, ArchivingJob, BackendSession, DatasetBackend, StoredCopy } from '../archiving.ts';
import { IngestFailure } from '../ingest-failure.ts';
import type { ManifestFile, PlatformFile } from '../manifest.ts';
import { compareWithManifest } from './compare-with-manifest.ts';
import { failedEntry, isStored, notTried, storedEntry } from './manifest-entry.ts';
import { type MatchedBundle, matchBundle } from './match-bundle.ts';
import { type BundledFile, type BundleLimits, readBundle } from './read-bundle.ts';

/** Of the bundle in a session: files of the manifest are numbered from 1. */
const NUMBER = 0;
/** A bundle may have what its manifest does not have, such as a list of its files. */
const FREE = { entries: 1_000, bytes: 64 * 1024 ** 2 };
const MOST_OTHER_PATHS = 100;

/**
 * Stores the bundle of a dataset, whose files are hashed, and compared with the manifest (D10, D13, D15, d16). Its own
 * digest is compared with nothing: platforms make it anew for each download.
 * @param most bytes that may be in it when the platform does not state all sizes
 */
export async function storeBundle(backend: DatasetBackend, job: ArchivingJob, most: number): Promise<ArchivedDataset> {
  const bundle = bundleOf(job);
  const session = await backend.open(job);
  try {
    const matched = (await matchedExisting(session, job, most)) ?? (await matchedNew(session, job, most));
    const failed = matched.files.find((file) => !isStored(file));
    if (failed !== undefined) return { ...failureOf(failed, matched), files: matched.files };
    const copies = await session.finish();
    return storedBundle(bundle, matched, { session, copy: copies.get(NUMBER)! });
  } catch (error) {
    if (!(error instanceof IngestFailure)) throw error;
    const { status, message } = error;
    const files = job.dataset.files.map(notTried);
    return { status, message, files, bundle: failedEntry(bundle, { status, message }) };
  } finally {
    await session.abandon();
  }
}

/** Undefined unless an attempt before has stored it, and it has all files. */
async function matchedExisting(
  session: BackendSession,
  job: ArchivingJob,
  most: number,
): Promise<MatchedBundle | undefined> {
  const copy = await session.existing(bundleOf(job), NUMBER);
  const matched = copy && (await matchedIn(copy, session, { job, most }).catch(unlessFault));
  return matched?.files.every(isStored) ? matched : undefined;
}

function unlessFault(error: unknown): undefined {
  if (!(error instanceof IngestFailure)) throw error;
}

async function matchedNew(session: BackendSession, job: ArchivingJob, most: number): Promise<MatchedBundle> {
  return matchedIn(await session.store(bundleOf(job), NUMBER, progressOf(job)), session, { job, most });
}

/** Discards a bundle that is not as the manifest says. After another error, a later attempt reads it again. */
async function matchedIn(
  copy: StoredCopy,
  session: BackendSession,
  { job, most }: { readonly job: ArchivingJob; readonly most: number },
): Promise<MatchedBundle> {
  try {
    const matched = await filesIn(copy, job, most);
    if (!matched.files.every(isStored)) await session.discard(copy);
    return matched;
  } catch (error) {
    if (error instanceof IngestFailure) await session.discard(copy);
    throw error;
  }
}

function bundleOf({ dataset }: ArchivingJob): PlatformFile {
  const { bundle } = dataset;
  if (bundle === undefined) throw new Error('a strategy of a bundle was chosen, and there is none');
  return { path: bundle.name, hashes: [], mimetype: bundle.mimetype, platformUrl: bundle.url };
}

function progressOf({ onProgress }: ArchivingJob): (count: number) => void {
  let bytes = 0;
  return (count) => {
    bytes += count;
    onProgress({ files: 0, totalFiles: undefined, bytes, totalBytes: undefined });
  };
}

async function filesIn(copy: StoredCopy, job: ArchivingJob, most: number): Promise<MatchedBundle> {
  const { files } = job.dataset;
  const { status, message } = compareWithManifest(bundleOf(job), copy, false);
  if (status === 'blocked-challenge') throw new IngestFailure(status, message!);
  const ranges = { length: copy.size, read: (start: number, length: number) => copy.read!(start, length) };
  const bundled: BundledFile[] = [];
  for await (const file of readBundle(ranges, files, limitsOf(files, most))) {
    job.signal.throwIfAborted();
    bundled.push(file);
  }
  return matchBundle(files, bundled, job.options.acceptMismatch ?? false);
}

function limitsOf(files: readonly PlatformFile[], most: number): BundleLimits {
  const isKnown = files.every(({ size }) => size !== undefined);
  const bytes = isKnown ? files.reduce((sum, { size }) => sum + size!, 0) + FREE.bytes : most;
  return { entries: 2 * files.length + FREE.entries, bytes: Math.min(bytes, most + FREE.bytes) };
}

/** Of the first file that failed. When files are missing, all of them are named. */
function failureOf(failed: ManifestFile, { files }: MatchedBundle): Pick<ArchivedDataset, 'status' | 'message'> {
  const missing = files.filter(({ status }) => status === 'bundle-incomplete').map(({ path }) => path);
  if (failed.status !== 'bundle-incomplete' || missing.length < 2)
    return { status: failed.status, message: failed.message! };
  const named = missing.slice(0, 10).join(', ');
  const more = missing.length > 10 ? ` and ${missing.length - 10} more` : '';
  const message = `${missing.length} files of the manifest are not in the bundle of the platform: ${named}${more}. Ingest without --bundle where the platform has single files, or ask the platform`;
  return { status: failed.status, message };
}

function storedBundle(
  bundle: PlatformFile,
  { files, otherPaths }: MatchedBundle,
  { session, copy }: { readonly session: BackendSession; readonly copy: StoredCopy },
): ArchivedDataset {
  const { itemName } = session;
  const others = otherPaths.slice(0, MOST_OTHER_PATHS);
  const extra = others.length === 0 ? undefined : { other_paths: others };
  return {
    status: 'success',
    files,
    bundle: storedEntry({ ...bundle, extra }, { status: 'success' }, copy),
    ...(itemName !== undefined && { itemName, itemBundlePath: bundle.path }),
  };
}
