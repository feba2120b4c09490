import { errorCode } from '../system-error.ts';
import type { S3Location } from './s3-location.ts';

/** The failure of a request, by the server or the network. */
interface S3Failure {
  /** The error code of S3, such as `SlowDown`, or of the network error. */
  readonly name: string;
  readonly status: number | undefined;
}

const BAD_KEYS = [
  'InvalidAccessKeyId',
  'SignatureDoesNotMatch',
  'InvalidToken',
  'TokenRefreshRequired',
  'InvalidSecurity',
];
const OTHER_REGION = ['PermanentRedirect', 'AuthorizationHeaderMalformed', 'IllegalLocationConstraintException'];
const TOO_FAST = [
  'SlowDown',
  'SlowDownRead',
  'Throttling',
  'ThrottlingException',
  'TooManyRequests',
  'RequestLimitExceeded',
];
const SYSTEM_ERROR = /^E[A-Z_]+$/;
const TOO_SLOW = ['TimeoutError', 'RequestTimeout', 'ETIMEDOUT', 'ESOCKETTIMEDOUT'];

/** Whether the bucket does not exist, by the response to a request that names no object. */
export function isBucketMissing(failure: S3Failure): boolean {
  return failure.name === 'NoSuchBucket' || (failure.status === 404 && !isUploadMissing(failure));
}

/** Whether a multipart upload was completed or aborted, perhaps by another process. */
export function isUploadMissing({ name }: S3Failure): boolean {
  return name === 'NoSuchUpload';
}

/** Whether the server throttles, fails, does not answer or cannot be reached: a later attempt may succeed. */
export function isAway({ name, status }: S3Failure): boolean {
  if (TOO_FAST.includes(name) || TOO_SLOW.includes(name) || status === 429) return true;
  return status === undefined ? SYSTEM_ERROR.test(name) : status >= 500 && status !== 501;
}

/** Whether the server has authenticated the client, but denies the request. */
export function isDenied({ name, status }: S3Failure): boolean {
  return status === 403 && !BAD_KEYS.includes(name) && name !== 'ExpiredToken' && name !== 'RequestTimeTooSkewed';
}

/**
 * The reason of a failure, and what to do.
 * @param allow the permissions that are needed, when access is denied
 */
export function reasonOf(failure: S3Failure, location: S3Location, allow: string): string {
  const { name, status } = failure;
  const server = serverOf(location);
  const detail = `(${nameOf(failure)})`;
  if (name === 'CredentialsProviderError') {
    const cure = 'set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or say anonymous=true for a public bucket';
    return `there are no credentials: ${cure}`;
  }
  if (/Region is missing/.test(name)) return 'its region is not known: add region=… to it, or set AWS_REGION';
  // The client keeps those that have no known end, as those of the environment and of files.
  if (BAD_KEYS.includes(name))
    return `${server} does not accept the credentials ${detail}: check key and secret; they are read once, at the start`;
  if (name === 'ExpiredToken') return `the credentials have expired ${detail}: get new ones, and start again with them`;
  if (name === 'RequestTimeTooSkewed')
    return `the clocks of this machine and of ${server} differ ${detail}: set them right`;
  if (OTHER_REGION.includes(name) || status === 301) {
    const { region } = location;
    if (region === undefined) return `the bucket is in another region ${detail}: add region=… to it`;
    return `the bucket is in another region than ${region} ${detail}: correct its region=…`;
  }
  if (status === 403) return `${server} denies access ${detail}: allow ${allow}`;
  if (isUploadMissing(failure))
    return `${server} does not have the upload any more ${detail}: it was aborted; try again`;
  if (TOO_FAST.includes(name) || status === 503 || status === 429) {
    return `${server} asks to slow down ${detail}; trying again in a while`;
  }
  if (TOO_SLOW.includes(name)) return `${server} does not answer in time ${detail}`;
  if (status !== undefined && status >= 500) return `${server} failed ${detail}`;
  if (SYSTEM_ERROR.test(name) || /CERT|TLS|SSL/.test(name)) return `${server} cannot be reached ${detail}`;
  return `${server} gave an answer that is not one of S3's ${detail}`;
}

/** The name of the server in messages. */
export function serverOf({ endpoint }: S3Location): string {
  return endpoint ?? 'Amazon S3';
}

/** The failure that an error of the client describes, in the codes of Amazon S3. */
export function failureOf(error: unknown): S3Failure {
  const {
    name = 'Error',
    message = '',
    $metadata,
  } = error as {
    readonly name?: string;
    readonly message?: string;
    readonly $metadata?: { readonly httpStatusCode?: number };
  };
  if (message === 'Region is missing') return { name: message, status: undefined };
  // versitygw does not know the access key. Its status is 404, which would mean a missing bucket or object.
  if (name === 'XAdminUserNotFound') return { name: 'InvalidAccessKeyId', status: 403 };
  const status = $metadata?.httpStatusCode;
  // With status 200, the error is not one of the server: the response could not be read.
  return { name: errorCode(error) ?? name, status: status === 200 ? undefined : status };
}

export function nameOf({ name, status }: S3Failure): string {
  if (status === undefined) return name;
  return /^[A-Za-z]{3,}$/.test(name) ? `${status} ${name}` : String(status);
}

/** The cause of our errors. It is not the client's own error, which may contain the request with its signature. */
export function causeOf(failure: S3Failure): Error {
  return new Error(nameOf(failure));
}
