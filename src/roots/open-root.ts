import { isAbsolute } from 'node:path';
import { TidemarkError } from '../domain/errors.ts';
import type { ContentRoot } from './content-root.ts';
import { FolderRoot } from './folder/folder-root.ts';
import type { RootLocation } from './root-location.ts';

/**
 * The content root of a set. The folder need not be there yet: whoever lists or watches it is told.
 * @throws TidemarkError `invalid` for what is no absolute path, or a pattern that is none
 */
export function openRoot(location: RootLocation): ContentRoot {
  const { root } = location;
  if (!isAbsolute(root)) {
    throw new TidemarkError('invalid', `the root "${root}" is not the absolute path of a folder`, { field: 'root' });
  }
  return new FolderRoot(location);
}
