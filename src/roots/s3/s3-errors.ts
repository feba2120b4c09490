import { isTidemarkError, TidemarkError } from '../../domain/errors.ts';
import { changedMeanwhile, errorCode, noSuchFile } from '../file-errors.ts';
import { describeS3, type S3Location } from '../s3-location.ts';

/** What a server, or the way to it, says when something fails. */
interface Failure {
  /** As S3 calls it, such as `SlowDown`; or the code of the network's error. */
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
const TOO_SLOW = ['TimeoutError', 'RequestTimeout', 'ETIMEDOUT', 'ESOCKETTIMEDOUT'];
const ARCHIVED = 'InvalidObjectState';

/** Why the whole root cannot be used. Nothing of what the client says is repeated but names: it may hold keys and signatures. */
export function rootError(location: S3Location, error: unknown): TidemarkError {
  if (isTidemarkError(error)) return error;
  const failure = failureOf(error);
  const root = describeS3(location);
  const message = isMissing(failure)
    ? `the root ${root} is not there: ${where(location)} has no bucket ${location.bucket}; bring it back, nothing is deleted meanwhile`
    : `the root ${root} cannot be read: ${reasonOf(failure, location)}`;
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
  if (status !== 403 || BAD_KEYS.includes(name) || name === 'ExpiredToken' || name === 'RequestTimeTooSkewed') {
    return rootError(location, error);
  }
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
  const message = `the root ${root} cannot be read: ${where(location)} ${what}; trying again may help`;
  return new TidemarkError('unavailable', message, { root });
}

function isMissing({ name, status }: Failure): boolean {
  return name === 'NoSuchBucket' || status === 404;
}

function reasonOf(failure: Failure, location: S3Location): string {
  const { name, status } = failure;
  const server = where(location);
  const told = `(${nameOf(failure)})`;
  if (name === 'CredentialsProviderError') {
    return 'there are no credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or say anonymous=true for a public bucket';
  }
  if (/Region is missing/.test(name)) return 'its region is not known: add region=… to it, or set AWS_REGION';
  if (BAD_KEYS.includes(name)) return `${server} does not accept the credentials ${told}: check key and secret`;
  if (name === 'ExpiredToken') return `the credentials have expired ${told}: get new ones`;
  if (name === 'RequestTimeTooSkewed')
    return `the clocks of this machine and of ${server} differ ${told}: set them right`;
  if (OTHER_REGION.includes(name) || status === 301)
    return `the bucket is in another region ${told}: add region=… to it`;
  if (status === 403)
    return `${server} denies access ${told}: allow s3:ListBucket on the bucket, and s3:GetObject on its objects`;
  if (TOO_FAST.includes(name) || status === 503 || status === 429) {
    return `${server} asks to slow down ${told}; trying again in a while`;
  }
  if (TOO_SLOW.includes(name)) return `${server} does not answer in time ${told}`;
  if (status !== undefined && status >= 500) return `${server} failed ${told}`;
  if (/^E[A-Z_]+$/.test(name) || /CERT|TLS|SSL/.test(name)) return `${server} cannot be reached ${told}`;
  return `${server} gave an answer that is not one of S3's ${told}`;
}

function where({ endpoint }: S3Location): string {
  return endpoint ?? 'Amazon S3';
}

function failureOf(error: unknown): Failure {
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
  const status = $metadata?.httpStatusCode;
  // An answer that was understood, as far as its status goes, is no error of the server's.
  return { name: errorCode(error) ?? name, status: status === 200 ? undefined : status };
}

function nameOf({ name, status }: Failure): string {
  if (status === undefined) return name;
  return /^[A-Za-z]{3,}$/.test(name) ? `${status} ${name}` : String(status);
}

/** The client's own error may hold the request with its signature. */
function causeOf(failure: Failure): Error {
  return new Error(nameOf(failure));
}
