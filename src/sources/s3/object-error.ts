import { isTidemarkError, TidemarkError } from '../../core/errors.ts';
import type { Bucket } from '../../lib/s3/bucket.ts';
import { causeOf, failureOf, isDenied, nameOf } from '../../lib/s3/s3-failure.ts';
import { changedMeanwhile, noSuchFile } from '../file-errors.ts';

const ARCHIVED = 'InvalidObjectState';

/** The error of a request for one object. A missing bucket cannot be distinguished from a missing object here. */
export function objectError(bucket: Bucket, path: string, error: unknown): TidemarkError {
  if (isTidemarkError(error)) return error;
  const failure = failureOf(error);
  const { name, status } = failure;
  if (status === 404 && name !== 'NoSuchBucket') return noSuchFile(path);
  // 416: it has become shorter than the range that is read.
  if (status === 412 || status === 416) return changedMeanwhile(path);
  if (!isDenied(failure)) return bucket.errorOf(error);
  const reason = name === ARCHIVED ? 'it is archived: restore it first' : 'access is denied: allow s3:GetObject';
  const message = `"${path}" cannot be read: ${reason} (${nameOf(failure)})`;
  return new TidemarkError('unavailable', message, { path }, causeOf(failure));
}

/** Whether the permission to read an object is missing. */
export function isForbidden(error: unknown): boolean {
  const failure = failureOf(error);
  return isDenied(failure) && failure.name !== ARCHIVED;
}

/** The error for an object that was not found although a list still contains it. */
export function listedOnly(path: string, error: unknown): TidemarkError {
  const message = `"${path}" cannot be read: the bucket lists it, and does not have it; its key may have characters that a list cannot hold`;
  return new TidemarkError('unavailable', message, { path }, error);
}
