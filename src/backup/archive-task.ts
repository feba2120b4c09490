import type { Worker } from 'node:worker_threads';
import type { Configuration } from '../config/configuration.ts';
import { AskedThread } from '../lib/workers/asked-thread.ts';
import type { Archived } from './archive-log.ts';

/** What the thread that archives is started with. */
export interface ArchiveThreadData extends Pick<Configuration, 'store' | 'artifacts' | 'failpoint'> {
  /** One number, which becomes 1 when it is to stop. */
  readonly stopped: SharedArrayBuffer;
}

/** What it is asked. */
export interface ArchiveTask {
  readonly minAge: number;
}

/** Archives in a thread that is there only meanwhile. @param start starts archive-thread.ts with the flag that stops it */
export async function archiveInThread(
  start: (stopped: SharedArrayBuffer) => Worker,
  { minAge, signal }: ArchiveTask & { readonly signal: AbortSignal },
): Promise<Archived> {
  const stopped = new SharedArrayBuffer(4);
  const stop = () => Atomics.store(new Int32Array(stopped), 0, 1);
  const thread = new AskedThread({ work: 'archiving', start: () => start(stopped) });
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await thread.ask<ArchiveTask, Archived>({ minAge });
  } finally {
    signal.removeEventListener('abort', stop);
    await thread.close();
  }
}
