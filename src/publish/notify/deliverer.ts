import { setTimeout as wait } from 'node:timers/promises';
import type { HubSetting } from '../../config/configuration.ts';
import { isTidemarkError } from '../../core/errors.ts';
import type { ResourceSet } from '../../core/resource-set.ts';
import type { SetRegistry } from '../../sets/set-registry.ts';
import type { Catalog } from '../../stores/catalog.ts';
import type { ResourceIndex } from '../../stores/resource-index.ts';
import type { KnownArchives } from '../archives/known-archives.ts';
import type { KnownDumps } from '../dumps/known-dumps.ts';
import type { Publisher } from '../publisher.ts';
import { topicOf } from '../topics.ts';
import type { CallbackClient } from './callback-client.ts';
import type { ChangeFeeds } from './change-feeds.ts';
import { FrameworkLog } from './framework-log.ts';
import { NotificationSenders, type SendOutcome } from './notification-senders.ts';
import { Receivers } from './receivers.ts';
import { SenderLease, type SenderState } from './sender-lease.ts';
import { SubscriptionLifecycle } from './subscription-lifecycle.ts';
import type { Subscriber, Subscription, Subscriptions } from './subscriptions.ts';

/** Events of a deliverer. */
interface DeliveryEvents {
  /** This process starts or stops to be the one that delivers. */
  onOwner?(isOwner: boolean): void;
  onConfirmed?(subscription: Subscription): void;
  /** The subscription has ended, or never began; with the reason. */
  onEnded?(subscription: Subscription, reason: string): void;
  onDelivery?(outcome: SendOutcome, seconds: number): void;
  /** The store does not answer. Called once until it answers. */
  onTrouble?(error: unknown): void;
}

interface DelivererParts {
  readonly index: ResourceIndex;
  readonly catalog: Catalog;
  readonly sets: SetRegistry;
  readonly feeds: ChangeFeeds;
  readonly dumps: Pick<KnownDumps, 'dumpOf' | 'changePackagesOf'>;
  readonly archives: Pick<KnownArchives, 'find'>;
  readonly publisher: Pick<Publisher, 'newestPartOf'>;
  readonly subscriptions: Subscriptions;
  readonly client: CallbackClient;
  /** For a hub of another server, which the administrator has chosen. */
  readonly hubClient: CallbackClient;
  readonly hub: HubSetting;
  readonly leaseMs: number;
  /** Whether a subscriber may read a set now. */
  mayRead(subscriber: Subscriber, set: ResourceSet): Promise<boolean>;
}

/** Milliseconds between two rounds while this process delivers. */
const ROUND_MS = 500;
/** Milliseconds between two rounds while there is nothing to deliver, or another process delivers. */
const IDLE_MS = 2_000;
/**
 * Milliseconds between two writes of the progress: after a crash, payloads sent since the last write are sent again.
 */
const SAVE_MS = 1_000;
const ROUNDS_OF_LEASE = 6;
const BEATS_OF_LEASE = 4;

interface Running {
  /** The progress of receivers when this process started to send. */
  readonly known: SenderState['progress'];
  readonly senders: NotificationSenders;
  readonly receivers: Receivers;
  readonly lifecycle: SubscriptionLifecycle;
  readonly framework: FrameworkLog;
}

/** Delivers to all subscribers, when no other process of the store does so. */
export class Deliverer {
  readonly #parts: DelivererParts;
  readonly #lease: SenderLease;
  readonly #stopping = new AbortController();
  #events: DeliveryEvents = {};
  #awake = new AbortController();
  #loop: Promise<void> | undefined;
  #forget = () => {};
  /** Present while this process delivers. */
  #running: Running | undefined;
  #saved = { at: 0, text: '' };
  #isInTrouble = false;

  constructor(parts: DelivererParts) {
    this.#parts = parts;
    this.#lease = new SenderLease(parts.catalog, parts.leaseMs);
  }

