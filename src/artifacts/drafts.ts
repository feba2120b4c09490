import { closeSync, openSync } from 'node:fs';
import { writeAllSync } from '../lib/files/write-all.ts';
import { folderError } from './folder-errors.ts';

/** The place of a new draft (see `Drafts` of an artifact store), as plain values. */
export interface DraftPlace {
  /** The name of the artifact store in messages. */
  readonly store: string;
  /** The path of a new file. */
  readonly path: string;
}

/**
 * Writes a draft synchronously, for a thread that does nothing else.
 * @throws TidemarkError `unavailable` when it cannot be written
 */
export function writeDraft({ store, path }: DraftPlace, bytes: Uint8Array): void {
  try {
    writeNewFile(path, bytes);
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
