import { prefetch } from '../../lib/calls/prefetch.ts';
import { CalledThread } from '../../lib/workers/rpc.ts';
import type { RootEntry, SkippedEntries } from '../content-root.ts';
import { folderThread } from './folder-thread.ts';
import type { WalkedFolder } from './walk.ts';
import type { WalkFunctions } from './walk.worker.ts';

/** Walks a folder in a thread. */
export class WalkClient {
  readonly #thread: CalledThread<WalkFunctions>;
  #lastId = 0;

  constructor(folder: WalkedFolder) {
    this.#thread = new CalledThread(folderThread('walk.worker', folder));
  }

  /** The batches of a walk. The thread makes the next batch while the caller uses the last one. */
  async *walk(under: string, onSkipped?: (skipped: SkippedEntries) => void): AsyncGenerator<readonly RootEntry[]> {
    const id = ++this.#lastId;
    const release = this.#thread.hold();
    try {
      const batches = prefetch(() => this.#thread.call('next', [id, under]));
      for await (const { entries, skipped } of batches) {
        onSkipped?.(skipped);
        if (entries.length > 0) yield entries;
      }
    } finally {
      this.#thread.call('end', [id]).catch(() => {});
      release();
    }
  }
}
