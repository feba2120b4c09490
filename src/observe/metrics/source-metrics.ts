import { CoalescedRead } from '../../lib/calls/coalesced-read.ts';
import { withTimeout } from '../../lib/calls/with-timeout.ts';
import type { CacheFigures } from '../../publish/cache/document-cache.ts';
import type { PageCounts } from '../../publish/publisher.ts';
import type { SetRegistry } from '../../sets/set-registry.ts';
import type { LogProgress, StoreGauge, StoreTotals } from '../../stores/store-gauge.ts';
import type { Instruments } from './instrument.ts';

/** Timeout of the store in ms: a scrape reports that it does not answer, instead of hanging as well. */
const STORE_TIMEOUT_MS = 2_000;

/** The metrics that only the store knows. */
export const SOURCE_METRICS_OF_STORE = [
  'tidemark_sets',
  'tidemark_resources',
  'tidemark_changes',
  'tidemark_commits_waiting',
  'tidemark_watermark_lag_seconds',
  'tidemark_watermark_timestamp_seconds',
  'tidemark_artifacts_checked',
  'tidemark_artifacts_damaged',
  'tidemark_artifacts_oldest_check_seconds',
];

export interface SourceParts {
  readonly gauge: StoreGauge;
  readonly sets: Pick<SetRegistry, 'list' | 'knownRemoved'>;
  readonly cache: { figures(): CacheFigures };
  readonly publisher: { countPages(): Promise<PageCounts> };
  readonly artifactHealth: { problem(): Promise<string | undefined> };
  readonly artifactChecks: { known(): Promise<ComparedArtifacts> };
  /** Whether artifacts are compared every night. */
  readonly comparesArtifacts: boolean;
}

/** What is known of comparisons of artifacts with their digests. */
interface ComparedArtifacts {
  readonly shares: readonly { readonly at: number; readonly artifacts: number }[];
  readonly damaged: readonly unknown[];
}

/** The figures of the source at one time. */
export interface SourceFigures {
  /** Undefined when the store does not answer. */
  readonly store: StoreFigures | undefined;
  readonly artifactStore: 'available' | 'unavailable';
  readonly cache: CacheFigures;
  readonly pages: PageCounts;
}

interface StoreFigures {
  readonly sets: { readonly ready: number; readonly preparing: number };
  readonly totals: StoreTotals;
  readonly progress: LogProgress;
  readonly compared: ComparedArtifacts;
}

/** Metrics of the source's content: read at each scrape, at a cost that does not grow with the content. */
export class SourceMetrics {
  readonly #parts: SourceParts;
  readonly #latest = new CoalescedRead(() => this.#readStore());
  /** The last read that has ended. */
  #last: { readonly at: number; readonly store: StoreFigures | undefined } | undefined;
  readonly #up;
  readonly #artifactsUp;
  readonly #sets;
  readonly #resources;
  readonly #changes;
  readonly #waiting;
  readonly #lag;
  readonly #watermark;
  readonly #pages;
  readonly #compared;
  readonly #damaged;
  readonly #oldestCheck;

