import { setTimeout as wait } from 'node:timers/promises';
import type { ResourceSet, SetId } from '../../core/resource-set.ts';
import type { Stamp } from '../../core/stamp.ts';
import type { SetRegistry } from '../../sets/set-registry.ts';
import { setUris } from '../documents.ts';
import { renderFrameworkNotification } from '../render/documents/notification.ts';
import { type Channel, NOTIFICATION_LIMITS, type Notification } from './channel.ts';
import type { RecordedEvent } from './framework-log.ts';

const POLL_MS = 500;

interface Parts {
  readonly sets: Pick<SetRegistry, 'byId' | 'list' | 'source'>;
  /** The stored events, ascending by stamp. */
  events(): readonly RecordedEvent[];
}

/**
 * Events of the documents of a set, and of the Source Description (Framework Notification 1.0.1, 2); or of all public
 * sets, each with its own topic. Only the last part of a section moves the boundary.
 */
export class FrameworkChannel implements Channel {
  readonly #set: SetId | undefined;
  readonly #parts: Parts;
  /** Remaining parts of the section. */
  #queue: Notification[] = [];

  /** @param set by default all public sets */
  constructor(set: SetId | undefined, parts: Parts) {
    this.#set = set;
    this.#parts = parts;
  }

  async next(after: Stamp): Promise<Notification | undefined> {
    const [first] = this.#queue;
    // While the hub does not answer, a set may become private: then the section is read again.
    const mayBeSent = first !== undefined && (await this.#sets()).some(({ id }) => id === first.set);
    if (!mayBeSent) this.#queue = await this.#stretch(after);
    return this.#queue[0];
  }

  sent(): void {
    this.#queue.shift();
  }

  async news(signal: AbortSignal): Promise<void> {
    await wait(POLL_MS, undefined, { signal }).catch(() => {});
  }

  async #stretch(after: Stamp): Promise<Notification[]> {
    const events = this.#parts
      .events()
      .filter(({ stamp }) => stamp > after)
      .slice(0, NOTIFICATION_LIMITS.entries);
    if (events.length === 0) return [];
    const { baseUrl } = await this.#parts.sets.source();
    const parts = (await this.#sets()).flatMap((set) => partOf(set, baseUrl, events) ?? []);
    const until = events.at(-1)!.stamp + 1;
    return parts.map((part, at) => ({ ...part, until: at === parts.length - 1 ? until : after }));
  }

  async #sets(): Promise<readonly ResourceSet[]> {
    const { sets } = this.#parts;
    if (this.#set === undefined) return (await sets.list()).filter((set) => set.private !== true);
    const set = await sets.byId(this.#set);
    return set === undefined ? [] : [set];
  }
}

function partOf(
  { slug, id }: ResourceSet,
  baseUrl: string,
  events: readonly RecordedEvent[],
): Notification | undefined {
  const some = events.filter(({ set, capability }) => set === id || capability === 'description');
  if (some.length === 0) return undefined;
  const uris = setUris(baseUrl, slug);
  const body = Buffer.from(renderFrameworkNotification(uris, some));
  return { set: id, topic: uris.frameworkTopic, body, until: some.at(-1)!.stamp + 1, oldest: some[0]!.stamp };
}
