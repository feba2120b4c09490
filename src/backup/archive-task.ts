import type { Configuration } from '../config/configuration.ts';
import { CalledThread, startWorker } from '../lib/workers/rpc.ts';
import type { ArchiveFunctions, ArchiveThreadData } from './archive.worker.ts';
import type { Archived } from './log-archive.ts';

/** Archives in a thread, which ends with the archiving. */
export async function archiveInThread(
  { store, artifacts, failpoint }: Configuration,
  signal: AbortSignal,
): Promise<Archived> {
  const stopped = new SharedArrayBuffer(4);
  const workerData: ArchiveThreadData = { store, artifacts, failpoint, stopped };
  const stop = () => Atomics.store(new Int32Array(stopped), 0, 1);
  const thread = new CalledThread<ArchiveFunctions>({
    work: 'archiving',
    start: () => startWorker('./archive.worker', import.meta.url, { workerData }),
  });
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await thread.call('archive', []);
  } finally {
    signal.removeEventListener('abort', stop);
    await thread.close();
  }
}
