import { closeSync, mkdirSync, openSync } from 'node:fs';
import { threadId } from 'node:worker_threads';
import { writeAllSync } from '../lib/files/write-all.ts';
import { folderError } from './folder-errors.ts';

/** Where threads write the drafts of a batch (see `Drafts` of an artifact store), as plain values. */
export interface DraftPlace {
  /** The name of the artifact store in messages. */
  readonly store: string;
  /** The path of the folder of the batch. */
  readonly folder: string;
}

/** Most drafts of a part of the folder: among thousands, ext4 takes a quarter longer to make and rename one. */
const MOST_OF_PART = 100;

/** The part of a folder to which this thread writes. */
let part = { folder: '', name: '', drafts: 0 };
let parts = 0;

/**
 * Writes a draft synchronously, for a thread that does nothing else. Returns its name in the folder. Each thread has
 * names of its own.
 * @throws TidemarkError `unavailable` when it cannot be written
 */
export function writeDraft({ store, folder }: DraftPlace, bytes: Uint8Array): string {
  try {
    if (part.folder !== folder || part.drafts === MOST_OF_PART) part = newPart(folder);
    const name = `${part.name}/${part.drafts++}`;
    writeNewFile(`${folder}/${name}`, bytes);
    return name;
  } catch (error) {
    throw folderError(store, 'written', error);
  }
}

function newPart(folder: string): typeof part {
  const name = `${threadId}-${parts++}`;
  mkdirSync(`${folder}/${name}`);
  return { folder, name, drafts: 0 };
}

export function writeNewFile(path: string, bytes: Uint8Array): void {
  const file = openSync(path, 'wx');
  try {
    writeAllSync(file, bytes);
  } finally {
    closeSync(file);
  }
}
