import { isTidemarkError } from '../../core/errors.ts';
import type { SetId } from '../../core/resource-set.ts';
import type { Posting } from '../../ingest/posting.ts';
import { retry } from '../../lib/calls/retry.ts';
import { withTimeout } from '../../lib/calls/with-timeout.ts';
import type { SyncSummary } from '../../sources/sync-counter.ts';
import type { Catalog } from '../../stores/catalog.ts';
import {
  charactersOf,
  isOpen,
  lastOf,
  type NewEntry,
  type PostingEntry,
  type Sender,
  withPosting,
} from './posting-entry.ts';
import { PostingRecorder } from './posting-recorder.ts';

const WRITE_INTERVAL_MS = 5_000;
/** Number of sets that are written each time: when 20,000 sets are posted to, this log must not load the store. */
const SETS_PER_INTERVAL = 10;
const CLOSE_TIMEOUT_MS = 3_000;
/** Most characters in memory; above that, the sets that wait longest are dropped. */
const MOST_CHARACTERS = 8_000_000;
/** Backoff after another process wrote the same set. */
const AFTER_CONFLICT = {
  firstMs: 5,
  longestMs: 500,
  isTemporary: (error: unknown) => isTidemarkError(error, 'conflict'),
};

/** Entries of this process that are not written yet, or that may accept further postings. */
interface OwnEntries {
  readonly entries: readonly PostingEntry[];
  readonly isWritten: boolean;
}

/** The document of a set in the catalog, to which all processes add entries. */
interface Body {
  /** In the order of their start. */
  readonly entries: readonly PostingEntry[];
}

/**
 * Records for users who posted what to which set, and what was rejected and why. It is not the log of changes: entries
 * are written some seconds later, so a killed process loses the last ones, and with very many sets at once some are
 * dropped.
 */
export class PostingLog {
  readonly #catalog: Pick<Catalog, 'get' | 'put'>;
  /** In the order of writing: the set that was written last comes last. */
  readonly #sets = new Map<SetId, OwnEntries>();
  #characters = 0;
  readonly #timer: NodeJS.Timeout;
  #writing: Promise<void> | undefined;
  readonly #closing = new AbortController();

  constructor(catalog: Pick<Catalog, 'get' | 'put'>) {
    this.#catalog = catalog;
    // The timer does not keep the process alive: `close` writes the rest.
    this.#timer = setInterval(() => {
      this.#writing ??= this.#writeSome();
    }, WRITE_INTERVAL_MS).unref();
  }

  /** Runs the work of a posting, and adds it to the log. Throws what the work throws. */
  async record(posting: Posting, sender: Sender, work: (posting: Posting) => Promise<void>): Promise<void> {
    const recorder = new PostingRecorder(sender);
    let failure: unknown;
    try {
      await work(recorder.around(posting));
    } catch (error) {
      failure = error;
      throw error;
    } finally {
      const entry = recorder.entry(failure);
      if (entry !== undefined) this.add(posting.set.id, entry);
    }
  }

  /** Adds a sync of a set with its source, if it changed anything. */
  addSync(set: SetId, { created, updated, deleted, unchanged, seconds }: SyncSummary): void {
    const applied = created + updated + deleted;
    if (applied === 0) return;
    const ended = Date.now();
    const duration = Math.round(seconds * 1000);
    const totals = { applied, unchanged, rejected: 0 };
    const times = { began: ended - duration, ended, duration };
    this.add(set, { sender: { kind: 'scan' }, postings: 1, ...totals, ...times, rejections: [] });
  }

  add(set: SetId, posting: NewEntry): void {
    const entries = withPosting(this.#sets.get(set)?.entries ?? [], posting);
    this.#keep(set, { entries, isWritten: false });
    for (const oldest of this.#sets.keys()) {
      if (this.#characters <= MOST_CHARACTERS || this.#sets.size === 1) break;
      this.#drop(oldest);
    }
  }

  /** The last entries of a set, newest first: the written ones of all processes, and all of this one. */
  async read(set: SetId, limit: number): Promise<readonly PostingEntry[]> {
    const stored = await this.#catalog.get<Body>('journal', String(set));
    return lastOf([...(stored?.body.entries ?? []), ...(this.#sets.get(set)?.entries ?? [])])
      .slice(-limit)
      .toReversed();
  }

  /** Writes the remaining entries, unless the store takes too long. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#closing.abort();
    const timeout = new AbortController();
    const written = Promise.resolve(this.#writing).then(() => this.#writeEach(this.#unwritten(), timeout.signal));
    await withTimeout(written, CLOSE_TIMEOUT_MS, () => timeout.abort());
  }

  #keep(set: SetId, own: OwnEntries): void {
    this.#characters += sum(own.entries) - sum(this.#sets.get(set)?.entries ?? []);
    this.#sets.set(set, own);
  }

  #drop(set: SetId): void {
    this.#characters -= sum(this.#sets.get(set)?.entries ?? []);
    this.#sets.delete(set);
  }

  #unwritten(): readonly SetId[] {
    return [...this.#sets].filter(([, { isWritten }]) => !isWritten).map(([set]) => set);
  }

  async #writeSome(): Promise<void> {
    await this.#writeEach(this.#unwritten().slice(0, SETS_PER_INTERVAL), this.#closing.signal);
    const now = Date.now();
    for (const [set, { entries, isWritten }] of this.#sets) {
      if (isWritten && !entries.some((entry) => isOpen(entry, now))) this.#drop(set);
    }
    this.#writing = undefined;
  }

  /** Writes one set after the other, until the store fails. */
  async #writeEach(sets: readonly SetId[], stopped: AbortSignal): Promise<void> {
    for (const set of sets) {
      const own = this.#sets.get(set);
      if (own === undefined) continue;
      if (stopped.aborted) return;
      try {
        await retry(() => this.#write(set, own.entries), AFTER_CONFLICT);
      } catch {
        return;
      }
      const current = this.#sets.get(set);
      if (current === undefined) continue;
      this.#drop(set);
      // Entries that were added or extended meanwhile are written the next time.
      this.#keep(set, { ...current, isWritten: current === own });
    }
  }

  async #write(set: SetId, entries: readonly PostingEntry[]): Promise<void> {
    const stored = await this.#catalog.get<Body>('journal', String(set));
    const body: Body = { entries: lastOf([...(stored?.body.entries ?? []), ...entries]) };
    await this.#catalog.put('journal', String(set), body, stored?.version);
  }
}

function sum(entries: readonly PostingEntry[]): number {
  return entries.reduce((characters, entry) => characters + charactersOf(entry), 0);
}
