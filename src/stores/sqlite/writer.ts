import type { Stamp } from '../../core/stamp.ts';
import { type Arguments, CalledThread, type Result, startWorker } from '../../lib/workers/rpc.ts';
import { startOfMachine } from '../store-clock.ts';
import type { StoreIdentity } from './store-lock.ts';
import type { EventColumns, JobWrite, PutRequest, ResultColumns, WriterData } from './wire.ts';
import type { Writes } from './writer.worker.ts';

interface WriterOptions {
  readonly failpoint: string | undefined;
  readonly identity: StoreIdentity;
}

/**
 * Writes to a store in a thread, one write at a time, in the order of the calls. A process that only reads never has
 * that thread.
 */
export class Writer {
  readonly #thread: CalledThread<Writes>;
  readonly #identity: StoreIdentity;

  constructor(file: string, { failpoint, identity }: WriterOptions) {
    const workerData: WriterData = { file, failpoint, startOfMachine: startOfMachine() };
    const start = () => startWorker('./writer.worker', import.meta.url, { workerData });
    this.#thread = new CalledThread({ work: 'writing to the store', start });
    this.#identity = identity;
  }

  commit(events: EventColumns): Promise<ResultColumns> {
    return this.#acknowledged('commit', [events]);
  }

  mark(): Promise<Stamp> {
    return this.#acknowledged('mark', []);
  }

  put(put: PutRequest): Promise<number> {
    return this.#acknowledged('put', [put]);
  }

  /** @see JobWriter */
  job(write: JobWrite): Promise<number> {
    return this.#acknowledged('job', [write]);
  }

  /** Resolves when every requested write is done. */
  close(): Promise<void> {
    return this.#thread.close();
  }

  async #acknowledged<Name extends keyof Writes>(
    name: Name,
    values: Arguments<Writes[Name]>,
  ): Promise<Result<Writes[Name]>> {
    this.#identity.require();
    const result = await this.#thread.call(name, values);
    // A write to a file that was replaced meanwhile is not acknowledged.
    this.#identity.require();
    return result;
  }
}
