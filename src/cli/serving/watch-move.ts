import { setTimeout as wait } from 'node:timers/promises';
import type { App } from '../../app.ts';
import type { TidemarkError } from '../../core/errors.ts';
import { hasMoved, requireNotMoved } from '../../stores/store-fence.ts';

const POLL_INTERVAL_MS = 5_000;

/** Calls a function once when another process has moved the store, until the signal. */
export function watchMove(
  { fence }: Pick<App, 'fence'>,
  signal: AbortSignal,
  onMoved: (error: TidemarkError) => unknown,
): void {
  const polling = poll(fence, signal).then((moved) => moved && onMoved(moved));
  // Its work reports its own failures.
  polling.catch(() => {});
}

async function poll(fence: App['fence'], signal: AbortSignal): Promise<TidemarkError | undefined> {
  for (;;) {
    await wait(POLL_INTERVAL_MS, undefined, { signal, ref: false }).catch(() => {});
    if (signal.aborted) return undefined;
    try {
      await requireNotMoved(fence);
    } catch (error) {
      // Others report a store that does not answer.
      if (hasMoved(error)) return error;
    }
  }
}
