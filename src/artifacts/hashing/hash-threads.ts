import { CalledThread, startWorker } from '../../lib/workers/rpc.ts';
import type { HashFunctions } from './hash-blocks.worker.ts';

/** Milliseconds: a thread takes 50 ms to start, more than to hash some megabytes, so it is kept for the next body. */
const IDLE_MS = 5_000;

/** Threads that hash nothing now. Those that were not used for a while have ended, and start again with a call. */
const free: CalledThread<HashFunctions>[] = [];

/** A thread that hashes one body. */
export interface HashThread {
  readonly call: CalledThread<HashFunctions>['call'];
  /** Lets other bodies use it. Calls that it has not replied to yet do not matter. */
  release(): void;
}

export function takeHashThread(): HashThread {
  const start = () => startWorker('./hash-blocks.worker', import.meta.url, { workerData: undefined });
  const thread = free.pop() ?? new CalledThread({ work: 'hashing an artifact', start, idleMs: IDLE_MS });
  // It has the hashes of the body, also while the body does not arrive.
  const endHold = thread.hold();
  return {
    call: thread.call.bind(thread),
    release() {
      endHold();
      free.push(thread);
    },
  };
}
