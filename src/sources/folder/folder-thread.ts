import type { ThreadOptions } from '../../lib/workers/rpc.ts';
import { startWorker } from '../../lib/workers/rpc.ts';

/** Milliseconds. A thread takes 50 ms to start, so it stays for a while; an idle root has none. */
const IDLE_MS = 5_000;

type FolderWorker = 'walk.worker' | 'watch.worker' | 'hash.worker';

/** A thread that reads a folder. */
export function folderThread(file: FolderWorker, workerData: unknown): ThreadOptions {
  const start = () => startWorker(`./${file}`, import.meta.url, { workerData });
  return { work: 'reading the root', start, idleMs: IDLE_MS };
}
