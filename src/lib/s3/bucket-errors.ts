import { isTidemarkError, TidemarkError } from '../../core/errors.ts';
import { causeOf, failureOf, isBucketMissing, reasonOf, serverOf } from './s3-failure.ts';
import { CALLED, describeS3, type S3Location, type S3Use } from './s3-location.ts';

interface UseTexts {
  readonly cannot: string;
  readonly permissions: string;
  /** Explains what to do when the bucket does not exist. */
  readonly missing: string;
}

const READS = 's3:ListBucket on the bucket, and s3:GetObject on its objects';
const READS_AND_WRITES =
  's3:ListBucket and s3:ListBucketMultipartUploads on the bucket, and s3:GetObject, s3:PutObject, ' +
  's3:AbortMultipartUpload and s3:DeleteObject on its objects';

const TEXTS: Readonly<Record<S3Use, UseTexts>> = {
  root: {
    cannot: 'cannot be read',
    permissions: READS,
    missing: '; bring it back, nothing is deleted meanwhile',
  },
  'new-root': { cannot: 'cannot be read', permissions: READS, missing: ': make it first, or correct its name' },
  artifacts: { cannot: 'cannot be used', permissions: READS_AND_WRITES, missing: '' },
  mirror: { cannot: 'cannot be used', permissions: READS_AND_WRITES, missing: ': make it first' },
};

/**
 * The error for a location that cannot be used. It repeats only names from the client's error: the rest may contain
 * keys and signatures.
 */
export function bucketError(location: S3Location, use: S3Use, error: unknown): TidemarkError {
  if (isTidemarkError(error)) return error;
  const failure = failureOf(error);
  const name = describeS3(location);
  const { cannot, permissions, missing } = TEXTS[use];
  const problem = isBucketMissing(failure)
    ? `does not exist: ${serverOf(location)} has no bucket ${location.bucket}${missing}`
    : `${cannot}: ${reasonOf(failure, location, permissions)}`;
  return new TidemarkError('unavailable', `${CALLED[use]} ${name} ${problem}`, { [use]: name }, causeOf(failure));
}

/**
 * The error for a response that S3 would not send, for example because it was cut off.
 * @param what follows the name of the server
 */
export function brokenAnswer(location: S3Location, use: S3Use, what: string): TidemarkError {
  const name = describeS3(location);
  const problem = `${TEXTS[use].cannot}: ${serverOf(location)} ${what}; trying again may help`;
  return new TidemarkError('unavailable', `${CALLED[use]} ${name} ${problem}`, { [use]: name });
}
