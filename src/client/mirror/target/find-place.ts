import { createHash } from 'node:crypto';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { TidemarkError } from '../../../core/errors.ts';
import type { S3ClientSettings } from '../../../lib/s3/s3-client.ts';
import { describeS3, isS3, parseS3Location, type S3Location } from '../../../lib/s3/s3-location.ts';
import { folderPlace } from './folder-place.ts';
import type { MirrorPlace } from './mirror-place.ts';
import { s3Place } from './s3/s3-place.ts';

interface FindingPlace {
  readonly workingDirectory: string;
  /** The folder for the state of a copy in a bucket; undefined for the default. */
  readonly stateFolder: string | undefined;
  readonly settings: S3ClientSettings;
}

/**
 * Returns the place that the user has named: a folder, or `s3://BUCKET/PREFIX`.
 * @throws TidemarkError `invalid`
 */
export function findPlace(target: string, { workingDirectory, stateFolder, settings }: FindingPlace): MirrorPlace {
  if (isS3(target)) {
    const location = parseS3Location(target, 'mirror');
    const folder = stateFolder === undefined ? usualStateFolder(location) : resolve(workingDirectory, stateFolder);
    return s3Place(location, { settings, stateFolder: folder });
  }
  if (stateFolder === undefined) return folderPlace(resolve(workingDirectory, target));
  const message = '--state is for a copy in a bucket: the state of a copy in a folder is in that folder';
  throw new TidemarkError('invalid', message);
}

/** The default is in the home folder of the user, so that it does not depend on the working directory. */
function usualStateFolder(location: S3Location): string {
  const digest = createHash('sha256').update(describeS3(location)).digest('hex').slice(0, 12);
  return join(homedir(), '.local', 'state', 'tidemark', 'mirrors', `${location.bucket}-${digest}`);
}
