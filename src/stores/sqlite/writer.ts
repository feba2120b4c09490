import { TidemarkError } from '../../core/errors.ts';
import type { Stamp } from '../../core/stamp.ts';
import { type Arguments, CalledThread, type Result, startWorker } from '../../lib/workers/rpc.ts';
import { startOfMachine } from '../store-clock.ts';
import type { StoreIdentity } from './store-lock.ts';
import type { EventColumns, FenceWrite, JobWrite, PutRequest, ResultColumns, WriterData } from './wire.ts';
import type { Writes } from './writer.worker.ts';

interface WriterOptions {
  readonly failpoint: string | undefined;
  readonly identity: StoreIdentity;
}

interface WaitingPut extends PromiseWithResolvers<number> {
  readonly request: PutRequest;
}

/**
 * Writes to a store in a thread, one write at a time, in the order of the calls. Documents that are put while others
 * are written share the next transaction. A process that only reads never has that thread.
 */
export class Writer {
  readonly #thread: CalledThread<Writes>;
  readonly #identity: StoreIdentity;
  #waitingPuts: WaitingPut[] = [];
  #batchesUnderWay = 0;

  constructor(file: string, { failpoint, identity }: WriterOptions) {
    const workerData: WriterData = { file, failpoint, startOfMachine: startOfMachine() };
    const start = () => startWorker('./writer.worker', import.meta.url, { workerData });
    this.#thread = new CalledThread({ work: 'writing to the store', start });
    this.#identity = identity;
  }

  commit(events: EventColumns): Promise<ResultColumns> {
    this.#sendPuts();
    return this.#acknowledged('commit', [events]);
  }

  mark(): Promise<Stamp> {
    this.#sendPuts();
    return this.#acknowledged('mark', []);
  }

  /** @throws TidemarkError `conflict` when the document has another version than the one to replace */
  put(request: PutRequest): Promise<number> {
    const waiting = { request, ...Promise.withResolvers<number>() };
    this.#waitingPuts.push(waiting);
    if (this.#batchesUnderWay === 0) this.#sendPuts();
    return waiting.promise;
  }

  /** @see JobWriter */
  job(write: JobWrite): Promise<number> {
    this.#sendPuts();
    return this.#acknowledged('job', [write]);
  }

  /** @see FenceRow */
  fence(write: FenceWrite): Promise<boolean> {
    this.#sendPuts();
    return this.#acknowledged('fence', [write]);
  }

  /** Resolves when every requested write is done. */
  close(): Promise<void> {
    this.#sendPuts();
    return this.#thread.close();
  }

  /** Before any other write, so that the order of the calls is kept. */
  #sendPuts(): void {
    const puts = this.#waitingPuts;
    if (puts.length === 0) return;
    this.#waitingPuts = [];
    this.#batchesUnderWay += 1;
    // It settles the promises of all, and rejects never.
    this.#put(puts).catch(() => {});
  }

  async #put(puts: readonly WaitingPut[]): Promise<void> {
    try {
      const versions = await this.#acknowledged('put', [puts.map(({ request }) => request)]);
      for (const [at, { request, resolve, reject }] of puts.entries()) {
        const version = versions[at];
        if (version === undefined) reject(changedMeanwhile(request));
        else resolve(version);
      }
    } catch (error) {
      for (const { reject } of puts) reject(error);
    } finally {
      this.#batchesUnderWay -= 1;
      this.#sendPuts();
    }
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

function changedMeanwhile({ kind, id }: PutRequest): TidemarkError {
  return new TidemarkError('conflict', `the ${kind} ${id} was changed meanwhile: read it again`, { kind, id });
}
