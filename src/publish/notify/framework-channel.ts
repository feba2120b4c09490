import { setTimeout as wait } from 'node:timers/promises';
import type { Stamp } from '../../core/stamp.ts';
import type { SetRegistry } from '../../sets/set-registry.ts';
import { sourceUris } from '../documents.ts';
import { type FrameworkEvent, renderFrameworkNotification } from '../render/documents/notification.ts';
import { type Channel, PART_LIMITS, type Part } from './channel.ts';

const POLL_MS = 500;

interface Parts {
  readonly sets: Pick<SetRegistry, 'source'>;
  /** Those that are stored, ascending by stamp. */
  events(): readonly FrameworkEvent[];
}

/** What happens to the documents of the source. */
export class FrameworkChannel implements Channel {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async next(after: Stamp): Promise<Part | undefined> {
    const events = this.#parts.events().filter(({ stamp }) => stamp > after);
    const some = events.slice(0, PART_LIMITS.entries);
    if (some.length === 0) return undefined;
    const { baseUrl } = await this.#parts.sets.source();
    const { frameworkTopic, sourceDescription } = sourceUris(baseUrl);
    const body = Buffer.from(renderFrameworkNotification(sourceDescription, some));
    return { topic: frameworkTopic, body, until: some.at(-1)!.stamp + 1, oldest: some[0]!.stamp };
  }

  async news(signal: AbortSignal): Promise<void> {
    await wait(POLL_MS, undefined, { signal }).catch(() => {});
  }
}
