import { prefetch } from '../../lib/calls/prefetch.ts';
import type { CalledThread } from '../../lib/workers/rpc.ts';
import type { RootEntry, SkippedEntries } from '../content-root.ts';
import type { Walk } from './walk.ts';
import type { WalkFunctions } from './walk.worker.ts';

let lastId = 0;

/**
 * The batches of a walk in a thread, which walks several folders by turns. It makes the next batch while the caller
 * uses the last one.
 */
export async function* walkIn(
  thread: CalledThread<WalkFunctions>,
  walk: Walk,
  onSkipped?: (skipped: SkippedEntries) => void,
): AsyncGenerator<readonly RootEntry[]> {
  const id = ++lastId;
  const release = thread.hold();
  let begun: Walk | undefined = walk;
  const next = () => {
    const batch = thread.call('next', [id, begun]);
    begun = undefined;
    return batch;
  };
  try {
    for await (const { entries, skipped } of prefetch(next)) {
      onSkipped?.(skipped);
      if (entries.length > 0) yield entries;
    }
  } finally {
    thread.call('end', [id]).catch(() => {});
    release();
  }
}
