import type { Transferable } from 'node:worker_threads';
import { unlessAborted } from '../calls/unless-aborted.ts';
import { type Arguments, CalledThread, type Functions, type Result, type ThreadOptions } from './rpc.ts';

/**
 * A few threads that offer the same functions. Each runs one call at a time. A thread is started when all others are
 * busy.
 */
export class ThreadPool<Offered extends Functions<Offered>> {
  readonly #threads: readonly CalledThread<Offered>[];
  readonly #free: CalledThread<Offered>[];
  readonly #queue: ((thread: CalledThread<Offered>) => void)[] = [];

  constructor(size: number, options: ThreadOptions) {
    this.#threads = Array.from({ length: size }, () => new CalledThread<Offered>(options));
    this.#free = [...this.#threads];
  }

  /**
   * Calls a function in the first free thread.
   * @param signal or a function that makes it when a thread is free, for a time limit of the call itself
   * @throws as `CalledThread.call`; the signal's reason when it is aborted, which terminates the thread at once
   */
  async call<Name extends keyof Offered>(
    name: Name,
    values: Arguments<Offered[Name]>,
    signal?: AbortSignal | (() => AbortSignal),
    transfer?: readonly Transferable[],
  ): Promise<Result<Offered[Name]>> {
    const thread = await this.#take(typeof signal === 'function' ? undefined : signal);
    return this.#callIn(
      thread,
      () => thread.call(name, values, transfer),
      typeof signal === 'function' ? signal() : signal,
    );
  }

  async #callIn<Value>(
    thread: CalledThread<Offered>,
    call: () => Promise<Value>,
    signal: AbortSignal | undefined,
  ): Promise<Value> {
    const stop = () => thread.stop();
    try {
      signal?.throwIfAborted();
      signal?.addEventListener('abort', stop);
      return await call();
    } catch (error) {
      signal?.throwIfAborted();
      throw error;
    } finally {
      signal?.removeEventListener('abort', stop);
      this.#give(thread);
    }
  }

  /** Starts a thread in advance. If it cannot start, the next call reports why. */
  begin(): void {
    this.#free.at(-1)?.hold()();
  }

  /** Resolves when every call has returned and the threads have ended. No calls are possible afterwards. */
  async close(): Promise<void> {
    const threads = await Promise.all(this.#threads.map(() => this.#take()));
    await Promise.all(threads.map((thread) => thread.close()));
    for (const thread of threads) this.#give(thread);
  }

  /** @throws the signal's reason when it is aborted before a thread is free */
  async #take(signal?: AbortSignal): Promise<CalledThread<Offered>> {
    const free = this.#free.pop();
    if (free !== undefined) return free;
    const { promise, resolve } = Promise.withResolvers<CalledThread<Offered>>();
    this.#queue.push(resolve);
    try {
      return await unlessAborted(promise, signal);
    } catch (error) {
      const at = this.#queue.indexOf(resolve);
      if (at >= 0) this.#queue.splice(at, 1);
      // It became free at the same time.
      else this.#give(await promise);
      throw error;
    }
  }

  #give(thread: CalledThread<Offered>): void {
    const next = this.#queue.shift();
    if (next === undefined) this.#free.push(thread);
    else next(thread);
  }
}
