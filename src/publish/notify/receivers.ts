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
import { FrameworkChannel } from './framework-channel.ts';
import type { RecordedEvent } from './framework-log.ts';
import type { Receiver } from './notification-senders.ts';
import type { ActiveSubscription, Subscriber, Topic } from './subscriptions.ts';

interface Parts {
  readonly index: ResourceIndex;
  readonly sets: Pick<SetRegistry, 'byId' | 'list' | 'source'>;
  readonly feeds: ChangeFeeds;
  readonly client: CallbackClient;
  readonly hubClient: CallbackClient;
  readonly hub: HubSetting;
  /** The stored events of documents. */
  events(): readonly RecordedEvent[];
  mayRead(subscriber: Subscriber, set: ResourceSet): Promise<boolean>;
}

interface SubscriberOptions extends Required<Pick<Receiver, 'since' | 'onGone'>> {
  readonly callback: string;
  /** The subscription as it is now; undefined once it has ended. */
  current(): ActiveSubscription | undefined;
}

/** Describes to whom notifications are sent: to subscribers, or to the hub of another server. */
export class Receivers {
  readonly #parts: Parts;
  readonly #recentSets: RecentSets;
  readonly #currentSets = new Map<SetId, CoalescedRead<ResourceSet | undefined>>();
  readonly #payloads = new Payloads();

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#recentSets = new RecentSets(parts.sets);
  }

  ofSubscriber({ kind, set }: Topic, { since, callback, current, onGone }: SubscriberOptions): Receiver {
    const { client, feeds, events } = this.#parts;
    const sets = this.#recentSets;
    return {
      since,
      client,
      callback,
      hub: () => this.#hub(),
      channel:
        kind === 'framework'
          ? new FrameworkChannel(set, { sets, events })
          : new ChangeChannel(set, { feeds, sets, payloads: this.#payloads }),
      secret: () => current()?.secret,
      isAdmitted: () => this.#isAdmitted(current()?.subscriber, set),
      onGone,
    };
  }

  /** Everything is sent to the hub of another server: the changes of resources, and events of documents. */
  ofHub(url: string, since: { readonly changes: Stamp; readonly framework: Stamp }): readonly [Receiver, Receiver] {
    const { index, sets, hubClient: client, events } = this.#parts;
    const everything = {
      client,
      callback: url,
      hub: () => this.#hub(),
      secret: () => undefined,
      isAdmitted: async () => true,
    };
    return [
      { ...everything, since: since.changes, channel: new AllChangesChannel({ sets, index }) },
      { ...everything, since: since.framework, channel: new FrameworkChannel(undefined, { sets, events }) },
    ];
  }

  async #hub(): Promise<string> {
    return hubUri(this.#parts.hub, (await this.#recentSets.source()).baseUrl)!;
  }

  /** Decided by the current set: once it has become private, other readers get nothing more. */
  async #isAdmitted(subscriber: Subscriber | undefined, id: SetId): Promise<boolean> {
    const set = await this.#currentSet(id);
    return set !== undefined && subscriber !== undefined && this.#parts.mayRead(subscriber, set);
  }

  /** All subscribers of a set ask at the same time when it has changed, so they share one read. */
  #currentSet(id: SetId): Promise<ResourceSet | undefined> {
    const known = this.#currentSets.get(id) ?? new CoalescedRead(() => this.#parts.sets.byId(id));
    this.#currentSets.set(id, known);
    return known.read();
  }
}

type Source = ReturnType<SetRegistry['source']>;

/** Milliseconds: the interval at which subscriptions are compared with the sets. */
const FRESH_MS = 500;

/** Sets, at most half a second old: each delivery needs them, and a read is a request to the store. */
class RecentSets {
  readonly #sets: Pick<SetRegistry, 'byId' | 'list' | 'source'>;
  readonly #known = new Map<SetId | 'source' | 'list', { readonly at: number; readonly value: Promise<unknown> }>();

  constructor(sets: Pick<SetRegistry, 'byId' | 'list' | 'source'>) {
    this.#sets = sets;
  }

  byId(id: SetId): Promise<ResourceSet | undefined> {
    return this.#recent(id, () => this.#sets.byId(id));
  }

  list(): Promise<readonly ResourceSet[]> {
    return this.#recent('list', () => this.#sets.list());
  }

  source(): Source {
    return this.#recent('source', () => this.#sets.source());
  }

  #recent<Value>(name: SetId | 'source' | 'list', read: () => Promise<Value>): Promise<Value> {
    const known = this.#known.get(name);
    if (known !== undefined && performance.now() - known.at < FRESH_MS) return known.value as Promise<Value>;
    const value = read();
    this.#known.set(name, { at: performance.now(), value });
    // A failed read is repeated.
    value.catch(() => this.#known.delete(name));
    return value;
  }
}
