import { closeSync, openSync, writeSync } from 'node:fs';
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
    // A write to a nearly full disk may be partial.
    for (let written = 0; written < bytes.length; ) written += writeSync(file, bytes, written);
  } finally {
    closeSync(file);
  }
}
