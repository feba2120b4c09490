import { setTimeout as wait } from 'node:timers/promises';
import { isTidemarkError, TidemarkError } from '../../core/errors.ts';
import { backoffMs } from '../../lib/calls/retry.ts';
import { FetchFailure } from '../read/fetcher.ts';
import { DocumentFailure } from './lists/read-entries.ts';
import type { OutageListener, PassReport } from './mirror-options.ts';
import { type EventReader, listen } from './source/listen-to-events.ts';
import { OUTAGE_BACKOFF } from './source/open-requests.ts';

interface FollowOptions {
  /** Milliseconds between two passes when the source has no stream of changes. */
  readonly intervalMs: number;
  readonly eventReader: EventReader;
  readonly signal: AbortSignal;
  readonly onPass: (report: PassReport) => Promise<void>;
  readonly onOutage: OutageListener;
}

/** Milliseconds between two passes when there is a stream: a broken stream may just be silent. */
const WITH_STREAM_MS = 5 * 60_000;
/** Milliseconds until a failed resource is tried again, unless it changes before. */
const RETRY_FAILED_MS = 5 * 60_000;

/** A copy that is kept in sync by passes, in this thread or in another one. */
export interface Followed {
  /** As `Mirror.pass`. */
  pass(options: { readonly skipsFailed: boolean }): Promise<PassReport>;
  /** The URI of the source's stream of changes; undefined while the source has named none. */
  readonly eventsUri: string | undefined;
}

/** Keeps a copy in sync until the signal is aborted: by the source's stream of changes, otherwise by polling. */
export async function follow(mirror: Followed, options: FollowOptions): Promise<void> {
  const { signal, intervalMs } = options;
  const news = new News();
  const listening = listenWhile(mirror, news, options);
  // Polling continues without the stream. The error is thrown at the end.
  listening.catch(() => {
    news.isListening = false;
  });
  let failures = 0;
  let retried = 0;
  while (!signal.aborted) {
    const retries = performance.now() - retried > RETRY_FAILED_MS;
    if (retries) retried = performance.now();
    const before = news.count;
    try {
      const report = await mirror.pass({ skipsFailed: !retries && failures === 0 });
      if (failures > 0) options.onOutage(undefined);
      failures = 0;
      await options.onPass(report);
    } catch (error) {
      if (signal.aborted) break;
      // The source does not respond, or has an invalid document: the fault may be temporary.
      if (!isTidemarkError(error, 'unavailable')) throw error;
      failures += 1;
      const of = error instanceof DocumentFailure ? 'source' : 'target';
      if (failures === 1) options.onOutage({ of, reason: error.message });
    }
    const ms = failures > 0 ? backoffMs(failures, OUTAGE_BACKOFF) : news.isListening ? WITH_STREAM_MS : intervalMs;
    await news.next(failures > 0 ? undefined : before, ms, signal);
  }
  await listening;
}

/** Listens to the stream once a pass has found one, and reconnects when it has ended. */
async function listenWhile(mirror: Followed, news: News, { eventReader, signal }: FollowOptions): Promise<void> {
  for (let failures = 0; !signal.aborted; ) {
    const { eventsUri } = mirror;
    if (eventsUri === undefined) await pause(500, signal);
    else {
      try {
        await listen(eventReader, eventsUri, signal, () => {
          failures = 0;
          news.isListening = true;
          // Called also when the stream begins: changes from before are not in it.
          news.add();
        });
      } catch (error) {
        if (!(error instanceof FetchFailure) && !(error instanceof TidemarkError) && !signal.aborted) throw error;
      }
      // The stream may have broken because the source does not respond: a pass will show.
      if (news.isListening) news.add();
      news.isListening = false;
      failures += 1;
      await pause(backoffMs(failures, OUTAGE_BACKOFF), signal);
    }
  }
}

/** A counter of events that a task can wait for. */
class News {
  count = 0;
  isListening = false;
  #wake: () => void = () => {};

  add(): void {
    this.count += 1;
    this.#wake();
  }

  /**
   * Waits until the count exceeds `before`, or the time is over.
   * @param before undefined: waits the whole time
   */
  async next(before: number | undefined, ms: number, signal: AbortSignal): Promise<void> {
    if (before !== undefined && this.count > before) return;
    const waking = new AbortController();
    this.#wake = before === undefined ? () => {} : () => waking.abort();
    await pause(ms, AbortSignal.any([signal, waking.signal]));
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await wait(ms, undefined, { signal }).catch(() => {});
}
