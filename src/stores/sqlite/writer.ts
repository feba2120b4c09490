import type { Stamp } from '../../core/stamp.ts';
import { CalledThread, startWorker } from '../../lib/workers/rpc.ts';
import { startOfMachine } from '../clock.ts';
import type { StoreIdentity } from './store-lock.ts';
import type { EventColumns, JobWrite, PutRequest, ResultColumns, WriterData } from './wire.ts';
import type { WriterFunctions } from './writer.worker.ts';

interface WriterOptions {
  readonly failpoint: string | undefined;
  readonly identity: StoreIdentity;
}

/** Calls the writer thread. It is started by the first write: a process that only reads never has one. */
export class Writer {
  readonly #thread: CalledThread<WriterFunctions>;
  readonly #identity: StoreIdentity;

  constructor(file: string, { failpoint, identity }: WriterOptions) {
    const workerData: WriterData = { file, failpoint, startOfMachine: startOfMachine() };
    const start = () => startWorker('./writer.worker', import.meta.url, { workerData });
    this.#thread = new CalledThread({ work: 'writing to the store', start });
    this.#identity = identity;
  }

  commit(events: EventColumns): Promise<ResultColumns> {
    return this.#acknowledged(() => this.#thread.call('commit', [events]));
  }

  mark(): Promise<Stamp> {
    return this.#acknowledged(() => this.#thread.call('mark', []));
  }

  put(put: PutRequest): Promise<number> {
    return this.#acknowledged(() => this.#thread.call('put', [put]));
  }

  /** @see JobWriter */
  job(write: JobWrite): Promise<number> {
    return this.#acknowledged(() => this.#thread.call('job', [write]));
  }

  /** Resolves when every requested write is done. */
  close(): Promise<void> {
    return this.#thread.close();
  }

  async #acknowledged<Result>(write: () => Promise<Result>): Promise<Result> {
    this.#identity.require();
    const result = await write();
    // A write to a file that was replaced meanwhile is not acknowledged.
    this.#identity.require();
    return result;
  }
}
