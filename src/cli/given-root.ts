import { basename } from 'node:path';
import type { Configuration } from '../config/configuration.ts';
import { exclusionsOfOwnFiles } from '../config/own-files.ts';
import { formatS3Location, isS3, parseS3Location } from '../lib/s3/s3-location.ts';
import { realFolder } from './real-folder.ts';

export interface GivenRoot {
  /** The same root always has the same text. */
  readonly root: string;
  /** The exclusions that keep this program's own files out of it. */
  readonly ownFiles: readonly string[];
}

/**
 * The root that a person named. Whether a bucket is there is found out by scanning it.
 * @throws TidemarkError `invalid` when there is no such folder, or it is no location on S3
 */
export async function givenRoot(
  text: string,
  workingDirectory: string,
  configuration: Configuration,
): Promise<GivenRoot> {
  if (isS3(text)) return { root: formatS3Location(parseS3Location(text)), ownFiles: [] };
  const root = await realFolder(text, workingDirectory);
  return { root, ownFiles: exclusionsOfOwnFiles(root, configuration) };
}

/** What people would call a root: the last name of its path. */
export function nameOfRoot(root: string): string {
  if (!isS3(root)) return basename(root);
  const { bucket, prefix } = parseS3Location(root);
  return prefix === '' ? bucket : basename(prefix);
}
