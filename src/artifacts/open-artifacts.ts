import { TidemarkError } from '../core/errors.ts';
import type { S3Waiting } from '../lib/s3/wait-while-away.ts';
import type { ArtifactStore } from './artifact-store.ts';
import type { ArtifactPlace, ArtifactSettings, ArtifactStoreKind } from './artifact-store-kind.ts';
import { FOLDER } from './folder/folder-kind.ts';
import { S3 } from './s3/s3-kind.ts';

/** All kinds of artifact stores, by the `kind` of their locations. To add one, write its folder, and a line here. */
const KINDS = {
  folder: FOLDER,
  s3: S3,
};

/**
 * The location of an artifact store, with all settings that opening it needs. A plain value that can be sent to
 * threads.
 */
export type ArtifactLocation = {
  readonly [Kind in keyof typeof KINDS]: Parameters<(typeof KINDS)[Kind]['open']>[0];
}[keyof typeof KINDS];

/** The syntax of locations of every kind. */
export const ARTIFACTS_USAGE = Object.values(KINDS)
  .map(({ usage }) => usage)
  .join(', or ');

/** Opens a store. Sends no request before the store is used. */
export function openArtifacts(location: ArtifactLocation): ArtifactStore {
  return kindOf(location).open(location);
}

/**
 * Parses the setting.
 * @throws TidemarkError `invalid`, with words that follow the name of the setting
 */
export function parseArtifacts(text: string): ArtifactLocation {
  for (const kind of Object.values(KINDS)) {
    const location = kind.parse(text);
    if (location !== undefined) return location;
  }
  // The text may be a mistyped URL with a secret, so it is not repeated.
  throw new TidemarkError('invalid', `is not an artifact store: use ${ARTIFACTS_USAGE}`);
}

/** Makes a relative path absolute. */
export function locateArtifacts(location: ArtifactLocation, folder: string): ArtifactLocation {
  return kindOf(location).locate?.(location, folder) ?? location;
}

/** Adds the settings that a store of its kind needs. */
export function configureArtifacts(location: ArtifactLocation, settings: ArtifactSettings): ArtifactLocation {
  return kindOf(location).configure?.(location, settings) ?? location;
}

/** For work that no person waits for: its stores, in all its threads, wait while an S3 server is away. */
export function waitingArtifacts(location: ArtifactLocation, waiting: S3Waiting): ArtifactLocation {
  return kindOf(location).waiting?.(location, waiting) ?? location;
}

/** Where a store has its objects. */
export function placeOfArtifacts(location: ArtifactLocation): ArtifactPlace {
  return kindOf(location).placeOf?.(location) ?? {};
}

/** Whether a thread that writes artifacts needs much less memory when another thread stores them. */
export function isLargePerThread(location: ArtifactLocation): boolean {
  return kindOf(location).isLargePerThread ?? false;
}

function kindOf({ kind }: ArtifactLocation): ArtifactStoreKind<ArtifactLocation> {
  return KINDS[kind];
}
