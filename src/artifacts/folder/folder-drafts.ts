import { join } from 'node:path';
import type { CalledThread } from '../../lib/workers/rpc.ts';
import type { Draft, Drafts } from '../artifact-store.ts';
import type { DraftPlace } from '../drafts.ts';
import { requirePlainKey } from '../plain-key.ts';
import type { WriteFunctions } from './write.worker.ts';

interface FolderDraftsParts {
  /** The root folder of the store. */
  readonly root: string;
  /** The folder of these drafts, on the same file system. */
  readonly folder: string;
  readonly writer: CalledThread<WriteFunctions>;
}

/** Drafts in a folder of unfinished files. Storing one means renaming it. */
export class FolderDrafts implements Drafts {
  readonly #parts: FolderDraftsParts;
  #places = 0;

  constructor(parts: FolderDraftsParts) {
    this.#parts = parts;
  }

  place(): DraftPlace {
    const { root, folder } = this.#parts;
    return { store: root, path: join(folder, String(this.#places++)) };
  }

  async keep(drafts: readonly Draft[]): Promise<void> {
    const { folder, writer } = this.#parts;
    for (const { key } of drafts) requirePlainKey(key);
    await writer.call('keepDrafts', [folder, drafts]);
  }
}
