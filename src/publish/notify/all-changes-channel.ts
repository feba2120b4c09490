import { setTimeout as wait } from 'node:timers/promises';
import { isTidemarkError } from '../../core/errors.ts';
import type { ResourceSet, SetId } from '../../core/resource-set.ts';
import type { Stamp } from '../../core/stamp.ts';
import type { SetRegistry } from '../../sets/set-registry.ts';
import type { ChangeLog } from '../../stores/change-log.ts';
import { setUris } from '../documents.ts';
import { changeNotification } from './change-channel.ts';
import { type Channel, PART_LIMITS, type Part } from './channel.ts';

const POLL_MS = 250;
/** Number of log entries that are read at once. */
const BATCH = 2_000;

interface Parts {
  readonly sets: Pick<SetRegistry, 'byId' | 'source'>;
  readonly index: Pick<ChangeLog, 'watermark' | 'tail' | 'changes'>;
}

/**
 * The changes of all public sets, for a hub of another server. A section of the log is sent set by set. Only its last
 * part moves the boundary, so that after a crash the whole section is sent again.
 */
export class AllChangesChannel implements Channel {
  readonly #parts: Parts;
  /** Remaining parts of the section. */
  #queue: Part[] = [];
  /** The boundary below which nothing needs to be sent. */
  #passed: Stamp = 0;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async next(after: Stamp): Promise<Part | undefined> {
    const [first] = this.#queue;
    // While the hub does not answer, a set may become private: then the section is read again.
    const mayBeSent = first !== undefined && (await this.#publicSet(first.set)) !== undefined;
    if (!mayBeSent) this.#queue = await this.#stretch(after);
    return this.#queue[0];
  }

  sent(): void {
    this.#queue.shift();
  }

  async news(signal: AbortSignal): Promise<void> {
    await wait(POLL_MS, undefined, { signal }).catch(() => {});
  }

  async #stretch(after: Stamp): Promise<Part[]> {
    const { index } = this.#parts;
    let isWaiting = false;
    for (let from = Math.max(after, this.#passed); ; ) {
      const watermark = await index.watermark();
      const entries = await index.tail(from, BATCH);
      const last = entries.at(-1);
      if (last === undefined) return [];
      const until = entries.length < BATCH ? Math.max(watermark, last.stamp + 1) : last.stamp + 1;
      const parts: Part[] = [];
      for (const id of new Set(entries.map((entry) => entry.set))) {
        // Read after the section of the log: changes of a set that has become private by then are not sent.
        const set = await this.#publicSet(id);
        isWaiting ||= set?.ready === false;
        if (set?.ready === true) parts.push(...(await this.#partsOf(set, from, until)));
      }
      if (parts.length > 0) return parts.map((part, at) => (at === parts.length - 1 ? { ...part, until } : part));
      // Changes of a set that is not ready are read again.
      if (!isWaiting) this.#passed = until;
      from = until;
    }
  }

  async #publicSet(id: SetId): Promise<ResourceSet | undefined> {
    const set = await this.#parts.sets.byId(id);
    return set?.removed === undefined && set?.private !== true ? set : undefined;
  }

  /** Returns parts that leave the boundary unchanged; the caller moves it with the last part of a section. */
  async #partsOf(set: ResourceSet, from: Stamp, until: Stamp): Promise<readonly Part[]> {
    const { sets, index } = this.#parts;
    const { baseUrl } = await sets.source();
    const topic = setUris(baseUrl, set.slug).changeTopic;
    const parts: Part[] = [];
    let begin = from;
    try {
      for await (const batch of index.changes(set.id, { after: from, until })) {
        for (let at = 0; at < batch.length; at += PART_LIMITS.entries) {
          const changes = batch.slice(at, at + PART_LIMITS.entries);
          const end = changes.at(-1)!.stamp + 1;
          const body = Buffer.from(changeNotification(set, baseUrl, { from: begin, until: end, changes }));
          parts.push({ set: set.id, topic, body, until: from, oldest: changes[0]!.stamp });
          begin = end;
        }
      }
    } catch (error) {
      if (!isTidemarkError(error, 'not-found')) throw error;
    }
    return parts;
  }
}
