import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { CalledThread } from '../../lib/workers/rpc.ts';
import type { Draft, Drafts } from '../artifact-store.ts';
import type { DraftPlace } from '../drafts.ts';
import { folderError } from '../folder-errors.ts';
import { requirePlainKey } from '../plain-key.ts';
import type { WriteFunctions } from './write.worker.ts';

interface FolderDraftsParts {
  /** The root folder of the store. */
  readonly root: string;
  /** The folder of these drafts, on the same file system. */
  readonly folder: string;
  readonly writer: CalledThread<WriteFunctions>;
}

/** Most drafts of a folder: among thousands, ext4 takes a quarter longer to make and rename one. */
const MOST_OF_FOLDER = 100;

/** Drafts in a folder of unfinished files. Storing one means renaming it. */
export class FolderDrafts implements Drafts {
  readonly #parts: FolderDraftsParts;
  #places = 0;
  /** Resolves when the folder of the last place exists. */
  #part: Promise<void> | undefined;

  constructor(parts: FolderDraftsParts) {
    this.#parts = parts;
  }

  async place(): Promise<DraftPlace> {
    const { root, folder } = this.#parts;
    const at = this.#places++;
    const part = join(folder, String(Math.floor(at / MOST_OF_FOLDER)));
    if (at % MOST_OF_FOLDER === 0) this.#part = mkdir(part);
    try {
      await this.#part;
    } catch (error) {
      throw folderError(root, 'written', error);
    }
    return { store: root, path: join(part, String(at)) };
  }

  async keep(drafts: readonly Draft[]): Promise<void> {
    const { folder, writer } = this.#parts;
    for (const { key } of drafts) requirePlainKey(key);
    await writer.call('keepDrafts', [folder, drafts]);
  }
}
