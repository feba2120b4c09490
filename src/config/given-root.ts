import { basename } from 'node:path';
import { type Origin, traitsOf } from '../core/origin.ts';
import { formatS3Location, isS3, parseS3Location } from '../lib/s3/s3-location.ts';
import type { Configuration } from './configuration.ts';
import { exclusionsOfOwnFiles } from './own-files.ts';
import { realFolder } from './real-folder.ts';

export interface GivenRoot {
  /** The same root always has the same origin. */
  readonly origin: Origin;
  /** Exclusions of Tidemark's own files. */
  readonly ownFiles: readonly string[];
}

/**
 * Parses a given root. Scanning shows whether a bucket exists.
 * @throws TidemarkError `invalid` when there is no such folder, or the location on S3 is not valid
 */
export async function givenRoot(
  text: string,
  workingDirectory: string,
  configuration: Configuration,
): Promise<GivenRoot> {
  const origin: Origin = isS3(text)
    ? { kind: 's3', location: formatS3Location(parseS3Location(text)) }
    : { kind: 'folder', path: await realFolder(text, workingDirectory) };
  return { origin, ownFiles: exclusionsOfOwnFiles(origin, configuration) };
}

/** The short name of a root: the last name of its path. */
export function nameOfRoot(origin: Origin): string {
  const { root = '', bucket: location } = traitsOf(origin);
  if (location === undefined) return basename(root);
  const { bucket, prefix } = parseS3Location(location);
  return prefix === '' ? bucket : basename(prefix);
}
