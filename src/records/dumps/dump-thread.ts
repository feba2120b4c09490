import { CalledThread, startWorker } from '../../lib/workers/rpc.ts';
import type { DumpFunctions, DumpThreadData, DumpWork } from './dump.worker.ts';
import type { DumpProgress, MadeDump } from './make-dump.ts';

/** Writes the dumps of one build in a thread, until it is closed. An aborted signal ends the thread at once. */
export class DumpThread {
  readonly #thread: CalledThread<DumpFunctions>;
  readonly #signal: AbortSignal | undefined;
  readonly #stop = () => this.#thread.stop();

  constructor(workerData: DumpThreadData, signal: AbortSignal | undefined) {
    const start = () => startWorker('./dump.worker', import.meta.url, { workerData });
    this.#thread = new CalledThread<DumpFunctions>({ work: 'writing a dump', start });
    this.#signal = signal;
    signal?.addEventListener('abort', this.#stop);
  }

  /** @throws TidemarkError as `makeFullDump`; the signal's reason when it is aborted */
  async run(work: DumpWork, onProgress: (progress: DumpProgress) => void): Promise<MadeDump | undefined> {
    try {
      this.#signal?.throwIfAborted();
      await this.#thread.call('begin', [work]);
      for (;;) {
        const reply = await this.#thread.call('wait', []);
        if ('made' in reply) return reply.made;
        if (reply.progress !== undefined) onProgress(reply.progress);
      }
    } catch (error) {
      this.#signal?.throwIfAborted();
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#signal?.removeEventListener('abort', this.#stop);
    // After an abort, the running work is useless; otherwise the thread closes its resources in order.
    if (this.#signal?.aborted) await this.#thread.end();
    else await this.#thread.close();
  }
}
