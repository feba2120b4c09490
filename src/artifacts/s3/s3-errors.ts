import { isTidemarkError, TidemarkError } from '../../core/errors.ts';
import { causeOf, failureOf, isBucketMissing, reasonOf, serverOf } from '../../lib/s3/s3-failure.ts';
import { describeS3, type S3Location } from '../../lib/s3/s3-location.ts';

const NEEDED =
  's3:ListBucket on the bucket, and s3:GetObject, s3:PutObject, s3:AbortMultipartUpload and s3:DeleteObject on its objects';

/** Why the store cannot be used. Nothing of what the client says is repeated but names: it may hold keys and signatures. */
export function storeError(location: S3Location, error: unknown): TidemarkError {
  if (isTidemarkError(error)) return error;
  const failure = failureOf(error);
  const artifacts = describeS3(location);
  const message = isBucketMissing(failure)
    ? `the artifact store ${artifacts} is not there: ${serverOf(location)} has no bucket ${location.bucket}`
    : `the artifact store ${artifacts} cannot be used: ${reasonOf(failure, location, NEEDED)}`;
  return new TidemarkError('unavailable', message, { artifacts }, causeOf(failure));
}

/** An answer that is not what S3 would say, perhaps because it was cut off. */
export function brokenAnswer(location: S3Location, what: string): TidemarkError {
  const artifacts = describeS3(location);
  const message = `the artifact store ${artifacts} cannot be used: ${serverOf(location)} ${what}; trying again may help`;
  return new TidemarkError('unavailable', message, { artifacts });
}
