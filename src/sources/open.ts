import { isAbsolute } from 'node:path';
import { TidemarkError } from '../core/errors.ts';
import type { ResourceSet } from '../core/resource-set.ts';
import { isS3 } from '../lib/s3/s3-location.ts';
import { ArtifactSource, type ArtifactSourceParts } from './artifact/artifact-source.ts';
import type { ContentRoot } from './content-root.ts';
import type { ComparedFiles } from './files/compare-files.ts';
import { FileSource } from './files/file-source.ts';
import { FolderRoot } from './folder/folder-root.ts';
import type { RootLocation } from './root-location.ts';
import { S3Root } from './s3/s3-root.ts';
import type { Source } from './source.ts';

export interface SourceParts extends ArtifactSourceParts {
  /** The files of a set, and what is remembered of them. */
  filesOf(set: ResourceSet): ComparedFiles;
}

/** What a set is synced with. @throws TidemarkError `invalid` for a set that others post to */
export function openSource(set: ResourceSet, parts: SourceParts): Source {
  const { origin } = set;
  switch (origin.kind) {
    case 'posted':
      throw new TidemarkError('invalid', `the set ${set.slug} has no root and no records: its resources are posted`, {
        set: set.slug,
      });
    case 'folder':
    case 's3':
      return new FileSource(parts.filesOf(set));
    case 'artifact':
      return new ArtifactSource(set, origin, parts);
  }
}

/**
 * The files of a folder or a bucket. It need not exist yet: listing or watching it reports that.
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
