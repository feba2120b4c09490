import type { FileMemory } from '../file-memory.ts';

/** Resolves when everybody is done who asked so far. */
const last = new WeakMap<FileMemory, Promise<void>>();

/**
 * Scans one root at a time, in the order of asking. Of two scans at once, the one that listed first might post last, and delete what has
 * come meanwhile.
 * @throws the signal's reason when it is aborted before it is this one's turn
 */
export async function inTurn<Result>(
  memory: FileMemory,
  signal: AbortSignal | undefined,
  work: () => Promise<Result>,
): Promise<Result> {
  const before = last.get(memory) ?? Promise.resolve();
  const { promise: done, resolve: end } = Promise.withResolvers<void>();
  last.set(
    memory,
    before.then(() => done),
  );
  try {
    await waitFor(before, signal);
    return await work();
  } finally {
    end();
  }
}

async function waitFor(turn: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  const waiting = new AbortController();
  const aborted = new Promise<never>((_, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason), { signal: waiting.signal });
  });
  try {
    await Promise.race([turn, aborted]);
  } finally {
    waiting.abort();
  }
}
