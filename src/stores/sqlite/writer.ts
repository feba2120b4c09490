import type { Stamp } from '../../core/stamp.ts';
import { type Arguments, CalledThread, type Result, startWorker } from '../../lib/workers/rpc.ts';
import { startOfMachine } from '../clock.ts';
import type { StoreIdentity } from './store-lock.ts';
import type { EventColumns, JobWrite, PutRequest, ResultColumns, WriterData } from './wire.ts';
import { FirstWrites, type Writes } from './writes.ts';

interface WriterOptions {
  readonly failpoint: string | undefined;
  readonly identity: StoreIdentity;
}

/** Events of a small commit, which takes a few milliseconds. */
const SMALL_COMMIT = 100;

/**
 * Writes to a store, one write at a time, in the order of the calls. The first small writes are made at once, and all
 * others by the writer thread. A process that only reads never has one.
 */
export class Writer {
  readonly #first: FirstWrites;
  readonly #thread: CalledThread<Writes>;
  readonly #identity: StoreIdentity;

  constructor(file: string, { failpoint, identity }: WriterOptions) {
    const workerData: WriterData = { file, failpoint, startOfMachine: startOfMachine() };
    const start = () => startWorker('./writer.worker', import.meta.url, { workerData });
    this.#first = new FirstWrites(workerData);
    this.#thread = new CalledThread({ work: 'writing to the store', start });
    this.#identity = identity;
  }

  commit(events: EventColumns): Promise<ResultColumns> {
    if (events.keys.length > SMALL_COMMIT) this.#first.end();
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
    this.#first.end();
    return this.#thread.close();
  }

  async #acknowledged<Name extends keyof Writes>(
    name: Name,
    values: Arguments<Writes[Name]>,
  ): Promise<Result<Writes[Name]>> {
    this.#identity.require();
    const made = this.#first.make(name, values);
    const result = made === undefined ? await this.#thread.call(name, values) : made.result;
    // A write to a file that was replaced meanwhile is not acknowledged.
    this.#identity.require();
    return result;
  }
}
