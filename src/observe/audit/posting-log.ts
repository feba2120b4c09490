import { randomUUID } from 'node:crypto';
import { isTidemarkError } from '../../core/errors.ts';
import type { ResourceSet, SetId } from '../../core/resource-set.ts';
import { withoutPaths } from '../../core/without-paths.ts';
import type { Posting } from '../../ingest/ndjson-posting.ts';
import { withTimeout } from '../../lib/with-timeout.ts';
import type { SyncSummary } from '../../sources/sync-counter.ts';
import type { Catalog } from '../../stores/catalog.ts';
import {
  GATHERED_FOR,
  type NewEntry,
  type PostingEntry,
  type Sender,
  senderText,
  sizeOf,
  takes,
  together,
} from './posting-entry.ts';
import { PostingRecorder } from './posting-recorder.ts';
import { lastOf, StoredPostings } from './stored-postings.ts';

/** Milliseconds between two writes. */
const WRITE_AFTER = 5_000;
/** Sets whose entries are written at a time: when 20,000 sets are posted to, postings must not load the store. */
const SETS_AT_A_TIME = 10;
/** Timeout of the writes at close. */
const CLOSE_TIMEOUT_MS = 3_000;
/** Concurrent writes at close. */
const AT_ONCE = 8;
/** Characters of entries waiting to be written; above that the oldest are dropped. */
const MOST_WAITING = 8_000_000;
/** Entries to which small postings may still be added. */
const MOST_OPEN = 2_000;

/**
 * Who posted what to which set, and what was rejected and why: a record for people. It is not the log of changes:
 * entries are gathered in memory and written some seconds later, so a killed process loses the last ones, and with very
 * many sets at once some are dropped.
 */
export class PostingLog {
  readonly #stored: StoredPostings;
  /** Entries waiting to be written, by set and id. Sets in the order of their first entry. */
  readonly #waiting = new Map<SetId, Map<string, PostingEntry>>();
  /** The last entry of a set, sender and source. */
  readonly #open = new Map<string, PostingEntry>();
  #size = 0;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(catalog: Pick<Catalog, 'get' | 'put'>) {
    this.#stored = new StoredPostings(catalog);
  }

  /** Does the work of a posting, and records it. Throws what the work throws. */
  async recorded<Result>(
    { sender, ...posting }: Posting & { readonly sender: Sender },
    work: (posting: Posting) => Promise<Result>,
  ): Promise<Result> {
    const recording = new PostingRecorder(sender);
    let problem: string | undefined;
    try {
      return await work(recording.around(posting));
    } catch (error) {
      problem = problemOf(error);
      throw error;
    } finally {
      const entry = recording.entry(problem);
      if (entry !== undefined) this.record(posting.set, entry);
    }
  }

  /** Records a scan that changed something. */
  recordScan(set: ResourceSet, { created, updated, deleted, unchanged, seconds }: SyncSummary): void {
    const applied = created + updated + deleted;
    if (applied === 0) return;
    const ended = Date.now();
    const duration = Math.round(seconds * 1000);
    const totals = { applied, unchanged, rejected: 0 };
    const times = { began: ended - duration, ended, duration };
    this.record(set, { sender: { kind: 'scan' }, postings: 1, ...totals, ...times, rejections: [] });
  }

  record({ id: set }: Pick<ResourceSet, 'id'>, posting: NewEntry): void {
    const name = `${set} ${senderText(posting.sender)} ${posting.source ?? ''}`;
    const open = this.#open.get(name);
    const entry = open !== undefined && takes(open, posting) ? together(open, posting) : newEntry(posting);
    this.#keepOpen(name, entry);
    this.#wait(set, [entry]);
  }

  /** The last entries of a set, newest first: all of this process, and those that other processes have written. */
  async read(set: SetId, limit: number): Promise<readonly PostingEntry[]> {
    const stored = await this.#stored.read(set);
    const entries = lastOf(stored, [...(this.#waiting.get(set)?.values() ?? [])]);
    return entries.slice(-limit).toReversed();
  }

  /** Writes the waiting entries, unless the store takes too long. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    const stopping = new AbortController();
    await withTimeout(this.#writeAll(stopping.signal), CLOSE_TIMEOUT_MS, () => stopping.abort());
  }

  async #writeAll(stopped: AbortSignal): Promise<void> {
    await this.#writing;
    const sets = [...this.#waiting.keys()].values();
    const writeOn = async () => {
      for (const set of sets) if (stopped.aborted || !(await this.#write(set))) return;
    };
    await Promise.all(Array.from({ length: AT_ONCE }, writeOn));
  }

  #keepOpen(name: string, entry: PostingEntry): void {
    this.#open.delete(name);
    this.#open.set(name, entry);
    for (const [oldest, { began }] of this.#open) {
      if (this.#open.size <= MOST_OPEN && entry.began - began < GATHERED_FOR) break;
      this.#open.delete(oldest);
    }
  }

  #wait(set: SetId, entries: readonly PostingEntry[]): void {
    let ofSet = this.#waiting.get(set);
    if (ofSet === undefined) {
      ofSet = new Map();
      this.#waiting.set(set, ofSet);
    }
    for (const entry of entries) {
      const before = ofSet.get(entry.id);
      if (before !== undefined && before.postings > entry.postings) continue;
      this.#size += sizeOf(entry) - (before === undefined ? 0 : sizeOf(before));
      ofSet.set(entry.id, entry);
    }
    while (this.#size > MOST_WAITING && this.#waiting.size > 1) this.#take(this.#waiting.keys().next().value!);
    this.#schedule();
  }

  /** Removes and returns the waiting entries of a set. */
  #take(set: SetId): readonly PostingEntry[] {
    const entries = [...(this.#waiting.get(set)?.values() ?? [])];
    this.#waiting.delete(set);
    for (const entry of entries) this.#size -= sizeOf(entry);
    return entries;
  }

  #schedule(): void {
    if (this.#closed || this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#writing = this.#writeSome();
    }, WRITE_AFTER);
    // The timer does not keep the process running: `close` writes the waiting entries.
    this.#timer.unref();
  }

  async #writeSome(): Promise<void> {
    for (const set of [...this.#waiting.keys()].slice(0, SETS_AT_A_TIME)) {
      if (this.#closed || !(await this.#write(set))) break;
    }
    this.#timer = undefined;
    if (this.#waiting.size > 0) this.#schedule();
  }

  /** Returns whether the store accepted them; if not, they keep waiting. */
  async #write(set: SetId): Promise<boolean> {
    const entries = [...(this.#waiting.get(set)?.values() ?? [])];
    try {
      await this.#stored.add(set, entries);
    } catch {
      return false;
    }
    const now = this.#take(set);
    // Entries that were added, or grew, meanwhile.
    const later = now.filter((entry) => !entries.includes(entry));
    if (later.length > 0) this.#wait(set, later);
    return true;
  }
}

function newEntry(posting: NewEntry): PostingEntry {
  return { id: randomUUID(), ...posting };
}

function problemOf(error: unknown): string {
  if (isTidemarkError(error)) return withoutPaths(error).message;
  return error instanceof Error ? error.message : String(error);
}
