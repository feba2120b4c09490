import { setTimeout as wait } from 'node:timers/promises';
import { isTidemarkError, TidemarkError } from '../../core/errors.ts';
import { backoffMs } from '../../lib/retry.ts';
import { FetchFailure } from '../read/fetcher.ts';
import { DocumentFailure } from './lists/read-entries.ts';
import type { OutageListener, PassReport } from './mirror-options.ts';
import { OUTAGE_BACKOFF } from './requests/open-requests.ts';
import { listen, type StreamReader } from './source/change-stream.ts';

export interface FollowOptions {
  /** Milliseconds between two passes, where the source sends no changes as they happen. */
  readonly intervalMs: number;
  readonly streams: StreamReader;
  readonly signal: AbortSignal;
  readonly onPass: (report: PassReport) => Promise<void>;
  readonly onOutage: OutageListener;
}

/** A stream may be silent though it is broken: so often a pass is made in any case. Milliseconds. */
const WITH_STREAM_MS = 5 * 60_000;
/** What could not be copied is tried again after so many milliseconds, or when it has changed. */
const RETRY_FAILED_MS = 5 * 60_000;

/** A copy that passes make equal to its source, in this thread or in another one. */
export interface Followed {
  /** As `Mirror.pass`. */
  pass(options: { readonly skipsFailed: boolean }): Promise<PassReport>;
  /** Where the source sends changes as they happen, when it has said so. */
  readonly stream: string | undefined;
}

/** Keeps a copy in sync until the signal: by the source's stream of changes, else by polling. */
export async function follow(mirror: Followed, options: FollowOptions): Promise<void> {
  const { signal, intervalMs } = options;
  const news = new News();
  const listening = listenWhile(mirror, news, options);
  // Polling goes on without it, and its error is thrown in the end.
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
      // The source does not answer, or has something wrong: it may pass.
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

/** Listens to the stream as soon as a pass has found one, and again when it has ended. */
async function listenWhile(mirror: Followed, news: News, { streams, signal }: FollowOptions): Promise<void> {
  for (let failures = 0; !signal.aborted; ) {
    const { stream } = mirror;
    if (stream === undefined) await pause(500, signal);
    else {
      try {
        await listen(streams, stream, signal, () => {
          failures = 0;
          news.isListening = true;
          // Also at the beginning: what happened before the stream began is not in it.
          news.add();
        });
      } catch (error) {
        if (!(error instanceof FetchFailure) && !(error instanceof TidemarkError) && !signal.aborted) throw error;
      }
      // It may have broken because the source does not answer: a pass finds that out.
      if (news.isListening) news.add();
      news.isListening = false;
      failures += 1;
      await pause(backoffMs(failures, OUTAGE_BACKOFF), signal);
    }
  }
}

/** That something has happened, for one that waits for it. */
class News {
  count = 0;
  isListening = false;
  #wake: () => void = () => {};

  add(): void {
    this.count += 1;
    this.#wake();
  }

  /** Waits until there is more than there was, or the time is over. @param before undefined: waits all of the time */
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
