import type { SetId } from '../../core/resource-set.ts';
import { CoalescedRead } from '../../lib/calls/coalesced-read.ts';
import type { Cluster } from '../../lib/elasticsearch/cluster.ts';
import type { LogProgress, StoredIndex, StoreGauge, StoreTotals } from '../store-gauge.ts';
import type { Applier } from './applier.ts';
import type { CommitLog } from './commit-log.ts';
import type { IndexNames } from './index-names.ts';
import { listIndices } from './shards/stored-indices.ts';

type Sums = Readonly<Record<'resources' | 'changes', { readonly value: number }>>;

interface GaugeParts {
  readonly cluster: Cluster;
  readonly names: IndexNames;
  readonly log: CommitLog;
  readonly applier: Applier;
}

/** Reads the end of the log, and sums over the ledgers, which are one small document for each set. */
export class ElasticsearchGauge implements StoreGauge {
  readonly #parts: GaugeParts;
  readonly #latest = new CoalescedRead(() => this.#readLog());
  /** The sums at a commit. They are valid until the next commit is applied. */
  #known: { readonly commit: number; readonly except: string; readonly totals: StoreTotals } | undefined;

  constructor(parts: GaugeParts) {
    this.#parts = parts;
  }

  progress(): Promise<LogProgress> {
    return this.#latest.read();
  }

  async totals(except: readonly SetId[]): Promise<StoreTotals> {
    await this.progress();
    const commit = this.#parts.log.applied;
    const known = this.#known;
    if (known?.commit === commit && known.except === String(except)) return known.totals;
    const totals = await this.#sum(except);
    this.#known = { commit, except: String(except), totals };
    return totals;
  }

  indices(): Promise<readonly StoredIndex[]> {
    return listIndices(this.#parts.cluster, this.#parts.names);
  }

  async #readLog(): Promise<LogProgress> {
    const { log, applier } = this.#parts;
    await log.exclusive(() => log.catchUp());
    // Waiting commits are in memory until this process notices that they were applied.
    if (log.pending.length > 0) await applier.readProgress();
    const [oldest] = log.pending;
    const { stamp: logged } = log.head;
    if (oldest === undefined) return { logged, applied: logged, waiting: 0, waitingSince: undefined };
    return { logged, applied: log.appliedStamp, waiting: log.pending.length, waitingSince: oldest.time };
  }

  async #sum(except: readonly SetId[]): Promise<StoreTotals> {
    const { cluster, names } = this.#parts;
    await cluster.refresh(names.ledgers);
    const { aggregations } = await cluster.ask((client) =>
      client.search<unknown, Sums>({
        index: names.ledgers,
        allow_partial_search_results: false,
        size: 0,
        track_total_hits: false,
        query: { bool: { filter: [{ term: { doc_type: 'ledger' } }], must_not: [{ terms: { set: [...except] } }] } },
        aggs: { resources: { sum: { field: 'resources' } }, changes: { sum: { field: 'changes' } } },
      }),
    );
    const { resources, changes } = aggregations!;
    return { resources: resources.value, changes: changes.value };
  }
}
