import { TidemarkError, unlessConflict } from '../../core/errors.ts';
import type { Catalog, CatalogDocument } from '../../stores/catalog.ts';
import { CatalogFollower } from '../../stores/catalog-follower.ts';
import { type DeliveryState, readDeliveryState } from './delivery-state.ts';
import { requireSubscribable } from './require-subscribable.ts';
import {
  type FreePlace,
  type PendingRequest,
  type StoredSubscription,
  SUBSCRIPTION_LIMITS,
  type Subscription,
  type SubscriptionLimits,
} from './subscription.ts';

type Place = StoredSubscription | FreePlace;

/**
 * All subscriptions, in the catalog. The document of an ended subscription is reused, so there are never many
 * documents.
 */
export class Subscriptions {
  readonly #catalog: Catalog;
  readonly #limits: SubscriptionLimits;
  readonly #places = new Map<string, CatalogDocument<Place>>();
  readonly #follower: CatalogFollower<Place>;
  readonly #listeners = new Set<() => void>();

  /** @param limits for tests */
  constructor(catalog: Catalog, limits: SubscriptionLimits = SUBSCRIPTION_LIMITS) {
    this.#catalog = catalog;
    this.#limits = limits;
    const onPut = (document: CatalogDocument<Place>) => this.#places.set(document.id, document);
    this.#follower = new CatalogFollower(catalog, { kind: 'subscription', onPut });
  }

  /** The subscriptions that are in force or wait for confirmation, in the order of their ids. */
  async list(): Promise<readonly Subscription[]> {
    await this.#follower.load();
    return [...this.#places.values()].flatMap(asSubscription).sort((a, b) => (a.id < b.id ? -1 : 1));
  }

  /** Their progress, which may be some seconds old. */
  progress(): Promise<DeliveryState> {
    return readDeliveryState(this.#catalog);
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
    const { id, version } = same ?? this.#freePlace();
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
    const body: Place = changes === undefined ? { free: true } : { topic, callback, active, pending, ...changes };
    return this.#put(id, body, version);
  }

  /** Returns false when another process has put that subscription. */
  async #put(id: string, body: Place, replaces: number | undefined): Promise<boolean> {
    const put = await unlessConflict(this.#catalog.put('subscription', id, body, replaces));
    await this.#follower.load();
    if (put === undefined) return false;
    for (const listener of this.#listeners) listener();
    return true;
  }

  #freePlace(): { readonly id: string; readonly version: number | undefined } {
    const free = [...this.#places.values()].filter(({ body }) => 'free' in body).sort((a, b) => (a.id < b.id ? -1 : 1));
    if (free[0] !== undefined) return free[0];
    return { id: String(this.#places.size + 1).padStart(5, '0'), version: undefined };
  }
}

function asSubscription({ id, version, body }: CatalogDocument<Place>): readonly Subscription[] {
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
