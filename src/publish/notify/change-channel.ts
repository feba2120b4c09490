import { setTimeout as wait } from 'node:timers/promises';
import type { Change } from '../../core/change.ts';
import { TidemarkError } from '../../core/errors.ts';
import type { ResourceSet, SetId } from '../../core/resource-set.ts';
import type { Stamp } from '../../core/stamp.ts';
import type { SetRegistry } from '../../sets/set-registry.ts';
import { setUris } from '../documents.ts';
import { entryStyleOf } from '../published-set.ts';
import { renderChangeNotification } from '../render/documents/notification.ts';
import type { ChangeFeeds } from './change-feeds.ts';
import { type Channel, NOTIFICATION_LIMITS, type Notification } from './channel.ts';

const NEWS_MS = 60_000;
/** Milliseconds between two checks whether a set is ready. */
const UNREADY_MS = 1_000;
const MOST_PAYLOADS = 16;

/** Caches payloads: subscribers at the same boundary are sent the same bytes. */
export class Payloads {
  readonly #bytes = new Map<string, Buffer>();

  get(key: string, make: () => string): Buffer {
    const known = this.#bytes.get(key);
    if (known !== undefined) return known;
    const made = Buffer.from(make());
    this.#bytes.set(key, made);
    if (this.#bytes.size > MOST_PAYLOADS) this.#bytes.delete(this.#bytes.keys().next().value!);
    return made;
  }
}

interface Parts {
  readonly feeds: Pick<ChangeFeeds, 'open'>;
  readonly sets: Pick<SetRegistry, 'byId' | 'source'>;
  readonly payloads: Payloads;
}

/** The changes of a set. */
export class ChangeChannel implements Channel {
  readonly #set: SetId;
  readonly #parts: Parts;
  #opened: Awaited<ReturnType<ChangeFeeds['open']>> | undefined;
  #revision = -1;
  #isReady = false;

  constructor(set: SetId, parts: Parts) {
    this.#set = set;
    this.#parts = parts;
  }

  async next(after: Stamp): Promise<Notification | undefined> {
    const { feeds, sets, payloads } = this.#parts;
    const set = await sets.byId(this.#set);
    if (set === undefined || set.removed !== undefined) throw new TidemarkError('not-found', 'the set was removed');
    // A set that is being read for the first time, or moved, has no lists either.
    this.#isReady = set.ready;
    if (!set.ready) return undefined;
    this.#opened ??= await feeds.open(this.#set);
    const { feed } = this.#opened;
    this.#revision = feed.revision;
    const { changes, until } = await feed.read(after, NOTIFICATION_LIMITS);
    if (changes.length === 0) return undefined;
    const { baseUrl } = await sets.source();
    const key = `${set.id} ${set.epoch} ${baseUrl} ${after} ${until}`;
    const body = payloads.get(key, () => changeNotification(set, baseUrl, { from: after, until, changes }));
    return { set: set.id, topic: setUris(baseUrl, set.slug).changeTopic, body, until, oldest: changes[0]!.stamp };
  }

  async news(signal: AbortSignal): Promise<void> {
    if (this.#isReady) await this.#opened!.feed.news(this.#revision, { ms: NEWS_MS, signal });
    else await wait(UNREADY_MS, undefined, { signal }).catch(() => {});
  }

  close(): void {
    this.#opened?.close();
    this.#opened = undefined;
  }
}

/** @param baseUrl ends without a slash */
export function changeNotification(
  set: ResourceSet,
  baseUrl: string,
  part: { readonly from: Stamp; readonly until: Stamp; readonly changes: readonly Change[] },
): string {
  const uris = setUris(baseUrl, set.slug);
  return renderChangeNotification({ ...part, capabilityList: uris.capabilityList }, entryStyleOf(set, uris));
}
