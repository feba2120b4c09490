import { join } from 'node:path';
import { type ArtifactLocation, parseArtifacts } from '../artifacts/open-artifacts.ts';
import { isTidemarkError } from '../core/errors.ts';
import { checked, textOf, Wrong } from './checked-value.ts';

export const artifacts = checked((value): ArtifactLocation => {
  try {
    return parseArtifacts(textOf(value));
  } catch (error) {
    if (isTidemarkError(error, 'invalid')) throw new Wrong(error.message);
    throw error;
  }
});

/** The default folder of artifacts. */
export function defaultArtifacts(dataFolder: string): ArtifactLocation {
  return { kind: 'folder', folder: join(dataFolder, 'artifacts') };
}
