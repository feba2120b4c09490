import type { Worker } from 'node:worker_threads';
import { TidemarkError } from '../../domain/errors.ts';
import type { RootEntry } from '../content-root.ts';
import { receiveError, startThread } from './thread.ts';
import type { WalkAnswer, WalkAsk } from './walk-thread.ts';

/** A thread takes 50 ms to start, so it stays for a while; an idle root keeps none. */
const IDLE_MILLISECONDS = 5_000;

interface Waiting {
  readonly resolve: (answer: WalkAnswer) => void;
  readonly reject: (error: unknown) => void;
}

/** Walks a folder in a thread of its own, which is started when it is needed and ends when it has been idle for a while. */
export class WalkClient {
  readonly #workerData: { readonly root: string; readonly exclude: readonly string[] };
  readonly #waiting = new Map<number, Waiting>();
  #thread: Worker | undefined;
  #open = 0;
  #lastId = 0;
  #idle: NodeJS.Timeout | undefined;

  constructor(workerData: { readonly root: string; readonly exclude: readonly string[] }) {
    this.#workerData = workerData;
  }

  /** The batches of a walk; the next one is gathered while the caller uses the last. */
  async *walk(under: string): AsyncGenerator<readonly RootEntry[]> {
    const thread = this.#acquire();
    const id = ++this.#lastId;
    try {
      let next = this.#ask(thread, { id, ask: 'next', under });
      for (;;) {
        const { batch, error } = await next;
        if (error !== undefined) throw receiveError(error);
        if (batch === undefined) return;
        next = this.#ask(thread, { id, ask: 'next', under });
        // A caller that stops here never looks at it.
        next.catch(() => {});
        if (batch.length > 0) yield batch;
      }
    } finally {
      this.#release(thread, id);
    }
  }

  #ask(thread: Worker, ask: WalkAsk): Promise<WalkAnswer> {
    return new Promise((resolve, reject) => {
      this.#waiting.set(ask.id, { resolve, reject });
      thread.postMessage(ask);
    });
  }

  #acquire(): Worker {
    clearTimeout(this.#idle);
    this.#open += 1;
    this.#thread ??= this.#start();
    this.#thread.ref();
    return this.#thread;
  }

  #release(thread: Worker, id: number): void {
    this.#waiting.delete(id);
    thread.postMessage({ id, ask: 'end' } satisfies WalkAsk);
    this.#open -= 1;
    if (this.#open > 0) return;
    thread.unref();
    this.#idle = setTimeout(() => this.#end(thread), IDLE_MILLISECONDS).unref();
  }

  #start(): Worker {
    const thread = startThread('walk-thread', this.#workerData);
    thread.on('message', (answer: WalkAnswer) => this.#waiting.get(answer.id)?.resolve(answer));
    thread.on('error', (error) => this.#fail(thread, error));
    return thread;
  }

  #fail(thread: Worker, error: unknown): void {
    if (this.#thread === thread) this.#thread = undefined;
    const failure = new TidemarkError('unavailable', `listing ${this.#workerData.root} failed: ${error}`, {}, error);
    for (const { reject } of this.#waiting.values()) reject(failure);
    this.#waiting.clear();
  }

  #end(thread: Worker): void {
    if (this.#thread === thread) this.#thread = undefined;
    void thread.terminate();
  }
}
