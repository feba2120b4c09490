import type { SetId } from '../../core/resource-set.ts';
import type { Stamp } from '../../core/stamp.ts';

/** A payload that is sent in one request. */
export interface Notification {
  readonly set: SetId;
  readonly topic: string;
  readonly body: Buffer;
  /** The boundary up to which a subscriber has every change, once it has received this part. */
  readonly until: Stamp;
  /** The stamp of the first change in it. */
  readonly oldest: Stamp;
}

/** The payloads for a subscriber, part by part. Each subscriber has its own channel. */
export interface Channel {
  /**
   * The next part after a boundary; undefined while there is none.
   * @throws TidemarkError `not-found` when nothing more will come; `unavailable`
   */
  next(after: Stamp): Promise<Notification | undefined>;
  /** Called when the part was sent. */
  sent?(): void;
  /** Resolves when there may be more than at the last call of `next`, or the signal is aborted. */
  news(signal: AbortSignal): Promise<void>;
  /** Called when nothing more is sent. */
  close?(): void;
}

/** Limits of a part, in changes and bytes: it combines several changes, but is never large. */
export const NOTIFICATION_LIMITS = { entries: 1_000, weight: 1_000_000 };