  constructor(instruments: Instruments, parts: SourceParts) {
    this.#parts = parts;
    this.#up = instruments.gauge({
      name: 'tidemark_store_up',
      help: 'Whether the store answered within two seconds: 1 or 0. When it is 0, the other figures of the store are those of its last answer; the first line of the scrape names them.',
    });
    this.#artifactsUp = instruments.gauge({
      name: 'tidemark_artifact_store_up',
      help: 'Whether the artifact store answered within two seconds when it was last asked, at most ten seconds ago: 1 or 0. A folder that does not exist yet counts as 1.',
    });
    this.#sets = instruments.gauge({
      name: 'tidemark_sets',
      help: 'Resource sets. state: ready, or preparing (its first scan or its import is not complete, and its lists answer 503).',
      labels: ['state'],
    });
    this.#resources = instruments.gauge({
      name: 'tidemark_resources',
      help: 'Live resources of all sets together.',
    });
    this.#changes = instruments.gauge({
      name: 'tidemark_changes',
      help: 'Changes in the logs of all sets together, of all times.',
    });
    this.#waiting = instruments.gauge({
      name: 'tidemark_commits_waiting',
      help: 'Commits that are logged and not applied yet: readers do not see them. Always 0 on SQLite.',
    });
    this.#lag = instruments.gauge({
      name: 'tidemark_watermark_lag_seconds',
      help: 'Seconds that the oldest commit that is logged and not applied yet has waited; 0 when none waits.',
    });
    this.#watermark = instruments.gauge({
      name: 'tidemark_watermark_timestamp_seconds',
      help: 'The time up to which everything is applied, in seconds since 1970. Its age is the time since the last change.',
    });
    this.#pages = instruments.gauge({
      name: 'tidemark_pages',
      help: 'Pages of the Resource Lists that were requested since the start. state: current (their rendering is current) or out_of_date (rendered at the next request).',
      labels: ['state'],
    });
    this.#compared = instruments.gauge({
      name: 'tidemark_artifacts_checked',
      help: 'Stored artifacts that were compared with their digests, each at the last time that it was due.',
    });
    this.#damaged = instruments.gauge({
      name: 'tidemark_artifacts_damaged',
      help: 'Stored artifacts, or parts of them, that are damaged, missing or unreadable, by the last comparison of each.',
    });
    this.#oldestCheck = instruments.gauge({
      name: 'tidemark_artifacts_oldest_check_seconds',
      help: 'Seconds since the stored artifacts that have waited longest were compared with their digests; before that, since the first night. No value before the first night, and when none is compared at night.',
    });
    // Without a value until the store has answered: 0 would be a figure.
    const counts = [this.#resources, this.#changes, this.#compared, this.#damaged];
    for (const gauge of [...counts, this.#waiting, this.#lag, this.#watermark, this.#oldestCheck]) gauge.remove();
    this.#cacheMetrics(instruments);
  }

  /** Reads the figures, and sets the metrics. */
  async read(): Promise<SourceFigures> {
    const figures = await this.#readNow();
    const { store, artifactStore, pages } = figures;
    this.#up.set(store === undefined ? 0 : 1);
    this.#artifactsUp.set(artifactStore === 'available' ? 1 : 0);
    this.#pages.set({ state: 'current' }, pages.current);
    this.#pages.set({ state: 'out_of_date' }, pages.outOfDate);
    if (store !== undefined) this.#set(store);
    return figures;
  }

  #set({ sets, totals, progress, compared: { shares, damaged } }: StoreFigures): void {
    this.#sets.set({ state: 'ready' }, sets.ready);
    this.#sets.set({ state: 'preparing' }, sets.preparing);
    this.#resources.set(totals.resources);
    this.#changes.set(totals.changes);
    this.#waiting.set(progress.waiting);
    this.#lag.set(lagOf(progress));
    this.#watermark.set(progress.applied / 1e6);
    this.#compared.set(shares.reduce((sum, { artifacts }) => sum + artifacts, 0));
    this.#damaged.set(damaged.length);
    if (!this.#parts.comparesArtifacts || shares.length === 0) this.#oldestCheck.remove();
    else this.#oldestCheck.set(Math.max(0, Date.now() - Math.min(...shares.map(({ at }) => at))) / 1000);
  }

  async #readNow(): Promise<SourceFigures> {
    const { cache, publisher, artifactHealth } = this.#parts;
    const asked = performance.now();
    const [store, problem, pages] = await Promise.all([
      // Another caller's read of a slow store may be under way: this one does not wait for both, but takes its result.
      withTimeout(this.#latest.read(), STORE_TIMEOUT_MS, () => this.#lastSince(asked)),
      artifactHealth.problem(),
      publisher.countPages(),
    ]);
    const artifactStore = problem === undefined ? 'available' : 'unavailable';
    return { store, artifactStore, pages, cache: cache.figures() };
  }

  #lastSince(time: number): StoreFigures | undefined {
    return this.#last !== undefined && this.#last.at >= time ? this.#last.store : undefined;
  }

  async #readStore(): Promise<StoreFigures | undefined> {
    const store = await unlessSlow(this.#askStore());
    this.#last = { at: performance.now(), store };
    return store;
  }

  async #askStore(): Promise<StoreFigures> {
    const { gauge, sets, artifactChecks } = this.#parts;
    const listed = await sets.list();
    const [progress, totals, compared] = await Promise.all([
      gauge.progress(),
      gauge.totals(sets.knownRemoved()),
      artifactChecks.known(),
    ]);
    const ready = listed.reduce((count, set) => count + (set.ready ? 1 : 0), 0);
    return { sets: { ready, preparing: listed.length - ready }, totals, progress, compared };
  }

  #cacheMetrics(instruments: Instruments): void {
    const figures = () => this.#parts.cache.figures();
    instruments.gaugeOf(
      { name: 'tidemark_cache_documents', help: 'Rendered documents on disk.' },
      () => figures().documents,
    );
    instruments.gaugeOf(
      { name: 'tidemark_cache_bytes', help: 'Bytes that rendered documents take on disk.' },
      () => figures().bytes,
    );
    instruments.gaugeOf(
      {
        name: 'tidemark_cache_limit_bytes',
        help: 'Bytes that rendered documents may take on disk: the setting cacheSize.',
      },
      () => figures().mostBytes,
    );
    instruments.countedElsewhere(
      {
        name: 'tidemark_cache_requests_total',
        help: 'Lookups of documents on disk. result: hit (it was found) or miss (it had to be rendered).',
        labels: ['result'],
      },
      (counter) => {
        const { hits, misses } = figures();
        counter.inc({ result: 'hit' }, hits);
        counter.inc({ result: 'miss' }, misses);
      },
    );
  }
}

/** Undefined when the store fails or is slow: `tidemark_store_up` reports it; what needed the store logs the reason. */
function unlessSlow<Figures>(figures: Promise<Figures>): Promise<Figures | undefined> {
  return withTimeout(figures, STORE_TIMEOUT_MS, () => undefined).catch(() => undefined);
}

/** Seconds that the oldest commit has waited. */
export function lagOf({ waitingSince }: LogProgress): number {
  return waitingSince === undefined ? 0 : Math.max(0, Date.now() - waitingSince) / 1000;
}
