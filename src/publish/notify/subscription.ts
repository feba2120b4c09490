import type { SetId } from '../../core/resource-set.ts';
import type { Stamp } from '../../core/stamp.ts';
import type { TopicKind } from '../topics.ts';

/** The one who requested a subscription: it lasts only as long as they may read its topic. */
export type Subscriber =
  | { readonly kind: 'anonymous' }
  | { readonly kind: 'administrator'; readonly withoutToken?: boolean | undefined }
  | { readonly kind: 'token'; readonly id: string };

/** A subscription in the catalog. Its secret is never shown nor logged. */
export interface StoredSubscription {
  readonly topic: string;
  readonly callback: string;
  /** Present while it is in force; its subscriber has confirmed it. */
  readonly active?: ActiveSubscription | undefined;
  /** A request that the subscriber has to confirm, or to be informed of. */
  readonly pending?: PendingRequest | undefined;
}

export interface ActiveSubscription {
  readonly subscriber: Subscriber;
  /** The boundary above which changes are sent. Renewing the subscription does not change it. */
  readonly since: Stamp;
  /** End of its lease, in milliseconds since 1970. */
  readonly until: number;
  readonly leaseSeconds: number;
  readonly secret?: string | undefined;
}

export type PendingRequest =
  | {
      readonly mode: 'subscribe';
      readonly subscriber: Subscriber;
      /** Milliseconds since 1970. */
      readonly asked: number;
      readonly leaseSeconds: number;
      readonly secret?: string | undefined;
    }
  | { readonly mode: 'unsubscribe'; readonly asked: number }
  /** The hub ends the subscription. */
  | { readonly mode: 'denied'; readonly asked: number; readonly reason: string };

/** A document in the catalog whose subscription has ended: the next subscription reuses it. */
export interface FreePlace {
  readonly free: true;
}

export interface Subscription extends StoredSubscription {
  /** The id of its document in the catalog. */
  readonly id: string;
  readonly version: number;
}

/** A topic that can be subscribed to. */
export interface Topic {
  readonly kind: TopicKind;
  readonly set: SetId;
}

/** Seconds. WebSub, 8.2 recommends ten days as a default. */
export const LEASE = { shortest: 5, usual: 864_000, longest: 2_592_000 };

export interface SubscriptionLimits {
  readonly all: number;
  /** With callbacks of one host, whatever their ports. */
  readonly ofAHost: number;
}

export const SUBSCRIPTION_LIMITS: SubscriptionLimits = { all: 1_000, ofAHost: 100 };

/** The requested lease, limited to the allowed range. */
export function leaseSecondsOf(asked: number | undefined): number {
  return Math.min(Math.max(asked ?? LEASE.usual, LEASE.shortest), LEASE.longest);
}

export function isActive({ active }: StoredSubscription, now: number): boolean {
  return active !== undefined && active.until > now;
}
