import { isAbsolute } from 'node:path';
import { type ArtifactLocation, openArtifacts } from '../artifacts/open-artifacts.ts';
import { TidemarkError } from '../core/errors.ts';
import { traitsOf } from '../core/origin.ts';
import type { ResourceSet } from '../core/resource-set.ts';
import { isS3 } from '../lib/s3/s3-location.ts';
import type { ContentRoot } from './content-root.ts';
import type { Contents } from './contents.ts';
import { fileContents } from './files/file-contents.ts';
import { FolderRoot } from './folder/folder-root.ts';
import { MirroredRoot } from './resourcesync/mirrored-root.ts';
import type { RootLocation } from './root-location.ts';
import { S3Root } from './s3/s3-root.ts';

// Threads that only read bytes load this file, and not the code of all sources (open-source.ts): 2 MB in each thread.

interface ContentsParts {
  readonly artifacts: ArtifactLocation;
  rootLocationOf(set: ResourceSet): RootLocation;
}

/** Location of the bytes of a set. Plain values, so that threads can receive them. */
export type ContentsLocation =
  | { readonly kind: 'files'; readonly root: RootLocation }
  | { readonly kind: 'records' | 'datasets'; readonly artifacts: ArtifactLocation };

/** The location of the bytes of a set. @throws TidemarkError `invalid` for a set of which no dump is made */
export function locateContents(set: ResourceSet, parts: ContentsParts): ContentsLocation {
  const { origin } = set;
  switch (origin.kind) {
    case 'posted':
      throw new TidemarkError('invalid', `the bytes of the set ${set.slug} are elsewhere`, { set: set.slug });
    case 'folder':
    case 's3':
    case 'resourcesync':
      return { kind: 'files', root: parts.rootLocationOf(set) };
    case 'artifact':
    case 'stream':
      return { kind: 'records', artifacts: parts.artifacts };
    case 'datasets':
      return { kind: 'datasets', artifacts: parts.artifacts };
    case 'uploads':
    case 'dump-files':
      throw new TidemarkError('invalid', `no dump is made of "${set.slug}": ${traitsOf(origin).reasonForNoDump}`, {
        set: set.slug,
      });
  }
}

/** Opens the bytes of a set for a dedicated thread: opening a file may block that thread. */
export async function openContents(location: ContentsLocation): Promise<Contents> {
  if (location.kind === 'files') {
    return fileContents(openRoot({ ...location.root, blocks: true }), location.root.root);
  }
  if (location.kind === 'datasets') {
    const { datasetContents } = await import('./datasets/dataset-contents.ts');
    return datasetContents(openArtifacts(location.artifacts));
  }
  const { recordContents } = await import('./records/artifact/record-contents.ts');
  return recordContents(openArtifacts(location.artifacts));
}

/**
 * Opens the files of a folder or a bucket. It need not exist yet: listing or watching it reports that.
 * @throws TidemarkError `invalid` for a location that is neither an absolute path nor s3://bucket, or an invalid
 *   pattern
 */
export function openRoot(location: RootLocation): ContentRoot {
  const { copyOf, ...files } = location;
  // A thread that only opens files must not update the copy.
  if (copyOf !== undefined && location.blocks !== true) return new MirroredRoot(openRoot(files), location, copyOf);
  const { root } = location;
  if (isS3(root)) return new S3Root(location);
  if (!isAbsolute(root)) {
    throw new TidemarkError('invalid', `the root "${root}" is not the absolute path of a folder`, { field: 'root' });
  }
  return new FolderRoot(location);
}
