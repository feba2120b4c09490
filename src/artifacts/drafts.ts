import { closeSync, openSync } from 'node:fs';
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

let drafts = 0;

/** A name for a draft of this thread, which no other draft of a folder has. */
export function newDraftName(): string {
  return `${threadId}-${drafts++}`;
}

/**
 * Writes a draft synchronously, for a thread that does nothing else.
 * @param name by `newDraftName`
 * @throws TidemarkError `unavailable` when it cannot be written
 */
export function writeDraft({ store, folder }: DraftPlace, name: string, bytes: Uint8Array): void {
  try {
    writeNewFile(`${folder}/${name}`, bytes);
  } catch (error) {
    throw folderError(store, 'written', error);
  }
}

export function writeNewFile(path: string, bytes: Uint8Array): void {
  const file = openSync(path, 'wx');
  try {
    writeAllSync(file, bytes);
  } finally {
    closeSync(file);
  }
}
