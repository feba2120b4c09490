import type { ArtifactLocation } from '../config/configuration.ts';
import type { S3ClientSettings } from '../lib/s3/s3-client.ts';
import type { ArtifactStore } from './artifact-store.ts';
import { FolderStore } from './folder/folder-store.ts';
import { S3Store } from './s3/s3-store.ts';

/** The artifact store of a configuration. Nothing is asked of it, or made, before it is used. */
export function openArtifacts(location: ArtifactLocation, settings: S3ClientSettings): ArtifactStore {
  switch (location.kind) {
    case 'folder':
      return new FolderStore(location.folder);
    case 's3':
      return new S3Store(location.place, settings);
  }
}
