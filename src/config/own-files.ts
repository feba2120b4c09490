import { realpathSync } from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
import { placeOfArtifacts } from '../artifacts/open-artifacts.ts';
import { TidemarkError } from '../core/errors.ts';
import { type Origin, traitsOf } from '../core/origin.ts';
import { patternOfFolder } from '../lib/glob/exclusions.ts';
import { describeS3, parseS3Location, type S3Location } from '../lib/s3/s3-location.ts';
import type { Configuration } from './configuration.ts';

// SQLite keeps these files beside an open database; the last one is the lock of the store.
const STORE_SUFFIXES = ['', '-wal', '-shm', '-journal', '.lock'];

/**
 * The exclusions of this program's own files from a root that contains them. Otherwise every change would cause another
 * one, and the store and all artifacts would be public.
 * @throws TidemarkError `invalid` when the root itself is the data folder, the artifact store or the folder of backups
 */
export function exclusionsOfOwnFiles(origin: Origin, configuration: Configuration): readonly string[] {
  const { folder, bucket } = traitsOf(origin);
  if (folder !== undefined) return ownFilesIn(folder, configuration);
  return bucket === undefined ? [] : artifactsIn(parseS3Location(bucket), configuration);
}

function ownFilesIn(
  root: string,
  { dataFolder, backupFolder, store, artifacts, file }: Configuration,
): readonly string[] {
  const data = placeBelow(root, dataFolder);
  if (data === '') throw isOwn(root, 'data folder', '--data');
  const { folder } = placeOfArtifacts(artifacts);
  const ofArtifacts = folder === undefined ? undefined : placeBelow(root, folder);
  if (ofArtifacts === '') throw isOwn(root, 'artifact store', '--artifacts');
  const backups = placeBelow(root, backupFolder);
  if (backups === '') throw isOwn(root, 'folder of backups', '--backup-to');
  const ofStore = store.kind === 'sqlite' ? placeBelow(root, store.file) : undefined;
  const given = file === undefined ? undefined : placeBelow(root, file);
  const isElsewhere = (place: string | undefined): place is string =>
    place !== undefined && (data === undefined || !place.startsWith(`${data}/`));
  return [
    ...(data === undefined ? [] : [patternOfFolder(data)]),
    ...(isElsewhere(ofArtifacts) ? [patternOfFolder(ofArtifacts)] : []),
    ...(isElsewhere(backups) ? [patternOfFolder(backups)] : []),
    ...(isElsewhere(ofStore) ? STORE_SUFFIXES.map((suffix) => patternOfFile(ofStore + suffix)) : []),
    ...(isElsewhere(given) ? [patternOfFile(given)] : []),
  ];
}

function artifactsIn(root: S3Location, { artifacts }: Configuration): readonly string[] {
  const { bucket: place } = placeOfArtifacts(artifacts);
  const isSame = place?.bucket === root.bucket && place.endpoint === root.endpoint;
  if (!isSame || !place.prefix.startsWith(root.prefix)) return [];
  const below = place.prefix.slice(root.prefix.length, -1);
  if (below === '') throw isOwn(describeS3(root), 'artifact store', '--artifacts');
  return [patternOfFolder(below)];
}

function isOwn(root: string, what: string, flag: string): TidemarkError {
  return new TidemarkError('invalid', `${root} is the ${what} itself: choose another one with ${flag}`, {
    folder: root,
  });
}

/** A pattern for exactly one file of the root. */
function patternOfFile(path: string): string {
  return patternOfFolder(path).slice(0, -1);
}

/** The relative path of a file below a folder, with `/` between names; undefined for a file elsewhere. */
function placeBelow(folder: string, path: string): string | undefined {
  const place = relative(realPlace(folder), realPlace(path));
  if (place === '..' || place.startsWith(`..${sep}`) || place.startsWith(sep)) return undefined;
  return place.split(sep).join('/');
}

/** The real path of a file that may not exist yet. */
function realPlace(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return dirname(path) === path ? path : join(realPlace(dirname(path)), basename(path));
  }
}
