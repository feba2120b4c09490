import { basename } from 'node:path';
import { type Origin, traitsOf } from '../core/origin.ts';
import { formatS3Location, isS3, parseS3Location } from '../lib/s3/s3-location.ts';
import { realFolder } from './real-folder.ts';

/**
 * Parses a given root: the same root always has the same origin. Whether a bucket exists is not checked here.
 * @throws TidemarkError `invalid` when there is no such folder, or the location on S3 is not valid
 */
export async function originOfGivenRoot(text: string, workingDirectory: string): Promise<Origin> {
  if (isS3(text)) return { kind: 's3', location: formatS3Location(parseS3Location(text)) };
  return { kind: 'folder', path: await realFolder(text, workingDirectory) };
}

/** The short name of a root: the last name of its path. */
export function nameOfRoot(origin: Origin): string {
  const { root = '', bucket: location } = traitsOf(origin);
  if (location === undefined) return basename(root);
  const { bucket, prefix } = parseS3Location(location);
  return prefix === '' ? bucket : basename(prefix);
}
