import { setTimeout as wait } from 'node:timers/promises';
import type { SourceWatch } from './source.ts';

interface WatchOptions {
  readonly intervalMs: number;
  readonly onChange: () => void;
}

/**
 * Milliseconds after which a change is reported even without one: another process may have changed what the set
 * mirrors.
 */
const LONGEST_SILENCE_MS = 60_000;

/**
 * Watches a source by polling the name of the newest thing that it has. When the source does not answer, a change is
 * reported, and the sync finds the cause.
 */
export async function watchNewest(
  newest: () => Promise<string | undefined>,
  { intervalMs, onChange }: WatchOptions,
): Promise<SourceWatch> {
  const closing = new AbortController();
  const { signal } = closing;
  const read = () =>
    newest().then(
      (name) => name ?? '(none)',
      () => '(unknown)',
    );
  // Read before the first sync, so that what becomes the newest during that sync is noticed.
  let seen = await read();
  let reported = performance.now();
  const follow = async () => {
    while (!signal.aborted) {
      await wait(Math.min(intervalMs, LONGEST_SILENCE_MS), undefined, { signal }).catch(() => {});
      const now = signal.aborted ? seen : await read();
      if (signal.aborted || (now === seen && performance.now() - reported < LONGEST_SILENCE_MS)) continue;
      seen = now;
      reported = performance.now();
      onChange();
    }
  };
  const following = follow();
  return {
    async close() {
      closing.abort();
      await following;
    },
  };
}
