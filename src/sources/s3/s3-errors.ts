import { isTidemarkError, TidemarkError } from '../../core/errors.ts';
import { causeOf, failureOf, isBucketMissing, isDenied, nameOf, reasonOf, serverOf } from '../../lib/s3/s3-failure.ts';
import { describeS3, type S3Location } from '../../lib/s3/s3-location.ts';
import { changedMeanwhile, noSuchFile } from '../file-errors.ts';

const NEEDED = 's3:ListBucket on the bucket, and s3:GetObject on its objects';
const ARCHIVED = 'InvalidObjectState';

/** Why the whole root cannot be used. Nothing of what the client says is repeated but names: it may hold keys and signatures. */
export function rootError(location: S3Location, error: unknown): TidemarkError {
  if (isTidemarkError(error)) return error;
  const failure = failureOf(error);
  const root = describeS3(location);
  const message = isBucketMissing(failure)
    ? `the root ${root} is not there: ${serverOf(location)} has no bucket ${location.bucket}; bring it back, nothing is deleted meanwhile`
    : `the root ${root} cannot be read: ${reasonOf(failure, location, NEEDED)}`;
  return new TidemarkError('unavailable', message, { root }, causeOf(failure));
}

/** What went wrong with one object. Errors that are not its own are the root's. A missing bucket looks like a missing object here. */
export function objectError(location: S3Location, path: string, error: unknown): TidemarkError {
  if (isTidemarkError(error)) return error;
  const failure = failureOf(error);
  const { name, status } = failure;
  if (status === 404 && name !== 'NoSuchBucket') return noSuchFile(path);
  // 416: it has become shorter than the range that is read.
  if (status === 412 || status === 416) return changedMeanwhile(path);
  if (!isDenied(failure)) return rootError(location, error);
  const reason = name === ARCHIVED ? 'it is archived: restore it first' : 'access is denied: allow s3:GetObject';
  return new TidemarkError(
    'unavailable',
    `"${path}" cannot be read: ${reason} (${nameOf(failure)})`,
    { path },
    causeOf(failure),
  );
}

/** Whether an answer is not what S3 would say, perhaps because it was cut off. */
export function brokenAnswer(location: S3Location, what: string): TidemarkError {
  const root = describeS3(location);
  const message = `the root ${root} cannot be read: ${serverOf(location)} ${what}; trying again may help`;
  return new TidemarkError('unavailable', message, { root });
}
