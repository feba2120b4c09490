import type { Stamp } from '../../core/stamp.ts';
import { AskedThread } from '../../lib/workers/asked-thread.ts';
import { startThread } from '../../lib/workers/questions.ts';
import { startOfMachine } from '../clock.ts';
import type { StoreIdentity } from './store-lock.ts';
import type { EventColumns, PutRequest, ResultColumns, WriterData, WriteTask } from './wire.ts';

export interface WriterOptions {
  readonly failpoint: string | undefined;
  readonly identity: StoreIdentity;
}

/** The writer thread as seen from outside. It is started by the first write: whoever only reads never has one. */
export class Writer {
  readonly #thread: AskedThread;
  readonly #identity: StoreIdentity;

  constructor(file: string, { failpoint, identity }: WriterOptions) {
    const workerData: WriterData = { file, failpoint, startOfMachine: startOfMachine() };
    const start = () => startThread('./writer-thread', import.meta.url, { workerData });
    this.#thread = new AskedThread({ work: 'writing to the store', start });
    this.#identity = identity;
  }

  commit(events: EventColumns): Promise<ResultColumns> {
    return this.#ask({ task: 'commit', events });
  }

  mark(): Promise<Stamp> {
    return this.#ask({ task: 'mark' });
  }

  put(put: PutRequest): Promise<number> {
    return this.#ask({ task: 'put', put });
  }

  /** Resolves when every write that was asked for is done. */
  close(): Promise<void> {
    return this.#thread.close();
  }

  async #ask<Answer>(task: WriteTask): Promise<Answer> {
    this.#identity.require();
    const answer = await this.#thread.ask<WriteTask, Answer>(task);
    // What went to a file that was replaced meanwhile is not acknowledged.
    this.#identity.require();
    return answer;
  }
}
