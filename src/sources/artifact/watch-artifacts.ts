import { setTimeout as wait } from 'node:timers/promises';
import type { SourceWatch } from '../source.ts';

interface WatchOptions {
  readonly intervalMs: number;
  readonly onChange: () => void;
}

/**
 * After so many milliseconds a change is reported in any case: another process may have changed what the set mirrors.
 */
const LONGEST_SILENCE_MS = 60_000;

/**
 * Checks again and again which artifact is the newest. A store that does not answer is reported as a change: the sync
 * finds out why.
 */
export async function watchArtifacts(
  newest: () => Promise<string | undefined>,
  { intervalMs, onChange }: WatchOptions,
): Promise<SourceWatch> {
  const closing = new AbortController();
  const { signal } = closing;
  const read = () =>
    newest().then(
      (key) => key ?? '(none)',
      () => '(unknown)',
    );
  // Read before the first sync: an artifact that is put while that runs is not overlooked.
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