  /** Does nothing when no hub is configured. */
  start(events: DeliveryEvents = {}): void {
    if (this.#parts.hub.kind === 'none' || this.#loop !== undefined) return;
    this.#events = events;
    this.#forget = this.#parts.subscriptions.onChange(() => this.#awake.abort());
    this.#loop = this.#run();
  }

  /** Ends running deliveries, and lets another process continue. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#awake.abort();
    this.#forget();
    await this.#loop;
    for (const client of [this.#parts.client, this.#parts.hubClient]) await client.close();
  }

  /** Stamp of the oldest change that was read but not sent, in microseconds since 1970. */
  get oldestUnsent(): number | undefined {
    return this.#running?.senders.oldestUnsent;
  }

  async #run(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      this.#awake = new AbortController();
      try {
        await this.#round();
        this.#isInTrouble = false;
      } catch (error) {
        if (!this.#isInTrouble) this.#events.onTrouble?.(error);
        this.#isInTrouble = true;
      }
      const pauseMs = Math.min(this.#running === undefined ? IDLE_MS : ROUND_MS, this.#parts.leaseMs / ROUNDS_OF_LEASE);
      const signal = AbortSignal.any([this.#awake.signal, this.#stopping.signal]);
      await wait(pauseMs, undefined, { signal }).catch(() => {});
    }
    // Progress that was not saved is sent again.
    await this.#end().catch(() => {});
  }

  async #round(): Promise<void> {
    const { hub, subscriptions, sets } = this.#parts;
    const all = hub.kind === 'inside' ? await subscriptions.list() : [];
    if (hub.kind !== 'elsewhere' && all.length === 0) return this.#end();
    if (this.#running === undefined && !(await this.#begin())) return;
    const { senders, lifecycle, framework } = this.#running!;
    const { baseUrl } = await sets.source();
    const isForFramework =
      hub.kind === 'elsewhere' || all.some(({ topic }) => topicOf(topic, baseUrl)?.kind === 'framework');
    // Events after its confirmation must reach a subscriber. So this update comes before confirmations, and a
    // subscriber that asks meanwhile is confirmed in the next round.
    await (isForFramework ? framework.update() : framework.forget()).catch((error) => {
      if (!isTidemarkError(error, 'conflict')) throw error;
    });
    if (hub.kind === 'elsewhere') await this.#sendToHub(hub.url, this.#running!);
    else await lifecycle.update(all);
    await this.#save({ progress: senders.progress() });
  }

  async #begin(): Promise<boolean> {
    const state = await this.#lease.take();
    if (state === undefined) return false;
    this.#saved = { at: performance.now(), text: JSON.stringify(state) };
    const parts = this.#parts;
    const framework = new FrameworkLog(this.#parts);
    const senders = new NotificationSenders({
      known: state.progress,
      onOutcome: (outcome, seconds) => this.#events.onDelivery?.(outcome, seconds),
    });
    const receivers = new Receivers({ ...parts, events: () => framework.events });
    const lifecycle = new SubscriptionLifecycle({ ...parts, senders, receivers, events: this.#events });
    this.#running = { known: state.progress, senders, receivers, framework, lifecycle };
    this.#events.onOwner?.(true);
    return true;
  }

  async #sendToHub(url: string, { known, senders, receivers }: Running): Promise<void> {
    const [changesId, frameworkId] = [`hub ${url}`, `hub ${url} framework`];
    if (senders.has(changesId)) return;
    const now = await this.#parts.index.watermark();
    const since = (id: string) => known[id]?.since ?? now;
    const [changes, framework] = receivers.ofHub(url, { changes: since(changesId), framework: since(frameworkId) });
    senders.start(changesId, changes);
    senders.start(frameworkId, framework);
  }

  /** Writes changed state at intervals, and at least as a heartbeat. */
  async #save(state: SenderState): Promise<void> {
    const text = JSON.stringify(state);
    const passedMs = performance.now() - this.#saved.at;
    const beatMs = this.#parts.leaseMs / BEATS_OF_LEASE;
    if (passedMs < (text === this.#saved.text ? beatMs : Math.min(SAVE_MS, beatMs))) return;
    if (await this.#lease.put(state)) this.#saved = { at: performance.now(), text };
    else await this.#drop();
  }

  /** Stops delivering, and records that in the store. */
  async #end(): Promise<void> {
    const running = this.#running;
    if (running === undefined) return;
    await this.#drop();
    await this.#lease.put({ progress: running.senders.progress() }, true);
  }

  async #drop(): Promise<void> {
    const running = this.#running;
    this.#running = undefined;
    await Promise.all([running?.senders.stop(), running?.lifecycle.stop()]);
    this.#events.onOwner?.(false);
  }
}
