import { randomBytes } from 'node:crypto';
import type { ResourceSet } from '../../core/resource-set.ts';
import type { Stamp } from '../../core/stamp.ts';
import type { SetRegistry } from '../../sets/set-registry.ts';
import type { ChangeLog } from '../../stores/change-log.ts';
import { type TopicKind, topicOf } from '../topics.ts';
import type { CallbackClient } from './callback-client.ts';
import type { NotificationSenders } from './notification-senders.ts';
import type { Receivers } from './receivers.ts';
import {
  type ActiveSubscription,
  isActive,
  type PendingRequest,
  type StoredSubscription,
  type Subscriber,
  type Subscription,
  type Subscriptions,
  type Topic,
} from './subscriptions.ts';

/** Number of subscribers that are asked for confirmation at the same time; fewer of one host, which may hang. */
const MOST_ASKED = 50;
const MOST_ASKED_OF_HOST = 10;

interface Parts {
  readonly subscriptions: Subscriptions;
  readonly sets: Pick<SetRegistry, 'bySlug' | 'list' | 'source'>;
  readonly index: Pick<ChangeLog, 'watermark'>;
  readonly client: CallbackClient;
  readonly senders: Pick<NotificationSenders, 'has' | 'start' | 'end'>;
  readonly receivers: Receivers;
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

/** Requests the confirmation of each subscription, starts its sender while it is in force, and ends it. */
export class SubscriptionLifecycle {
  readonly #parts: Parts;
  readonly #stopping = new AbortController();
  /** By id: the current version of each subscription that has a sender. */
  readonly #inForce = new Map<string, Subscription>();
  readonly #asking = new Map<string, { readonly host: string; readonly ended: Promise<void> }>();
  /** By id: the last version that was settled. A round may have read it before. */
  readonly #settled = new Map<string, number>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Starts and ends senders according to all subscriptions. */
  async update(all: readonly Subscription[]): Promise<void> {
    const topicAt = await this.#topics();
    const inForce = new Set<string>();
    for (const subscription of all) {
      if (await this.#updateOne(subscription, topicAt)) inForce.add(subscription.id);
    }
    for (const id of [...this.#inForce.keys()]) {
      if (inForce.has(id)) continue;
      this.#inForce.delete(id);
      this.#parts.senders.end(id);
    }
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all([...this.#asking.values()].map(({ ended }) => ended));
  }

  /** Returns whether the subscription is in force. */
  async #updateOne(subscription: Subscription, topicAt: (uri: string) => FoundTopic | undefined): Promise<boolean> {
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
    this.#inForce.set(subscription.id, subscription);
    this.#startSender(subscription, active.since, { kind: about.kind, set: about.set.id });
    return true;
  }

  #startSender({ id, callback }: Subscription, since: Stamp, topic: Topic): void {
    const { senders, receivers } = this.#parts;
    if (senders.has(id, since)) return;
    const current = () => this.#inForce.get(id)?.active;
    const onGone = () => this.#endGone(id, since);
    senders.start(id, receivers.ofSubscriber(topic, { since, callback, current, onGone }));
  }

  /** Ends a subscription whose subscriber has answered that it no longer exists. */
  async #endGone(id: string, since: Stamp): Promise<void> {
    const { subscriptions, events } = this.#parts;
    for (;;) {
      const last = (await subscriptions.list()).find((one) => one.id === id && one.active?.since === since);
      if (last === undefined) return;
      if (await subscriptions.replace(last, undefined)) return events.onEnded?.(last, 'it answers with the status 410');
    }
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

/** Asks a subscriber to confirm a request made in its name (WebSub, 5.3). Returns why it was not confirmed. */
async function verifyIntent(
  client: CallbackClient,
  { topic, callback }: Pick<StoredSubscription, 'topic' | 'callback'>,
  { pending, signal }: { readonly pending: PendingRequest; readonly signal: AbortSignal },
): Promise<string | undefined> {
  const challenge = randomBytes(24).toString('base64url');
  const asked = new URLSearchParams({ 'hub.mode': pending.mode, 'hub.topic': topic, 'hub.challenge': challenge });
  if (pending.mode === 'subscribe') asked.set('hub.lease_seconds', String(pending.leaseSeconds));
  const answer = await client.send(withQuery(callback, asked), { method: 'GET', signal });
  if ('failure' in answer) return answer.failure;
  const { status, text } = answer;
  if (status < 200 || status > 299) return `it answers the verification with the status ${status}`;
  return text === challenge ? undefined : 'it answers the verification with another text than the challenge';
}

/** Informs a subscriber that its subscription is denied, or has ended (WebSub, 5.2). Its response is ignored. */
async function sendDenial(
  client: CallbackClient,
  { topic, callback }: Pick<StoredSubscription, 'topic' | 'callback'>,
  { reason, signal }: { readonly reason: string; readonly signal: AbortSignal },
): Promise<void> {
  const denial = new URLSearchParams({ 'hub.mode': 'denied', 'hub.topic': topic, 'hub.reason': reason });
  await client.send(withQuery(callback, denial), { method: 'GET', signal });
}

/** Appends parameters to those of the callback (WebSub, 5.1.1). */
function withQuery(callback: string, parameters: URLSearchParams): string {
  return `${callback}${callback.includes('?') ? '&' : '?'}${parameters}`;
}
