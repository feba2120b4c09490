import { setTimeout as wait } from 'node:timers/promises';
import { isTidemarkError } from '../../core/errors.ts';
import type { ResourceSet, SetId } from '../../core/resource-set.ts';
import type { Stamp } from '../../core/stamp.ts';
import type { SetRegistry } from '../../sets/set-registry.ts';
import type { ChangeLog } from '../../stores/change-log.ts';
import { setUris } from '../documents.ts';
import { changeNotification } from './change-channel.ts';
import { type Channel, NOTIFICATION_LIMITS, type Notification } from './channel.ts';

const POLL_MS = 250;
/** Number of log entries that are read at once; about as many changes of a set that is late are read with them. */
const BATCH = 2_000;

interface Parts {
  readonly sets: Pick<SetRegistry, 'byId' | 'source'>;
  readonly index: Pick<ChangeLog, 'watermark' | 'tail' | 'changes'>;
}

/** What remains to be sent. */
interface Remaining {
  /** Everything below this boundary is done, except for the late sets. */
  readonly passed: Stamp;
  /** Sets that were not ready when their changes were passed, each with the boundary below which it is done. */
  readonly late: ReadonlyMap<SetId, Stamp>;
}

/**
 * The changes of all public sets, for a hub of another server. A section of the log is sent set by set, and those of a
 * set that is not ready once it is. Only the last part of a section moves the boundary, and never past a change that
 * was not sent: after a crash, everything since is sent again.
 */
export class AllChangesChannel implements Channel {
  readonly #parts: Parts;
  /** Remaining parts of the section. */
  #queue: Notification[] = [];
  #remaining: Remaining = { passed: 0, late: new Map() };
  /** The same, once the queue is sent. */
  #then = this.#remaining;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async next(after: Stamp): Promise<Notification | undefined> {
    const [first] = this.#queue;
    // While the hub does not answer, a set may become private: then the section is read again.
    const mayBeSent = first !== undefined && (await this.#publicSet(first.set)) !== undefined;
    if (!mayBeSent) this.#queue = await this.#nextSection(after);
    return this.#queue[0];
  }

  sent(): void {
    this.#queue.shift();
    if (this.#queue.length === 0) this.#remaining = this.#then;
  }

  async news(signal: AbortSignal): Promise<void> {
    await wait(POLL_MS, undefined, { signal }).catch(() => {});
  }

  async #nextSection(after: Stamp): Promise<Notification[]> {
    const { index } = this.#parts;
    for (;;) {
      const from = Math.max(after, this.#remaining.passed);
      const watermark = await index.watermark();
      const entries = await index.tail(from, BATCH);
      const end = (entries.at(-1)?.stamp ?? from - 1) + 1;
      const passed = entries.length > 0 && entries.length < BATCH ? Math.max(watermark, end) : end;
      const parts = await this.#readSets(new Set(entries.map(({ set }) => set)), from, passed);
      if (parts.length > 0) {
        const until = Math.min(passed, ...this.#then.late.values());
        return parts.map((part, at) => (at === parts.length - 1 ? { ...part, until } : part));
      }
      this.#remaining = this.#then;
      if (entries.length === 0) return [];
    }
  }

  /** Reads the changes of these sets, and of late ones that are ready now. */
  async #readSets(ids: ReadonlySet<SetId>, from: Stamp, until: Stamp): Promise<Notification[]> {
    const late = new Map(this.#remaining.late);
    const all: Notification[] = [];
    for (const id of new Set([...late.keys(), ...ids])) {
      const begin = late.get(id) ?? from;
      late.delete(id);
      // Read after the section of the log: changes of a set that has become private by then are not sent.
      const set = await this.#publicSet(id);
      if (set?.ready === false) late.set(id, begin);
      if (set?.ready !== true) continue;
      const { parts, end } = await this.#partsOf(set, begin, until);
      all.push(...parts);
      if (end < until) late.set(id, end);
    }
    this.#then = { passed: until, late };
    return all;
  }

  async #publicSet(id: SetId): Promise<ResourceSet | undefined> {
    const set = await this.#parts.sets.byId(id);
    return set?.removed === undefined && set?.private !== true ? set : undefined;
  }

  /** Returns parts that leave the boundary unchanged, and the boundary below which they have every change. */
  async #partsOf(set: ResourceSet, from: Stamp, until: Stamp): Promise<{ parts: readonly Notification[]; end: Stamp }> {
    const { sets, index } = this.#parts;
    const { baseUrl } = await sets.source();
    const topic = setUris(baseUrl, set.slug).changeTopic;
    const parts: Notification[] = [];
    let begin = from;
    let count = 0;
    try {
      for await (const batch of index.changes(set.id, { after: from, until })) {
        for (let at = 0; at < batch.length; at += NOTIFICATION_LIMITS.entries) {
          const changes = batch.slice(at, at + NOTIFICATION_LIMITS.entries);
          const end = changes.at(-1)!.stamp + 1;
          const body = Buffer.from(changeNotification(set, baseUrl, { from: begin, until: end, changes }));
          parts.push({ set: set.id, topic, body, until: 0, oldest: changes[0]!.stamp });
          begin = end;
        }
        count += batch.length;
        if (count >= BATCH) return { parts, end: begin };
      }
    } catch (error) {
      if (!isTidemarkError(error, 'not-found')) throw error;
    }
    return { parts, end: until };
  }
}
