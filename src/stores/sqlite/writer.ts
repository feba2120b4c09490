import type { Stamp } from '../../domain/stamp.ts';
import { AskedThread } from '../../threads/asked-thread.ts';
import { startThread } from '../../threads/questions.ts';
import { startOfMachine } from '../clock.ts';
import type { EventColumns, PutRequest, ResultColumns, WriterData, WriteTask } from './wire.ts';

/** The writer thread as seen from outside. It is started by the first write: whoever only reads never has one. */
export class Writer {
  readonly #thread: AskedThread;

  constructor(file: string, failpoint: string | undefined) {
    const workerData: WriterData = { file, failpoint, startOfMachine: startOfMachine() };
    const start = () => startThread('./writer-thread', import.meta.url, { workerData });
    this.#thread = new AskedThread({ work: 'writing to the store', start });
  }

  commit(events: EventColumns): Promise<ResultColumns> {
    return this.#thread.ask({ task: 'commit', events } satisfies WriteTask);
  }

  mark(): Promise<Stamp> {
    return this.#thread.ask({ task: 'mark' } satisfies WriteTask);
  }

  put(put: PutRequest): Promise<number> {
    return this.#thread.ask({ task: 'put', put } satisfies WriteTask);
  }

  /** Resolves when every write that was asked for is done. */
  close(): Promise<void> {
    return this.#thread.close();
  }
}
