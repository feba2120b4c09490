import type { ThreadOptions } from '../../lib/workers/rpc.ts';
import { startWorker } from '../../lib/workers/rpc.ts';

/** A thread takes 50 ms to start, so it stays for a while; an idle root keeps none. */
const IDLE_MS = 5_000;

export type FolderWorker = 'walk.worker' | 'watch.worker' | 'hash.worker';

/** A thread that reads a folder. */
export function folderThread(file: FolderWorker, workerData: unknown): ThreadOptions {
  // What these threads make is short-lived; the default lets each of them gather tens of megabytes of it.
  const resourceLimits = { maxYoungGenerationSizeMb: 2 };
  const start = () => startWorker(`./${file}`, import.meta.url, { workerData, resourceLimits });
  return { work: 'reading the root', start, idleMs: IDLE_MS };
}
