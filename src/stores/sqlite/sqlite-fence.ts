import { randomUUID } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { type FenceState, PAUSE_MS, type StoreFence, type StorePause } from '../store-fence.ts';
import { type FenceBody, isUnderWay } from './fence-row.ts';
import type { ReadBatch } from './read-batch.ts';
import type { Writer } from './writer.ts';

interface FenceParts {
  readonly database: DatabaseSync;
  readonly writer: Writer;
  readonly reads: ReadBatch;
}

/** The writer has the lock of the file in each transaction, so a pause begins when all writes before it are durable. */
export class SqliteFence implements StoreFence {
  readonly #writer: Writer;
  readonly #reads: ReadBatch;
  readonly #get;

  constructor({ database, writer, reads }: FenceParts) {
    this.#writer = writer;
    this.#reads = reads;
    this.#get = database.prepare('SELECT body FROM fence');
  }

  async state(): Promise<FenceState> {
    const row = await this.#reads.run(() => this.#get.get());
    if (row === undefined) return { state: 'open' };
    const body: FenceBody = JSON.parse(row.body as string);
    if ('to' in body) return { state: 'moved', to: body.to };
    return { state: isUnderWay(body) ? 'paused' : 'open' };
  }

  async pause(forMs = PAUSE_MS): Promise<StorePause> {
    const id = randomUUID();
    await this.#writer.fence({ kind: 'pause', pause: id, forMs });
    return { id, commit: 0 };
  }

  async release({ id }: StorePause): Promise<void> {
    await this.#writer.fence({ kind: 'release', pause: id });
  }

  move({ id }: StorePause, to: string): Promise<boolean> {
    return this.#writer.fence({ kind: 'move', pause: id, to });
  }

  async takeBack(): Promise<void> {
    await this.#writer.fence({ kind: 'take-back' });
  }
}
