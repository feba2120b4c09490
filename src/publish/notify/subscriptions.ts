import { TidemarkError, unlessConflict } from '../../core/errors.ts';
import type { SetId } from '../../core/resource-set.ts';
import type { Stamp } from '../../core/stamp.ts';
import type { Catalog, CatalogDocument } from '../../stores/catalog.ts';
import { CatalogFollower } from '../../stores/catalog-follower.ts';
import type { TopicKind } from '../topics.ts';
import { requireSubscribable } from './require-subscribable.ts';
import { readSenderState, type SenderState } from './sender-lease.ts';

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
interface FreeDocument {
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

interface SubscriptionLimits {
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

type SubscriptionDocument = StoredSubscription | FreeDocument;

/**
 * All subscriptions, in the catalog. The document of an ended subscription is reused, so there are never many
 * documents.
 */
export class Subscriptions {
  readonly #catalog: Catalog;
  readonly #limits: SubscriptionLimits;
  readonly #documents = new Map<string, CatalogDocument<SubscriptionDocument>>();
  readonly #follower: CatalogFollower<SubscriptionDocument>;
  readonly #listeners = new Set<() => void>();

  /** @param limits for tests */
  constructor(catalog: Catalog, limits: SubscriptionLimits = SUBSCRIPTION_LIMITS) {
    this.#catalog = catalog;
    this.#limits = limits;
    const onPut = (document: CatalogDocument<SubscriptionDocument>) => this.#documents.set(document.id, document);
    this.#follower = new CatalogFollower(catalog, { kind: 'subscription', onPut });
  }

  /** The subscriptions that are in force or wait for confirmation, in the order of their ids. */
  async list(): Promise<readonly Subscription[]> {
    await this.#follower.load();
    return [...this.#documents.values()].flatMap(asSubscription).sort((a, b) => (a.id < b.id ? -1 : 1));
  }

  /** Their progress, which may be some seconds old. */
  progress(): Promise<SenderState> {
    return readSenderState(this.#catalog);
  }

  /** Calls `listener` when this process has changed a subscription. Returns a function that ends that. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Records the request of a subscriber, until it has confirmed it. Durable when this resolves.
   * @throws TidemarkError `not-ready` when there are too many subscriptions; `invalid` for a callback that cannot
   *   be called, or a long secret
   */
  async request(name: Pick<StoredSubscription, 'topic' | 'callback'>, pending: PendingRequest): Promise<void> {
    requireSubscribable(name.callback, pending.mode === 'subscribe' ? pending.secret : undefined);
    const all = await this.list();
    const same = all.find(({ topic, callback }) => topic === name.topic && callback === name.callback);
    if (same === undefined && pending.mode === 'unsubscribe') return;
    if (same === undefined) requireRoom(all, name.callback, this.#limits);
    const { id, version } = same ?? this.#freeDocument();
    const { topic, callback } = name;
    const isPut = await this.#put(id, { topic, callback, active: same?.active, pending }, version);
    if (!isPut) await this.request(name, pending);
  }

  /** Ends a subscription; its subscriber is informed that it is denied. @throws TidemarkError `not-found` */
  async remove(id: string): Promise<Subscription> {
    const found = (await this.list()).find((one) => one.id === id);
    if (found === undefined) throw new TidemarkError('not-found', `there is no subscription "${id}"`, { id });
    await this.replace(found, {
      pending: { mode: 'denied', asked: Date.now(), reason: 'removed by an administrator' },
    });
    return found;
  }

  /**
   * Replaces a subscription if it still has the version that the caller knows; without `changes`, ends it. Returns
   * false, and changes nothing, if it has another version.
   */
  async replace(
    { id, version, topic, callback, active, pending }: Subscription,
    changes: Partial<StoredSubscription> | undefined,
  ): Promise<boolean> {
    const body: SubscriptionDocument =
      changes === undefined ? { free: true } : { topic, callback, active, pending, ...changes };
    return this.#put(id, body, version);
  }

  /** Returns false when another process has put that subscription. */
  async #put(id: string, body: SubscriptionDocument, replaces: number | undefined): Promise<boolean> {
    const put = await unlessConflict(this.#catalog.put('subscription', id, body, replaces));
    await this.#follower.load();
    if (put === undefined) return false;
    for (const listener of this.#listeners) listener();
    return true;
  }

  #freeDocument(): { readonly id: string; readonly version: number | undefined } {
    const free = [...this.#documents.values()]
      .filter(({ body }) => 'free' in body)
      .sort((a, b) => (a.id < b.id ? -1 : 1));
    if (free[0] !== undefined) return free[0];
    return { id: String(this.#documents.size + 1).padStart(5, '0'), version: undefined };
  }
}

function asSubscription({ id, version, body }: CatalogDocument<SubscriptionDocument>): readonly Subscription[] {
  return 'free' in body ? [] : [{ id, version, ...body }];
}

function requireRoom(all: readonly Subscription[], callback: string, limits: SubscriptionLimits): void {
  const { hostname } = new URL(callback);
  const ofHost = all.filter((one) => new URL(one.callback).hostname === hostname).length;
  if (ofHost >= limits.ofAHost) {
    throw new TidemarkError('not-ready', `${hostname} has ${ofHost} subscriptions, the most that a host may have`);
  }
  if (all.length >= limits.all) {
    throw new TidemarkError('not-ready', `there are ${all.length} subscriptions, the most that there may be`);
  }
}
