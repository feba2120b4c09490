import type { HubSetting } from '../../config/configuration.ts';
import type { ResourceSet, SetId } from '../../core/resource-set.ts';
import type { Stamp } from '../../core/stamp.ts';
import { CoalescedRead } from '../../lib/calls/coalesced-read.ts';
import type { SetRegistry } from '../../sets/set-registry.ts';
import type { ResourceIndex } from '../../stores/resource-index.ts';
import { hubUri } from '../topics.ts';
import { AllChangesChannel } from './all-changes-channel.ts';
import type { CallbackClient } from './callback-client.ts';
import { ChangeChannel, Payloads } from './change-channel.ts';
import type { ChangeFeeds } from './change-feeds.ts';
import type { Channel } from './channel.ts';
import { Delivery, type DeliveryOptions, type DeliveryOutcome } from './delivery.ts';
import type { Progress } from './delivery-state.ts';
import { FrameworkChannel } from './framework-channel.ts';
import type { RecordedEvent } from './framework-log.ts';
import { RecentSets } from './recent-sets.ts';
import type { Subscriber, Subscription, Topic } from './subscription.ts';
import type { Subscriptions } from './subscriptions.ts';

interface Parts {
  readonly index: ResourceIndex;
  readonly sets: Pick<SetRegistry, 'byId' | 'list' | 'source'>;
  readonly feeds: ChangeFeeds;
  readonly subscriptions: Pick<Subscriptions, 'replace' | 'list'>;
  readonly client: CallbackClient;
  readonly hubClient: CallbackClient;
  readonly hub: HubSetting;
  /** The progress of subscriptions when this process started to deliver. */
  readonly known: Readonly<Record<string, Progress>>;
  /** The stored events of documents. */
  events(): readonly RecordedEvent[];
  mayRead(subscriber: Subscriber, set: ResourceSet): Promise<boolean>;
  onDelivery(outcome: DeliveryOutcome, seconds: number): void;
  onEnded(subscription: Subscription, reason: string): void;
}

interface Running {
  readonly delivery: Delivery;
  readonly since: Stamp;
  /** Its current version. */
  subscription: Subscription | undefined;
}

/** The running deliveries: one for each subscription in force. */
export class Deliveries {
  readonly #parts: Parts;
  readonly #recentSets: RecentSets;
  readonly #setsNow = new Map<SetId, CoalescedRead<ResourceSet | undefined>>();
  readonly #running = new Map<string, Running>();
  readonly #payloads = new Payloads();

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#recentSets = new RecentSets(parts.sets);
  }

  get oldestUnsent(): Stamp | undefined {
    const all = [...this.#running.values()].flatMap(({ delivery }) => delivery.oldestUnsent ?? []);
    return all.length === 0 ? undefined : Math.min(...all);
  }

  progress(): Readonly<Record<string, Progress>> {
    return Object.fromEntries([...this.#running].map(([id, { delivery }]) => [id, delivery.progress]));
  }

  /** Starts to deliver to a subscription, or continues. */
  keep(subscription: Subscription, topic: Topic): void {
    const { id, callback, active } = subscription;
    const { since } = active!;
    const running = this.#running.get(id);
    if (running?.since === since) {
      running.subscription = subscription;
      return;
    }
    this.end(id);
    const current = () => this.#running.get(id)?.subscription;
    const options = {
      client: this.#parts.client,
      callback,
      secret: () => current()?.active?.secret,
      isAdmitted: () => this.#isAdmitted(current(), topic.set),
      onGone: () => this.#endGone(id, since),
    };
    this.#start(id, { since, subscription }, topic, options);
  }

  /** Sends everything to the hub of another server. */
  async toHub(url: string): Promise<void> {
    const { index, sets, hubClient } = this.#parts;
    const others = { secret: () => undefined, isAdmitted: async () => true };
    const options = { client: hubClient, callback: url, ...others };
    const [changes, framework] = [`hub ${url}`, `hub ${url} framework`];
    if (this.#running.has(changes)) return;
    const now = await index.watermark();
    const since = (id: string) => this.#parts.known[id]?.since ?? now;
    const all = new AllChangesChannel({ sets, index });
    this.#begin(changes, { since: since(changes), subscription: undefined }, all, options);
    const documents = new FrameworkChannel(undefined, this.#parts);
    this.#begin(framework, { since: since(framework), subscription: undefined }, documents, options);
  }

  /** The ids of subscriptions that are being delivered to. */
  ids(): readonly string[] {
    return [...this.#running.keys()];
  }

  end(id: string): void {
    this.#running.get(id)?.delivery.abort();
    this.#running.delete(id);
  }

  /** Resolves when nothing is sent any more. The progress can still be read then. */
  async stop(): Promise<void> {
    const running = [...this.#running.values()];
    for (const { delivery } of running) delivery.abort();
    await Promise.all(running.map(({ delivery }) => delivery.ended));
  }

  /** Ends a subscription whose subscriber has answered that it no longer exists. */
  async #endGone(id: string, since: Stamp): Promise<void> {
    const { subscriptions, onEnded } = this.#parts;
    for (;;) {
      const last = (await subscriptions.list()).find((one) => one.id === id && one.active?.since === since);
      if (last === undefined) return;
      if (await subscriptions.replace(last, undefined)) return onEnded(last, 'it answers with the status 410');
    }
  }

  /** Decided by the current set: once it has become private, other readers get nothing more. */
  async #isAdmitted(subscription: Subscription | undefined, id: SetId): Promise<boolean> {
    const set = await this.#setNow(id);
    const subscriber = subscription?.active?.subscriber;
    return set !== undefined && subscriber !== undefined && this.#parts.mayRead(subscriber, set);
  }

  /** All subscribers of a set ask at the same time when it has changed, so they share one read. */
  #setNow(id: SetId): Promise<ResourceSet | undefined> {
    const known = this.#setsNow.get(id) ?? new CoalescedRead(() => this.#parts.sets.byId(id));
    this.#setsNow.set(id, known);
    return known.read();
  }

  #start(
    id: string,
    about: Omit<Running, 'delivery'>,
    topic: Topic,
    options: Omit<DeliveryOptions, 'channel' | 'progress' | 'hub' | 'onOutcome'>,
  ): void {
    const channel = topic.kind === 'framework' ? this.#frameworkChannel(topic.set) : this.#changeChannel(topic.set);
    this.#begin(id, about, channel, options);
  }

  #begin(
    id: string,
    about: Omit<Running, 'delivery'>,
    channel: Channel & { close?(): void },
    options: Omit<DeliveryOptions, 'channel' | 'progress' | 'hub' | 'onOutcome'>,
  ): void {
    const { known, hub, onDelivery } = this.#parts;
    const { since } = about;
    const delivery = new Delivery({
      ...options,
      channel,
      progress: known[id]?.since === since ? known[id] : { since, through: since },
      hub: async () => hubUri(hub, (await this.#recentSets.source()).baseUrl)!,
      onOutcome: onDelivery,
    });
    this.#running.set(id, { ...about, delivery });
    const close = () => channel.close?.();
    delivery.ended.then(close, close);
  }

  #frameworkChannel(set: SetId): Channel {
    return new FrameworkChannel(set, { sets: this.#recentSets, events: this.#parts.events });
  }

  #changeChannel(set: SetId): Channel & { close(): void } {
    const { feeds } = this.#parts;
    return new ChangeChannel(set, { feeds, sets: this.#recentSets, payloads: this.#payloads });
  }
}
