import type { Configuration } from '../config/configuration.ts';
import { TidemarkError } from '../core/errors.ts';
import { CalledThread, startWorker } from '../lib/workers/rpc.ts';
import type { ArchiveFunctions, ArchiveThreadData } from './archive.worker.ts';
import type { Archived } from './log-archive.ts';
import type { MadeBackup } from './scheduled-backup.ts';

/** Archives in a thread, which ends with the archiving. */
export function archiveInThread(configuration: Configuration, signal: AbortSignal): Promise<Archived> {
  return inThread(configuration, signal, (thread) => thread.call('archive', []));
}

/**
 * Makes a backup in a thread, which ends with it.
 * @throws TidemarkError `invalid` when the store is not a file
 */
export async function backUpInThread(configuration: Configuration, signal: AbortSignal): Promise<MadeBackup> {
  const { store, backupFolder: folder, keepBackups: keep } = configuration;
  if (store.kind !== 'sqlite') throw new TidemarkError('invalid', 'only a store in a file has backups');
  return inThread(configuration, signal, (thread) => thread.call('backUp', [{ store: store.file, folder, keep }]));
}

async function inThread<Result>(
  { store, artifacts, failpoint }: Configuration,
  signal: AbortSignal,
  call: (thread: CalledThread<ArchiveFunctions>) => Promise<Result>,
): Promise<Result> {
  const stopped = new SharedArrayBuffer(4);
  const workerData: ArchiveThreadData = { store, artifacts, failpoint, stopped };
  const stop = () => Atomics.store(new Int32Array(stopped), 0, 1);
  const thread = new CalledThread<ArchiveFunctions>({
    work: 'archiving',
    start: () => startWorker('./archive.worker', import.meta.url, { workerData }),
  });
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await call(thread);
  } finally {
    signal.removeEventListener('abort', stop);
    await thread.close();
  }
}
