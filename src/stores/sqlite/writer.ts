import { Worker } from 'node:worker_threads';
import { TidemarkError } from '../../domain/errors.ts';
import type { Stamp } from '../../domain/stamp.ts';
import type { EventColumns, PutRequest, ResultColumns, WriteAnswer, WriteRequest } from './wire.ts';

interface Waiting {
  readonly resolve: (result: never) => void;
  readonly reject: (error: unknown) => void;
}

/** The writer thread as seen from outside. It is started by the first write: whoever only reads never has one. */
export class Writer {
  readonly #options: { readonly file: string; readonly failpoint: string | undefined };
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | undefined;
  #lastId = 0;
  #closed = false;

  constructor(file: string, failpoint: string | undefined) {
    this.#options = { file, failpoint };
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
  async close(): Promise<void> {
    this.#closed = true;
    const worker = this.#worker;
    if (worker === undefined) return;
    const gone = new Promise((resolve) => worker.once('exit', resolve));
    // Messages are handled in order, so whatever was asked before is done before.
    worker.postMessage('close');
    await gone;
  }

  #ask<Result>(request: WriteRequest extends infer R ? (R extends unknown ? Omit<R, 'id'> : never) : never) {
    if (this.#closed) return Promise.reject(new TidemarkError('unavailable', 'the store is closed'));
    const id = ++this.#lastId;
    return new Promise<Result>((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#worker ??= this.#start();
      this.#worker.postMessage({ ...request, id });
    });
  }

  #start(): Worker {
    const worker = new Worker(new URL(`./writer-thread${import.meta.url.slice(-3)}`, import.meta.url), {
      workerData: this.#options,
    });
    worker.on('message', (answer: WriteAnswer) => this.#settle(answer));
    worker.on('error', (error) => this.#fail(error));
    worker.on('exit', () => this.#fail(new Error('it ended')));
    return worker;
  }

  #settle(answer: WriteAnswer): void {
    const waiting = this.#waiting.get(answer.id);
    this.#waiting.delete(answer.id);
    if ('result' in answer) {
      waiting?.resolve(answer.result as never);
      return;
    }
    const { code, message, details } = answer.error;
    waiting?.reject(code === undefined ? new Error(message) : new TidemarkError(code, message, details));
  }

  /** A thread that ends takes no answer along: nothing that waits was acknowledged. The next write starts another one. */
  #fail(cause: Error): void {
    this.#worker = undefined;
    const error = new TidemarkError('unavailable', `the store's writer failed: ${cause.message}`, {}, cause);
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}
