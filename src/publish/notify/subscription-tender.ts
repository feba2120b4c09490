import type { ResourceSet } from '../../core/resource-set.ts';
import type { SetRegistry } from '../../sets/set-registry.ts';
import type { ChangeLog } from '../../stores/change-log.ts';
import { type TopicKind, topicOf } from '../topics.ts';
import type { CallbackClient } from './callback-client.ts';
import type { Deliveries } from './deliveries.ts';
import {
  type ActiveSubscription,
  isActive,
  type PendingRequest,
  type Subscriber,
  type Subscription,
} from './subscription.ts';
import type { Subscriptions } from './subscriptions.ts';
import { sendDenial, verifyIntent } from './verify-intent.ts';

/** Number of subscribers that are asked for confirmation at the same time; fewer of one host, which may hang. */
const MOST_ASKED = 50;
const MOST_ASKED_OF_HOST = 10;

interface Parts {
  readonly subscriptions: Subscriptions;
  readonly sets: Pick<SetRegistry, 'bySlug' | 'list' | 'source'>;
  readonly index: Pick<ChangeLog, 'watermark'>;
  readonly client: CallbackClient;
  readonly events: {
    onConfirmed?(subscription: Subscription): void;
    onEnded?(subscription: Subscription, reason: string): void;
  };
  mayRead(subscriber: Subscriber, set: ResourceSet): Promise<boolean>;
}

interface FoundTopic {
  readonly kind: TopicKind;
  readonly set: ResourceSet;
}

/** Requests the confirmation of each subscription, delivers to it while it is in force, and ends it. */
export class SubscriptionTender {
  readonly #parts: Parts;
  readonly #stopping = new AbortController();
  readonly #asking = new Map<string, { readonly host: string; readonly ended: Promise<void> }>();
  /** By id: the last version that was settled. A round may have read it before. */
  readonly #settled = new Map<string, number>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Starts and stops deliveries according to all subscriptions. */
  async tend(deliveries: Deliveries, all: readonly Subscription[]): Promise<void> {
    const topicAt = await this.#topics();
    const kept = new Set<string>();
    for (const subscription of all) {
      if (await this.#keep(subscription, topicAt, deliveries)) kept.add(subscription.id);
    }
    for (const id of deliveries.ids()) if (!kept.has(id)) deliveries.end(id);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all([...this.#asking.values()].map(({ ended }) => ended));
  }

  /** Returns whether the subscription is delivered to. */
  async #keep(
    subscription: Subscription,
    topicAt: (uri: string) => FoundTopic | undefined,
    deliveries: Deliveries,
  ): Promise<boolean> {
    const { active, pending } = subscription;
    const about = topicAt(subscription.topic);
    const reason = about === undefined ? 'there is no such topic any more' : 'the topic may not be read any more';
    const mayRead = await this.#mayRead(pending?.mode === 'subscribe' ? pending.subscriber : active?.subscriber, about);
    if (pending?.mode !== 'denied' && pending?.mode !== 'unsubscribe' && !mayRead) {
      await this.#parts.subscriptions.replace(subscription, { pending: { mode: 'denied', asked: Date.now(), reason } });
      return false;
    }
    if (pending !== undefined) this.#ask(subscription, pending);
    if (pending?.mode === 'denied') return false;
    if (active !== undefined && !isActive(subscription, Date.now()) && !isRenewed(subscription)) {
      await this.#end(subscription, pending === undefined ? undefined : { active: undefined }, 'its lease has ended');
      return false;
    }
    if (active === undefined || about === undefined) return false;
    deliveries.keep(subscription, { kind: about.kind, set: about.set.id });
    return true;
  }

  #ask(subscription: Subscription, pending: PendingRequest): void {
    const { id, version, callback } = subscription;
    const { hostname: host } = new URL(callback);
    if (this.#settled.get(id) === version || !this.#mayAsk(id, host)) return;
    const ended = this.#settle(subscription, pending)
      .then(() => {
        this.#settled.set(id, version);
      })
      // A failed attempt is repeated in the next round.
      .catch(() => {})
      .finally(() => this.#asking.delete(id));
    this.#asking.set(id, { host, ended });
  }

  #mayAsk(id: string, host: string): boolean {
    if (this.#asking.has(id) || this.#asking.size >= MOST_ASKED) return false;
    return [...this.#asking.values()].filter((asked) => asked.host === host).length < MOST_ASKED_OF_HOST;
  }

  async #settle(subscription: Subscription, pending: PendingRequest): Promise<void> {
    const { client, index } = this.#parts;
    const { signal } = this.#stopping;
    if (pending.mode === 'denied') {
      await sendDenial(client, subscription, { reason: pending.reason, signal });
      if (!signal.aborted) await this.#end(subscription, undefined, pending.reason);
      return;
    }
    // All changes recorded from here on are sent.
    const since = subscription.active?.since ?? (await index.watermark());
    const asked = Date.now();
    const problem = await verifyIntent(client, subscription, { pending, signal });
    if (signal.aborted) return;
    if (problem !== undefined) {
      const before = subscription.active === undefined ? undefined : { pending: undefined };
      await this.#end(subscription, before, `not confirmed: ${problem}`);
    } else if (pending.mode === 'unsubscribe') {
      await this.#end(subscription, undefined, 'unsubscribed');
    } else {
      const { subscriber, leaseSeconds, secret } = pending;
      const active: ActiveSubscription = {
        subscriber,
        since,
        until: asked + leaseSeconds * 1000,
        leaseSeconds,
        secret,
      };
      const isConfirmed = await this.#parts.subscriptions.replace(subscription, { active, pending: undefined });
      if (isConfirmed) this.#parts.events.onConfirmed?.(subscription);
    }
  }

  async #end(subscription: Subscription, rest: Parameters<Subscriptions['replace']>[1], reason: string): Promise<void> {
    if (await this.#parts.subscriptions.replace(subscription, rest)) this.#parts.events.onEnded?.(subscription, reason);
  }

  async #mayRead(subscriber: Subscriber | undefined, about: FoundTopic | undefined): Promise<boolean> {
    return about !== undefined && subscriber !== undefined && this.#parts.mayRead(subscriber, about.set);
  }

  /** Finds the subject of a topic: undefined when there is none. */
  async #topics(): Promise<(uri: string) => FoundTopic | undefined> {
    const { sets } = this.#parts;
    const { baseUrl } = await sets.source();
    const bySlug = new Map((await sets.list()).map((set) => [set.slug, set]));
    return (uri) => {
      const topic = topicOf(uri, baseUrl);
      const set = topic && bySlug.get(topic.slug);
      return topic && set && { kind: topic.kind, set };
    };
  }
}

/** Whether a renewal was requested before the lease ended, and waits for the subscriber's confirmation. */
function isRenewed({ active, pending }: Subscription): boolean {
  return active !== undefined && pending?.mode === 'subscribe' && pending.asked < active.until;
}
