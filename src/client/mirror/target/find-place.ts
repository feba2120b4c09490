import { resolve } from 'node:path';
import { TidemarkError } from '../../../core/errors.ts';
import type { S3ClientSettings } from '../../../lib/s3/s3-client.ts';
import { isS3, parseS3Location } from '../../../lib/s3/s3-location.ts';
import { folderPlace } from './folder-place.ts';
import type { MirrorPlace } from './mirror-place.ts';
import { s3Place } from './s3/s3-place.ts';
import { findStateFolder } from './s3/state-folder.ts';

interface FindingPlace {
  readonly workingDirectory: string;
  /** The folder for the state of a copy in a bucket; undefined for the default. */
  readonly stateFolder: string | undefined;
  readonly settings: S3ClientSettings;
}

/**
 * Returns the place that the user has named: a folder, or `s3://BUCKET/PREFIX`.
 * @throws TidemarkError `invalid`, and as findStateFolder
 */
export async function findPlace(
  target: string,
  { workingDirectory, stateFolder, settings }: FindingPlace,
): Promise<MirrorPlace> {
  if (isS3(target)) {
    const location = parseS3Location(target, 'mirror');
    const folder =
      stateFolder === undefined ? findStateFolder(location, settings) : resolve(workingDirectory, stateFolder);
    return s3Place(location, { settings, stateFolder: await folder });
  }
  if (stateFolder === undefined) return folderPlace(resolve(workingDirectory, target));
  const message = '--state is for a copy in a bucket: the state of a copy in a folder is in that folder';
  throw new TidemarkError('invalid', message);
}
