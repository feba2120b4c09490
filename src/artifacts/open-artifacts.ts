import type { ArtifactLocation } from '../config/configuration.ts';
import type { S3ClientSettings } from '../s3/s3-client.ts';
import type { ArtifactStore } from './artifact-store.ts';
import { FolderStore } from './folder/folder-store.ts';

/** The artifact store of a configuration. Nothing is asked of it, or made, before it is used. */
export function openArtifacts(location: ArtifactLocation, _settings: S3ClientSettings): ArtifactStore {
  switch (location.kind) {
    case 'folder':
      return new FolderStore(location.folder);
    case 's3':
      throw new Error('not yet');
  }
}
