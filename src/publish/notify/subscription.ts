import type { SetId } from '../../core/resource-set.ts';
import type { Stamp } from '../../core/stamp.ts';
import type { TopicKind } from '../topics.ts';

/** Who asked for a subscription: it lasts only as long as they may read what it is about. */
export type Subscriber =
  | { readonly kind: 'anonymous' }
  | { readonly kind: 'administrator' }
  | { readonly kind: 'token'; readonly id: string };

/** A subscription as the catalog has it. Its secret is never shown nor logged. */
export interface StoredSubscription {
  readonly topic: string;
  readonly callback: string;
  /** Set while it is in force; its subscriber has confirmed it. */
  readonly active?: ActiveSubscription | undefined;
  /** What the subscriber is to confirm, or to be informed of. */
  readonly pending?: PendingRequest | undefined;
}

export interface ActiveSubscription {
  readonly subscriber: Subscriber;
  /** The boundary above which changes are sent. It stays when the subscription is renewed. */
  readonly since: Stamp;
  /** When its lease ends, in milliseconds since 1970. */
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
  /** The hub ends it. */
  | { readonly mode: 'denied'; readonly asked: number; readonly reason: string };

/** A place in the catalog whose subscription has ended: the next one takes it. */
export interface FreePlace {
  readonly free: true;
}

export interface Subscription extends StoredSubscription {
  /** The name of its place in the catalog. */
  readonly id: string;
  readonly version: number;
}

/** What can be subscribed to. */
export interface Topic {
  readonly kind: TopicKind;
  readonly set: SetId;
}

/** Seconds. WebSub, 8.2 says that ten days are a good default. */
export const LEASE = { shortest: 5, usual: 864_000, longest: 2_592_000 };
export const MOST_SUBSCRIPTIONS = 1_000;
export const MOST_OF_A_HOST = 100;

/** What of the limits of leases is nearest to what a subscriber asks for. */
export function leaseSecondsOf(asked: number | undefined): number {
  return Math.min(Math.max(asked ?? LEASE.usual, LEASE.shortest), LEASE.longest);
}

export function isActive({ active }: StoredSubscription, now: number): boolean {
  return active !== undefined && active.until > now;
}
