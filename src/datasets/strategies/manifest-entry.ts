import type { StoredCopy } from '../archiving.ts';
import { publicUrl } from '../fetch/shown-url.ts';
import type { IngestFailure } from '../ingest-failure.ts';
import type { ManifestFile, PlatformFile } from '../manifest.ts';
import type { Compared } from './compare-with-manifest.ts';

/** Names of digests in a manifest, by those of platforms. */
const COLUMNS = ['md5', 'sha1', 'sha256'] as const;

/** A file that is stored, or that was compared and differs. */
export function storedEntry(
  file: PlatformFile,
  { status, message }: Compared | { readonly status: 'success-existing'; readonly message?: string },
  copy: Omit<StoredCopy, 'number'>,
): ManifestFile {
  const { size, hashes, otherHashes, terminalUrl, terminalDt, stored } = copy;
  const mimetype = file.mimetype ?? copy.mimetype;
  return {
    status,
    ...(message !== undefined && { message }),
    path: file.path,
    size,
    md5: hashes.md5,
    sha1: hashes['sha-1'],
    ...(hashes['sha-256'] !== undefined && { sha256: hashes['sha-256'] }),
    ...(mimetype !== undefined && { mimetype }),
    ...(file.platformUrl !== undefined && { platform_url: publicUrl(file.platformUrl) }),
    ...(terminalUrl !== undefined && { terminal_url: terminalUrl }),
    ...(terminalDt !== undefined && { terminal_dt: terminalDt }),
    ...extraOf(file, otherHashes),
    ...(stored !== undefined && { stored }),
  };
}

/** A file that is not stored: with what its platform states. */
export function failedEntry(
  file: PlatformFile,
  { status, message }: Pick<ManifestFile, 'status'> & { readonly message?: string | undefined },
): ManifestFile {
  const { path, size, hashes, mimetype, platformUrl } = file;
  const stated = (name: string): string | undefined => hashes.find(({ algorithm }) => algorithm === name)?.digest;
  const columns = COLUMNS.flatMap((name) => (stated(name) === undefined ? [] : [[name, stated(name)]]));
  const others = hashes.filter(({ algorithm }) => !(COLUMNS as readonly string[]).includes(algorithm));
  return {
    status,
    ...(message !== undefined && { message }),
    path,
    ...(size !== undefined && { size }),
    ...Object.fromEntries(columns),
    ...(mimetype !== undefined && { mimetype }),
    ...(platformUrl !== undefined && { platform_url: publicUrl(platformUrl) }),
    ...extraOf(file, Object.fromEntries(others.map(({ algorithm, digest }) => [algorithm, digest]))),
  };
}

/** A file that was not tried, since another one of its dataset had failed. */
export const notTried = (file: PlatformFile): ManifestFile => failedEntry(file, { status: 'not-tried' });

export const ofFailure = (file: PlatformFile, { status, message }: IngestFailure): ManifestFile =>
  failedEntry(file, { status, message });

/** Statuses of a file that is part of a stored dataset. */
const STORED: readonly ManifestFile['status'][] = ['success', 'success-existing', 'unverified', 'accepted-mismatch'];

export const isStored = ({ status }: Pick<ManifestFile, 'status'>): boolean => STORED.includes(status);

function extraOf({ extra }: PlatformFile, others: Readonly<Record<string, string>> = {}) {
  const all = { ...extra, ...others };
  return Object.keys(all).length === 0 ? {} : { extra: all };
}
