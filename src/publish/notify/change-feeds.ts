import { setTimeout as wait } from 'node:timers/promises';
import type { SetId } from '../../core/resource-set.ts';
import type { ChangeLog, LogEntry } from '../../stores/change-log.ts';
import { LogTail } from '../pages/log-tail.ts';
import { ChangeFeed } from './change-feed.ts';

/** Milliseconds between two reads of the log. */
const POLL_MS = 250;
/** A slow store is read less often: reads take at most half of the time. */
const PAUSES_OF_READ = 1;
const LONGEST_PAUSE_MS = 2_000;

interface Followed {
  readonly feed: Promise<ChangeFeed>;
  followers: number;
}

interface Reading {
  readonly tail: LogTail;
  /** Resolves when the tail has its start position. */
  readonly begun: Promise<void>;
  readonly stopping: AbortController;
  readonly ended: Promise<void>;
}

/** Follows the log while some sets are followed, whichever process commits to it. */
export class ChangeFeeds {
  readonly #index: ChangeLog;
  readonly #followed = new Map<SetId, Followed>();
  #reading: Reading | undefined;

  constructor(index: ChangeLog) {
    this.#index = index;
  }

  /**
   * Calls `follower` with the feed of a set. The feed is kept as long as one of its followers runs.
   * @throws what the follower throws, and TidemarkError `unavailable`
   */
  async follow<Result>(set: SetId, follower: (feed: ChangeFeed) => Promise<Result>): Promise<Result> {
    const { feed, close } = await this.open(set);
    try {
      return await follower(feed);
    } finally {
      close();
    }
  }

  /** The feed of a set, which is kept until its last follower closes it. @throws TidemarkError `unavailable` */
  async open(set: SetId): Promise<{ readonly feed: ChangeFeed; close(): void }> {
    const followed = this.#followed.get(set) ?? { feed: this.#make(set), followers: 0 };
    this.#followed.set(set, followed);
    followed.followers += 1;
    const close = () => {
      followed.followers -= 1;
      if (followed.followers === 0) this.#drop(set);
    };
    return followed.feed.then(
      (feed) => ({ feed, close }),
      (error: unknown) => {
        close();
        throw error;
      },
    );
  }

  /** Resolves when nothing is read any more. Followers must end by themselves. */
  async close(): Promise<void> {
    this.#reading?.stopping.abort();
    await this.#reading?.ended;
  }

  async #make(set: SetId): Promise<ChangeFeed> {
    this.#reading ??= this.#start();
    const { tail, begun } = this.#reading;
    await begun;
    // The tail may pass entries before the feed exists.
    const early: LogEntry[] = [];
    let feed: ChangeFeed | undefined;
    const from = await tail.follow(set, (entries) => {
      if (feed === undefined) early.push(...entries);
      else feed.note(entries);
    });
    feed = new ChangeFeed(set, this.#index, from);
    feed.note(early);
    return feed;
  }

  #drop(set: SetId): void {
    this.#followed.delete(set);
    this.#reading?.tail.unfollow(set);
    if (this.#followed.size > 0) return;
    // The next tail starts at the watermark of its time: until then, no client follows changes.
    this.#reading?.stopping.abort();
    this.#reading = undefined;
  }

  #start(): Reading {
    const tail = new LogTail(this.#index);
    const stopping = new AbortController();
    const begun = tail.catchUp();
    return { tail, begun, stopping, ended: this.#readAlong(tail, stopping.signal) };
  }

  async #readAlong(tail: LogTail, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const began = performance.now();
      // The error of a store that does not answer is reported elsewhere; no change is lost.
      await this.#readOnce(tail).catch(() => {});
      const pauseMs = Math.max(POLL_MS, Math.min(PAUSES_OF_READ * (performance.now() - began), LONGEST_PAUSE_MS));
      await wait(pauseMs, undefined, { signal }).catch(() => {});
    }
  }

  async #readOnce(tail: LogTail): Promise<void> {
    await tail.catchUp();
    await Promise.allSettled([...this.#followed.values()].map(async ({ feed }) => (await feed).keep()));
  }
}
