import { type Command, InvalidArgumentError } from 'commander';
import { duration } from '../config/setting-values.ts';
import { TidemarkError } from '../domain/errors.ts';
import { isS3, parseS3Location } from '../s3/s3-location.ts';
import { oneOf } from './options.ts';

/** How the bytes of a set on S3 are sent. */
export interface RedirectOptions {
  readonly redirect?: 'presigned';
  /** Milliseconds. */
  readonly redirectExpiry?: number;
}

const USUAL_EXPIRY = 900_000;

export function addRedirectOptions(command: Command): void {
  command
    .option(
      '--redirect <how>',
      'with a root on S3, send clients to the S3 server, by URLs that hold for a while: presigned',
      oneOf('presigned'),
    )
    .option('--redirect-expiry <duration>', 'how long such a URL holds (default: 15m)', expiry);
}

/** @throws TidemarkError `invalid` for a root that cannot sign URLs */
export function presignedSeconds(
  { redirect, redirectExpiry }: RedirectOptions,
  root: string | undefined,
): number | undefined {
  if (redirect === undefined) {
    if (redirectExpiry !== undefined) throw wrong('--redirect-expiry goes with --redirect presigned');
    return undefined;
  }
  if (root === undefined || !isS3(root)) throw wrong('--redirect presigned goes with a root on S3');
  if (parseS3Location(root).anonymous) throw wrong('--redirect presigned needs credentials, and the root is anonymous');
  return Math.ceil((redirectExpiry ?? USUAL_EXPIRY) / 1000);
}

function expiry(text: string): number {
  const { success, data, error } = duration.safeParse(text);
  if (success) return data;
  throw new InvalidArgumentError(`It ${error.issues[0]!.message}.`);
}

function wrong(message: string): TidemarkError {
  return new TidemarkError('invalid', message, { field: 'redirect' });
}
