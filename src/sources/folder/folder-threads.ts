import { StartLimit } from '../../lib/calls/start-limit.ts';
import { deviceOf } from '../../lib/files/mounts.ts';
import { ThreadPool } from '../../lib/workers/pool.ts';
import { CalledThread, startWorker, type ThreadOptions } from '../../lib/workers/rpc.ts';
import type { HashFunctions } from './hash.worker.ts';
import type { WalkFunctions } from './walk.worker.ts';
import { WatchThread } from './watch-client.ts';

/** Milliseconds. A thread takes 50 ms to start, so it stays for a while; an idle file system has only a watch. */
const IDLE_MS = 5_000;
/** Threads that hash. */
export const HASH_THREADS = 2;
/** Full scans at a time: of the thousands that a server may begin with, the rest would only take memory. */
const SCANS = 16;
/** Milliseconds after which a scan does not count any more. */
const LONG_SCAN_MS = 5_000;

/**
 * The threads that read folders of one file system, for all roots of this process: one that hangs stops only the roots
 * that are on it. Each thread starts when it is first needed.
 */
export class FolderThreads {
  readonly watching = new WatchThread(watchWorker);
  readonly walking = new CalledThread<WalkFunctions>(
    idle(() => startWorker('./walk.worker', import.meta.url, { workerData: undefined })),
  );
  readonly hashing = hashThreads();
  /** For long files: small ones of other roots do not wait for them. */
  readonly hashingLong = hashThreads();
  readonly scans = new StartLimit(SCANS, LONG_SCAN_MS);
}

/** By device; by root where the system does not say what is mounted. */
const threads = new Map<string, FolderThreads>();

/** The threads for a root. Others after something was mounted there. */
export function threadsOf(root: string): FolderThreads {
  const key = deviceOf(root) ?? root;
  const found = threads.get(key) ?? new FolderThreads();
  threads.set(key, found);
  return found;
}

function hashThreads(): ThreadPool<HashFunctions> {
  return new ThreadPool(
    HASH_THREADS,
    idle(() => startWorker('./hash.worker', import.meta.url, { workerData: undefined })),
  );
}

function watchWorker() {
  return startWorker('./watch.worker', import.meta.url, { workerData: undefined });
}

function idle(start: ThreadOptions['start']): ThreadOptions {
  return { work: 'reading the root', start, idleMs: IDLE_MS };
}
