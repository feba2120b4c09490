import { setTimeout as wait } from 'node:timers/promises';
import type { SetId } from '../../../core/resource-set.ts';
import type { Stamp } from '../../../core/stamp.ts';
import type { Catalog, CatalogDocument } from '../../../stores/catalog.ts';
import type { ChangeLog } from '../../../stores/change-log.ts';
import type { SourceWatch } from '../../source.ts';

const KINDS = ['organization', 'upload', 'upload-state', 'stream-dump', 'dataset'] as const;

export interface NewDocument extends Pick<CatalogDocument<unknown>, 'id' | 'body'> {
  readonly kind: (typeof KINDS)[number];
}

/** Callbacks, each called at least once for everything that is new since the subscription. */
interface StreamListener {
  /** A document was put. */
  onDocument?(document: NewDocument): void;
  /** Sets have changed; undefined when there were too many changes to determine which sets. */
  onChanges?(sets: ReadonlySet<SetId> | undefined): void;
}

interface StreamWatcherParts {
  readonly catalog: Pick<Catalog, 'head' | 'list'>;
  readonly index: Pick<ChangeLog, 'watermark' | 'tail'>;
}

/** Milliseconds between two polls of the store: changes of other processes are synced within about a second. */
const INTERVAL_MS = 700;
/** Most changes that are read to determine their sets. */
const MOST_CHANGES = 1_000;

/**
 * Reports what is new about organizations, uploads, dumps, datasets and the log. One poll serves the sets of all
 * streams, which may be hundreds. A store that does not answer is polled again; nothing is missed.
 */
export class StreamWatcher {
  readonly #parts: StreamWatcherParts;
  readonly #listeners = new Set<StreamListener>();
  /** For each kind, the version up to which documents were read. */
  readonly #heads = new Map<NewDocument['kind'], number>();
  #watermark: Stamp = 0;
  #stopping = new AbortController();
  #polling: Promise<void> = Promise.resolve();
  #beginning: Promise<void> | undefined;

  constructor(parts: StreamWatcherParts) {
    this.#parts = parts;
  }

  /** @throws TidemarkError `unavailable` when the store does not answer */
  async subscribe(listener: StreamListener): Promise<SourceWatch> {
    this.#listeners.add(listener);
    try {
      this.#beginning ??= this.#begin();
      await this.#beginning;
    } catch (error) {
      this.#beginning = undefined;
      this.#listeners.delete(listener);
      throw error;
    }
    return {
      close: async () => {
        this.#listeners.delete(listener);
        if (this.#listeners.size === 0) await this.close();
      },
    };
  }

  /** Stops polling until the next subscription. */
  async close(): Promise<void> {
    this.#stopping.abort();
    this.#beginning = undefined;
    await this.#polling;
  }

  /** Reads the current versions of the store, and polls it from now on. */
  async #begin(): Promise<void> {
    await this.#polling;
    const { index } = this.#parts;
    for (const [kind, head] of await this.#readHeads()) this.#heads.set(kind, head);
    this.#watermark = await index.watermark();
    this.#stopping = new AbortController();
    this.#polling = this.#poll(this.#stopping.signal);
  }

  async #poll(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await wait(INTERVAL_MS, undefined, { signal }).catch(() => {});
      if (!signal.aborted) await this.#read().catch(() => {});
    }
  }

  async #read(): Promise<void> {
    for (const [kind, head] of await this.#readHeads()) await this.#readDocuments(kind, head);
    await this.#readLog();
  }

  /** All at once: the store can read them in one request. */
  #readHeads(): Promise<readonly (readonly [NewDocument['kind'], number])[]> {
    return Promise.all(KINDS.map(async (kind) => [kind, await this.#parts.catalog.head(kind)] as const));
  }

  async #readDocuments(kind: NewDocument['kind'], head: number): Promise<void> {
    const seen = this.#heads.get(kind) ?? 0;
    if (head <= seen) return;
    for (const { id, body } of await this.#parts.catalog.list(kind, seen)) {
      for (const listener of this.#listeners) listener.onDocument?.({ kind, id, body });
    }
    this.#heads.set(kind, head);
  }

  async #readLog(): Promise<void> {
    const { index } = this.#parts;
    const watermark = await index.watermark();
    if (watermark <= this.#watermark) return;
    const entries = await index.tail(this.#watermark, MOST_CHANGES);
    const sets = entries.length < MOST_CHANGES ? new Set(entries.map(({ set }) => set)) : undefined;
    if (sets?.size !== 0) for (const listener of this.#listeners) listener.onChanges?.(sets);
    this.#watermark = watermark;
  }
}
