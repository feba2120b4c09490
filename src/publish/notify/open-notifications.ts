import type { Configuration } from '../../config/configuration.ts';
import type { ResourceSet } from '../../core/resource-set.ts';
import type { Closers } from '../../lib/calls/closers.ts';
import type { SetRegistry } from '../../sets/set-registry.ts';
import type { Catalog } from '../../stores/catalog.ts';
import type { ResourceIndex } from '../../stores/resource-index.ts';
import type { Publishing } from '../open-publishing.ts';
import { CallbackClient } from './callback-client.ts';
import { ChangeFeeds } from './change-feeds.ts';
import { Deliverer } from './deliverer.ts';
import { type Subscriber, Subscriptions } from './subscriptions.ts';

interface NotificationParts {
  readonly configuration: Configuration;
  readonly index: ResourceIndex;
  readonly catalog: Catalog;
  readonly sets: SetRegistry;
  readonly publishing: Pick<Publishing, 'publisher' | 'knownDumps' | 'knownArchives'>;
  /** Whether a subscriber may do something to a set now. */
  mayStill(subscriber: Subscriber, action: 'read-documents', set: ResourceSet): Promise<boolean>;
}

/** Reports changes to clients that wait for them, and to subscribers. */
export interface Notifications extends ReturnType<typeof openNotifications> {}

/** `closers` close everything that this opens. */
export function openNotifications(
  { configuration, publishing, mayStill, ...parts }: NotificationParts,
  closers: Closers,
) {
  const { hub, jobLeaseMs: leaseMs, subscriberNetworks } = configuration;
  const { publisher, knownDumps: dumps, knownArchives: archives } = publishing;
  const feeds = new ChangeFeeds(parts.index);
  closers.add(() => feeds.close());
  const subscriptions = new Subscriptions(parts.catalog);
  // One process of a store delivers at a time: any of them may be started.
  const deliverer = new Deliverer({
    ...parts,
    feeds,
    dumps,
    archives,
    publisher,
    subscriptions,
    client: new CallbackClient(subscriberNetworks),
    hubClient: new CallbackClient('all'),
    hub,
    leaseMs,
    mayRead: (subscriber, set) => mayStill(subscriber, 'read-documents', set),
  });
  closers.add(() => deliverer.stop());
  return { feeds, subscriptions, deliverer };
}
