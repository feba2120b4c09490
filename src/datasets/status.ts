/**
 * What became of a request (of a dataset) or of a file of it. The names are those of sandcrawler, where it has one;
 * docs/datasets.md says what to do about each.
 */
const SUCCESSES = ['success', 'success-existing', 'success-file'] as const;

/** The landing page. */
const LANDING = [
  'no-capture',
  'redirect-loop',
  'redirect-refused',
  'terminal-bad-status',
  'blocked-challenge',
  'blocked-network',
  'html-too-large',
  'html-too-complex',
  'bad-url',
] as const;

/** The platform, and its manifest. */
const PLATFORM = [
  'no-platform-match',
  'platform-scope',
  'platform-restricted',
  'platform-404',
  'bad-platform-reply',
  'error-platform-download',
  'empty-manifest',
  'bad-manifest',
  'too-many-files',
  'too-large-size',
] as const;

/** Storing files. */
const STORING = [
  'mismatch-size',
  'mismatch-md5',
  'mismatch-sha1',
  'mismatch-sha256',
  'mismatch-other',
  'file-not-fetched',
  'bundle-incomplete',
  'bad-bundle',
  'item-conflict',
  'error-backend',
] as const;

/** Its job was cancelled, and it has no earlier result. */
const ENDED = ['cancelled'] as const;

/** Of a file alone: it was not fetched, because another file of the dataset had failed. */
export const OF_FILES = ['not-tried', 'unverified', 'accepted-mismatch'] as const;

export const DATASET_STATUSES = [...SUCCESSES, ...LANDING, ...PLATFORM, ...STORING, ...ENDED] as const;

/** What became of a request. */
export type DatasetStatus = (typeof DATASET_STATUSES)[number];

/**
 * What became of a file. `success`: stored, and equal to what the platform says of it; `unverified`: stored, and the
 * platform says neither its size nor a hash; `accepted-mismatch`: stored though it differs, by `--accept-mismatch`.
 */
export type FileStatus = DatasetStatus | (typeof OF_FILES)[number];

/** Whether a request has the outcome that was wanted (the column `hit` of sandcrawler). */
export function isHit(status: DatasetStatus): boolean {
  return (SUCCESSES as readonly string[]).includes(status);
}

/** Whether a later attempt may have another outcome although nothing was changed here: jobs try these again. */
export function mayPass(status: DatasetStatus): boolean {
  return (
    status === 'no-capture' ||
    status === 'error-platform-download' ||
    status === 'file-not-fetched' ||
    status === 'error-backend'
  );
}
