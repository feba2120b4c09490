import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import { TidemarkError } from '../../core/errors.ts';
import { CLOSE, type Question, type Reply, receiveError } from './questions.ts';

interface Waiting {
  readonly resolve: (answer: never) => void;
  readonly reject: (error: unknown) => void;
}

export interface ThreadDescription {
  /** What it does, for errors: "reading the root". */
  readonly work: string;
  start(): Worker;
}

/** A thread that answers questions (`answerQuestions`). The first question starts it; one after its end starts another. */
export class AskedThread {
  readonly #description: ThreadDescription;
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | undefined;
  #questions = 0;
  #closed = false;

  constructor(description: ThreadDescription) {
    this.#description = description;
  }

  /**
   * Rejects with what the thread threw; `unavailable` when it ended, for then nothing that waits was done for sure.
   * @param transfer buffers that the thread gets instead of a copy: they are empty here afterwards
   */
  ask<Ask, Answer>(ask: Ask, transfer: readonly ArrayBuffer[] = []): Promise<Answer> {
    if (this.#closed) return Promise.reject(this.#failure('it is closed'));
    const n = ++this.#questions;
    return new Promise((resolve, reject) => {
      this.#waiting.set(n, { resolve, reject });
      this.#started().postMessage({ n, ask } satisfies Question<Ask>, transfer);
    });
  }

  /** Keeps the process from ending, until `unref`. */
  ref(): void {
    this.#started().ref();
  }

  unref(): void {
    this.#worker?.unref();
  }

  /** Stops the thread, whatever it is doing. */
  end(reason: unknown = 'it was stopped'): void {
    void this.#worker?.terminate();
    this.#worker = undefined;
    const failure = this.#failure(reason);
    for (const { reject } of this.#waiting.values()) reject(failure);
    this.#waiting.clear();
  }

  /** Resolves when everything that was asked is answered and the thread has ended. Nothing can be asked afterwards. */
  async close(): Promise<void> {
    this.#closed = true;
    const worker = this.#worker;
    if (worker === undefined) return;
    const exit = once(worker, 'exit');
    worker.postMessage(CLOSE);
    await exit;
  }

  #started(): Worker {
    this.#worker ??= this.#start();
    return this.#worker;
  }

  #start(): Worker {
    const worker = this.#description.start();
    worker.on('message', (reply: Reply<unknown>) => this.#receive(reply));
    const end = (reason: unknown) => {
      if (this.#worker === worker) this.end(reason);
    };
    worker.on('error', end);
    worker.on('exit', () => end('its thread ended'));
    return worker;
  }

  #receive(reply: Reply<unknown>): void {
    const waiting = this.#waiting.get(reply.n);
    this.#waiting.delete(reply.n);
    if (reply.error === undefined) waiting?.resolve(reply.answer as never);
    else waiting?.reject(receiveError(reply.error));
  }

  #failure(reason: unknown): TidemarkError {
    return new TidemarkError('unavailable', `${this.#description.work} failed: ${reason}`, {}, reason);
  }
}
