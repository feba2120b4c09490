import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isTidemarkError } from '../core/errors.ts';
import { isS3, parseS3Location } from '../lib/s3/s3-location.ts';
import { checked, quote, textOf, Wrong } from './checked-value.ts';
import type { ArtifactLocation } from './configuration.ts';

export const artifacts = checked((value): ArtifactLocation => {
  const text = textOf(value);
  if (isS3(text)) return { kind: 's3', place: readPlace(text) };
  const path = /^file:(.*)$/s.exec(text)?.[1];
  // It may be a URL with a key that was mistyped, so it is not repeated.
  if (path === undefined) {
    throw new Wrong('is no artifact store: use file:PATH, such as file:data/artifacts, or s3://BUCKET/PREFIX');
  }
  if (path === '' || path.includes('\0')) throw new Wrong('lacks the path of the folder: use file:PATH');
  return { kind: 'folder', folder: path.startsWith('//') ? readUrl(text) : path };
});

/** Makes the path of a folder absolute. */
export function locateArtifacts(location: ArtifactLocation, folder: string): ArtifactLocation {
  return location.kind === 'folder' ? { ...location, folder: resolve(folder, location.folder) } : location;
}

/** The folder of artifacts when nothing is said. */
export function defaultArtifacts(dataFolder: string): ArtifactLocation {
  return { kind: 'folder', folder: join(dataFolder, 'artifacts') };
}

function readPlace(text: string) {
  try {
    return parseS3Location(text, 'artifacts');
  } catch (error) {
    if (isTidemarkError(error, 'invalid')) throw new Wrong(`is no place for artifacts: ${error.message}`);
    throw error;
  }
}

function readUrl(text: string): string {
  try {
    return fileURLToPath(text);
  } catch {
    throw new Wrong(`${quote(text)} is no URL of a folder on this machine: use file:PATH`);
  }
}
