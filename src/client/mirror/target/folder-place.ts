import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { TidemarkError } from '../../../core/errors.ts';
import { STATE_FILE } from '../state/mirror-state.ts';
import { FolderTarget, isEmptyFolder } from './folder-target.ts';
import type { MirrorPlace } from './mirror-place.ts';

/**
 * A folder with both the files and the state of a copy.
 * @param folder absolute path
 */
export function folderPlace(folder: string): MirrorPlace {
  return {
    name: folder,
    stateFolder: folder,
    prepare(adopts) {
      if (!adopts && !existsSync(join(folder, STATE_FILE)) && !isEmptyFolder(folder)) throw isInUse(folder);
    },
    async open({ state, own }) {
      const bucket = state.fact('bucket');
      if (bucket !== undefined) throw hasOtherFiles(folder, bucket.name);
      return new FolderTarget(folder, own);
    },
  };
}

function isInUse(folder: string): TidemarkError {
  return new TidemarkError(
    'conflict',
    `${folder} is not empty, and no copy that tidemark made: use an empty folder, or --adopt to take over what is in it`,
    { folder },
  );
}

function hasOtherFiles(folder: string, bucket: string): TidemarkError {
  return new TidemarkError(
    'conflict',
    `${folder} has the state of the copy in ${bucket}: use another folder, or give ${bucket} and --state ${folder}`,
    { folder },
  );
}
