import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { TidemarkError } from '../../core/errors.ts';
import type { ArtifactStoreKind } from '../artifact-store-kind.ts';
import { FolderStore } from './folder-store.ts';

interface FolderLocation {
  readonly kind: 'folder';
  /** Absolute after `locate`. */
  readonly folder: string;
}

export const FOLDER: ArtifactStoreKind<FolderLocation> = {
  usage: 'file:PATH',

  parse(text) {
    const path = /^file:(.*)$/s.exec(text)?.[1];
    if (path === undefined) return undefined;
    if (path === '' || path.includes('\0')) {
      throw new TidemarkError('invalid', 'lacks the path of the folder: use file:PATH');
    }
    return { kind: 'folder', folder: path.startsWith('//') ? readUrl(text) : path };
  },

  locate: (location, folder) => ({ ...location, folder: resolve(folder, location.folder) }),

  placeOf: ({ folder }) => ({ folder }),

  open: ({ folder }) => new FolderStore(folder),
};

function readUrl(text: string): string {
  try {
    return fileURLToPath(text);
  } catch {
    throw new TidemarkError(
      'invalid',
      `${JSON.stringify(text)} is not a URL of a folder on this machine: use file:PATH`,
    );
  }
}
