import type { Counter, Histogram } from 'prom-client';
import type { ResourceSet } from '../../core/resource-set.ts';
import type { SyncEvents } from '../../sources/sync/sync-loop.ts';
import type { SyncSummary } from '../../sources/sync-counter.ts';
import type { Instruments } from './instrument.ts';
import { type UnreadEntries, unreadAfter } from './unread-entries.ts';

const SECONDS = [0.01, 0.1, 1, 10, 60, 600, 3600, 36_000];

/** A running scan of a whole root. */
export interface ScanUnderWay {
  readonly set: string;
  readonly files: number;
  readonly hashed: number;
  /** Bytes that were hashed. */
  readonly bytes: number;
}

/**
 * The state of a set that this process syncs with its source: `behind` while all of it is compared, `error` while its
 * source does not answer, `incomplete` after some of its entries could not be read.
 */
export type SyncState = 'in sync' | 'behind' | 'error' | 'incomplete';

/** Number of problems of a set that are shown. */
const SHOWN_PROBLEMS = 5;

/** Metrics of syncing sets with their sources. */
export class ScanMetrics {
  readonly #scans: Counter<'extent'>;
  readonly #seconds: Histogram<'extent'>;
  readonly #files: Counter<'outcome'>;
  readonly #bytes: Counter;
  readonly #problems: Counter;
  readonly #underWay = new Map<number, ScanUnderWay>();
  readonly #troubled = new Set<number>();
  readonly #synced = new Set<number>();
  readonly #unread = new Map<number, UnreadEntries>();

  constructor(instruments: Instruments) {
    this.#scans = instruments.counter({
      name: 'tidemark_scans_total',
      help: 'Completed scans. extent: full, or changes (only the changes that a watched root reported).',
      labels: ['extent'],
    });
    this.#seconds = instruments.histogram(
      { name: 'tidemark_scan_seconds', help: 'Seconds that a scan took, by extent.', labels: ['extent'] },
      SECONDS,
    );
    this.#files = instruments.counter({
      name: 'tidemark_scan_files_total',
      help: 'Files in completed scans. outcome: found (all files), hashed, created, updated, deleted, unchanged or left (for the next scan).',
      labels: ['outcome'],
    });
    this.#bytes = instruments.counter({
      name: 'tidemark_scan_hashed_bytes_total',
      help: 'Bytes that completed scans have read to hash files.',
    });
    this.#problems = instruments.counter({
      name: 'tidemark_scan_problems_total',
      help: 'Paths that a scan could not read or publish, or that cannot be watched. The log names them.',
    });
    instruments.gaugeOf(
      { name: 'tidemark_scans_under_way', help: 'Scans of whole roots that are running now.' },
      () => this.#underWay.size,
    );
    instruments.gaugeOf(
      {
        name: 'tidemark_roots_in_trouble',
        help: 'Sets whose root or store does not answer: they are not synced until it does. The log says why.',
      },
      () => this.#troubled.size,
    );
  }

  get underWay(): readonly ScanUnderWay[] {
    return [...this.#underWay.values()];
  }

  /** The number of roots that do not answer. */
  get inTrouble(): number {
    return this.#troubled.size;
  }

  /** Undefined for a set that this process does not sync, and before its first scan has started. */
  stateOf(set: number): SyncState | undefined {
    if (this.#troubled.has(set)) return 'error';
    if (this.#underWay.has(set)) return 'behind';
    if (this.#unread.has(set)) return 'incomplete';
    return this.#synced.has(set) ? 'in sync' : undefined;
  }

  /** With the first problems; undefined when everything of the set was read. */
  unreadOf(set: number): UnreadEntries | undefined {
    const unread = this.#unread.get(set);
    return unread && { ...unread, problems: unread.problems.slice(0, SHOWN_PROBLEMS) };
  }

  #remember(set: number, summary: SyncSummary, under: readonly string[] | undefined): void {
    const unread = unreadAfter(this.#unread.get(set), summary, under);
    if (unread === undefined) this.#unread.delete(set);
    else this.#unread.set(set, unread);
  }

  /** Measures the sync events of a set, and passes them on. */
  around({ id, slug }: ResourceSet, events: SyncEvents): SyncEvents {
    return {
      ...events,
      onProgress: (progress) => {
        this.#underWay.set(id, { set: slug, ...progress });
        events.onProgress?.(progress);
      },
      onSynced: () => {
        this.#underWay.delete(id);
        this.#synced.add(id);
        events.onSynced?.();
      },
      onScanned: (summary, extent, under) => {
        this.#scans.inc({ extent });
        this.#seconds.observe({ extent }, summary.seconds);
        for (const outcome of ['hashed', 'created', 'updated', 'deleted', 'unchanged', 'left'] as const) {
          this.#files.inc({ outcome }, summary[outcome]);
        }
        this.#files.inc({ outcome: 'found' }, summary.files);
        this.#bytes.inc(summary.bytes);
        this.#problems.inc(summary.problemCount);
        this.#remember(id, summary, under);
        events.onScanned?.(summary, extent, under);
      },
      onProblem: (problem) => {
        this.#problems.inc();
        events.onProblem?.(problem);
      },
      onTrouble: (error) => {
        this.#underWay.delete(id);
        this.#troubled.add(id);
        events.onTrouble?.(error);
      },
      onRecovered: () => {
        this.#troubled.delete(id);
        events.onRecovered?.();
      },
      onStopped: () => {
        this.#underWay.delete(id);
        this.#troubled.delete(id);
        this.#synced.delete(id);
        this.#unread.delete(id);
        events.onStopped?.();
      },
    };
  }
}
