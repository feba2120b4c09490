import { Mutex } from '../../lib/mutex.ts';
import type { FileMemory } from '../file-memory.ts';

const mutexes = new WeakMap<FileMemory, Mutex>();

/**
 * Scans one root at a time, in the order of the calls. Of two scans at once, the one that listed first might post last, and delete what
 * was created meanwhile.
 * @throws the signal's reason when it is aborted before the scan begins
 */
export function inTurn<Result>(
  memory: FileMemory,
  signal: AbortSignal | undefined,
  work: () => Promise<Result>,
): Promise<Result> {
  const mutex = mutexes.get(memory) ?? new Mutex();
  mutexes.set(memory, mutex);
  return mutex.run(work, signal);
}
