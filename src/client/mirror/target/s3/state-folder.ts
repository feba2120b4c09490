import { createHash } from 'node:crypto';
import { existsSync, renameSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { S3ClientSettings } from '../../../../lib/s3/s3-client.ts';
import { describeS3, type S3Location } from '../../../../lib/s3/s3-location.ts';
import { OWN_PREFIX } from '../../names/safe-name.ts';
import { lockMirror } from '../../state/mirror-lock.ts';
import { MirrorState, STATE_FILE } from '../../state/mirror-state.ts';

/**
 * Returns the default folder for the state of a copy in a bucket. Earlier versions named it without the endpoint, so
 * copies at several endpoints shared one: such a folder gets its present name by the copy that it belongs to.
 * @throws TidemarkError `unavailable` when there is such a folder, and the bucket does not show whose it is
 */
export async function findStateFolder(location: S3Location, settings: S3ClientSettings): Promise<string> {
  const folder = folderOf(location);
  const earlier = folderOf({ ...location, endpoint: undefined });
  if (folder === earlier || existsSync(folder) || !existsSync(join(earlier, STATE_FILE))) return folder;
  if (!(await isStateOf(location, earlier, settings))) return folder;
  return move(earlier, folder, describeS3(location)) ? folder : earlier;
}

/** It is in the home folder of the user, so that it does not depend on the working directory. */
function folderOf(location: S3Location): string {
  const { bucket, endpoint } = location;
  const name = describeS3(location) + (endpoint === undefined ? '' : `?endpoint=${endpoint}`);
  const digest = createHash('sha256').update(name).digest('hex').slice(0, 12);
  return join(homedir(), '.local', 'state', 'tidemark', 'mirrors', `${bucket}-${digest}`);
}

/** Whether the bucket at this endpoint has the claim of the copy whose state is in the folder. */
async function isStateOf(location: S3Location, folder: string, settings: S3ClientSettings): Promise<boolean> {
  const id = copyIn(folder);
  if (id === undefined) return false;
  const [{ Bucket }, { readClaim }] = await Promise.all([
    import('../../../../lib/s3/bucket.ts'),
    import('./bucket-claim.ts'),
  ]);
  const bucket = new Bucket(location, settings, 'mirror');
  try {
    return (await readClaim(bucket))?.id === id;
  } finally {
    bucket.close();
  }
}

function copyIn(folder: string): string | undefined {
  const state = new MirrorState(join(folder, STATE_FILE), true);
  try {
    return state.fact('bucket')?.id;
  } finally {
    state.close();
  }
}

/** Returns false when the state stays where it is, such as when another process has its lock. */
function move(from: string, to: string, name: string): boolean {
  try {
    const lock = lockMirror(join(from, OWN_PREFIX), name);
    try {
      renameSync(from, to);
    } finally {
      lock.release();
    }
  } catch {
    // Another process may just have moved it.
    return existsSync(to);
  }
  return true;
}
