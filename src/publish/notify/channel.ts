import type { Stamp } from '../../core/stamp.ts';

/** What is sent at once. */
export interface Part {
  readonly topic: string;
  readonly body: Buffer;
  /** The boundary up to which a subscriber has everything that has got this part. */
  readonly until: Stamp;
  /** The stamp of the first change in it. */
  readonly oldest: Stamp;
}

/** What a subscriber is sent, part by part. Each subscriber has a channel of its own. */
export interface Channel {
  /**
   * The next part after a boundary; undefined while there is none.
   * @throws TidemarkError `not-found` when there is nothing more to come; `unavailable`
   */
  next(after: Stamp): Promise<Part | undefined>;
  /** The part was sent. */
  sent?(): void;
  /** Resolves when there may be more since the last call of `next`, or the signal is aborted. */
  news(signal: AbortSignal): Promise<void>;
}

/** Changes in a part: several of them go together, and none of the parts is large. */
export const PART_LIMITS = { entries: 1_000, weight: 1_000_000 };
