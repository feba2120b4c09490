import { isAbsolute } from 'node:path';
import { TidemarkError } from '../core/errors.ts';
import { isS3 } from '../lib/s3/s3-location.ts';
import type { ContentRoot } from './content-root.ts';
import { FolderRoot } from './folder/folder-root.ts';
import type { RootLocation } from './root-location.ts';
import { S3Root } from './s3/s3-root.ts';

/**
 * The content root of a set. The folder or bucket need not be there yet: whoever lists or watches it is told.
 * @throws TidemarkError `invalid` for what is no absolute path and no s3://bucket, or a pattern that is none
 */
export function openRoot(location: RootLocation): ContentRoot {
  const { root } = location;
  if (isS3(root)) return new S3Root(location);
  if (!isAbsolute(root)) {
    throw new TidemarkError('invalid', `the root "${root}" is not the absolute path of a folder`, { field: 'root' });
  }
  return new FolderRoot(location);
}
