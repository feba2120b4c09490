import { isAbsolute } from 'node:path';
import { TidemarkError } from '../domain/errors.ts';
import type { ContentRoot } from './content-root.ts';
import { FolderRoot } from './folder/folder-root.ts';

export interface RootLocation {
  /** A folder's absolute path. */
  readonly root: string;
  /** Patterns of what is left out, as lines of a `.tidemarkignore`. */
  readonly exclude: readonly string[];
}

/**
 * The content root of a set. The folder need not be there yet: whoever lists or watches it is told.
 * @throws TidemarkError `invalid` for what is no absolute path, or a pattern that is none
 */
export function openRoot({ root, exclude }: RootLocation): ContentRoot {
  if (!isAbsolute(root)) {
    throw new TidemarkError('invalid', `the root "${root}" is not the absolute path of a folder`, { field: 'root' });
  }
  return new FolderRoot({ root, exclude });
}
