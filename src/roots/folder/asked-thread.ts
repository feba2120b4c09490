import type { Worker } from 'node:worker_threads';
import { TidemarkError } from '../../domain/errors.ts';
import { type Question, type Reply, receiveError, startThread, type ThreadName } from './thread.ts';

/** A thread takes 50 ms to start, so it stays for a while; an idle root keeps none. */
const IDLE_MILLISECONDS = 5_000;

interface Waiting<Answer> {
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

/** A thread that answers questions. It is started when it is needed, and ends when nobody has held it for a while. */
export class AskedThread<Ask, Answer> {
  readonly #name: ThreadName;
  readonly #workerData: unknown;
  readonly #waiting = new Map<number, Waiting<Answer>>();
  #worker: Worker | undefined;
  #holders = 0;
  #questions = 0;
  #idle: NodeJS.Timeout | undefined;

  constructor(name: ThreadName, workerData: unknown) {
    this.#name = name;
    this.#workerData = workerData;
  }

  /** Keeps the thread, and the process, from ending until `letGo`. */
  hold(): void {
    clearTimeout(this.#idle);
    this.#holders += 1;
    this.#worker ??= this.#start();
    this.#worker.ref();
  }

  letGo(): void {
    this.#holders -= 1;
    if (this.#holders > 0) return;
    this.#worker?.unref();
    this.#idle = setTimeout(() => this.end(), IDLE_MILLISECONDS).unref();
  }

  /** Only for a holder. Rejects with what the thread threw, or `unavailable` when it ended. */
  ask(ask: Ask): Promise<Answer> {
    this.#worker ??= this.#start();
    const n = ++this.#questions;
    this.#worker.postMessage({ n, ask } satisfies Question<Ask>);
    return new Promise((resolve, reject) => {
      this.#waiting.set(n, { resolve, reject });
    });
  }

  /** Stops the thread, whatever it is doing. The next question starts another one. */
  end(error: unknown = 'it was stopped'): void {
    void this.#worker?.terminate();
    this.#worker = undefined;
    const failure = new TidemarkError('unavailable', `reading the root failed: ${error}`, {}, error);
    for (const { reject } of this.#waiting.values()) reject(failure);
    this.#waiting.clear();
  }

  #start(): Worker {
    const worker = startThread(this.#name, this.#workerData);
    worker.on('message', (reply: Reply<Answer>) => this.#receive(reply));
    worker.on('error', (error) => {
      if (this.#worker === worker) this.end(error);
    });
    return worker;
  }

  #receive(reply: Reply<Answer>): void {
    const waiting = this.#waiting.get(reply.n);
    this.#waiting.delete(reply.n);
    if (reply.error === undefined) waiting?.resolve(reply.answer);
    else waiting?.reject(receiveError(reply.error));
  }
}
