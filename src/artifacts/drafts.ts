import { closeSync, openSync, writeSync } from 'node:fs';
import { folderError } from './folder-errors.ts';

/** Where a thread writes a draft (`Drafts` of an artifact store); plain values. */
export interface DraftPlace {
  /** The artifact store, as messages name it. */
  readonly store: string;
  /** Of a new file. */
  readonly path: string;
}

/**
 * Writes a draft. It blocks: for a thread of its own.
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
    // A full disk may take a part of what it is given.
    for (let written = 0; written < bytes.length; ) written += writeSync(file, bytes, written);
  } finally {
    closeSync(file);
  }
}
