import type { CalledThread } from '../../lib/workers/rpc.ts';
import type { Draft, Drafts } from '../artifact-store.ts';
import type { DraftPlace } from '../drafts.ts';
import { requirePlainKey } from '../plain-key.ts';
import type { WriteFunctions } from './write.worker.ts';

/** Drafts in a folder of unfinished files. Storing one means renaming it. */
export class FolderDrafts implements Drafts {
  readonly place: DraftPlace;
  readonly #writer: CalledThread<WriteFunctions>;

  /** @param place a folder on the file system of the store */
  constructor(place: DraftPlace, writer: CalledThread<WriteFunctions>) {
    this.place = place;
    this.#writer = writer;
  }

  async keep(drafts: readonly Draft[]): Promise<void> {
    for (const { key } of drafts) requirePlainKey(key);
    await this.#writer.call('keepDrafts', [this.place.folder, drafts]);
  }
}
