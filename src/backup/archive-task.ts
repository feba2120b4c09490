import type { Worker } from 'node:worker_threads';
import { CalledThread } from '../lib/workers/rpc.ts';
import type { ArchiveFunctions } from './archive.worker.ts';
import type { Archived } from './archive-log.ts';

/**
 * Archives in a thread that exists only meanwhile. @param start starts archive.worker.ts with the flag that stops it
 */
export async function archiveInThread(
  start: (stopped: SharedArrayBuffer) => Worker,
  signal: AbortSignal,
): Promise<Archived> {
  const stopped = new SharedArrayBuffer(4);
  const stop = () => Atomics.store(new Int32Array(stopped), 0, 1);
  const thread = new CalledThread<ArchiveFunctions>({ work: 'archiving', start: () => start(stopped) });
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await thread.call('archive', []);
  } finally {
    signal.removeEventListener('abort', stop);
    await thread.close();
  }
}
