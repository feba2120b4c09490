import { prefetch } from '../../lib/prefetch.ts';
import type { RootEntry } from '../content-root.ts';
import { HeldThread } from './held-thread.ts';
import type { WalkedFolder } from './walk.ts';
import type { WalkAnswer, WalkAsk } from './walk-thread.ts';

/** Walks a folder in a thread of its own. */
export class WalkClient {
  readonly #thread: HeldThread<WalkAsk, WalkAnswer>;
  #lastId = 0;

  constructor(workerData: WalkedFolder) {
    this.#thread = new HeldThread('walk-thread', workerData);
  }

  /** The batches of a walk; the next one is gathered while the caller uses the last. */
  async *walk(under: string): AsyncGenerator<readonly RootEntry[]> {
    const id = ++this.#lastId;
    this.#thread.hold();
    try {
      const batches = prefetch(() => this.#thread.ask({ id, under, end: false }));
      for await (const batch of batches) if (batch.length > 0) yield batch;
    } finally {
      this.#thread.ask({ id, under, end: true }).catch(() => {});
      this.#thread.letGo();
    }
  }
}
