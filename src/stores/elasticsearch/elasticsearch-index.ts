import type { Change, ChangeEvent, ReplayedChange } from '../../core/change.ts';
import { TidemarkError } from '../../core/errors.ts';
import type { KeyRange, ResourceKey } from '../../core/key.ts';
import { parseKeySearch } from '../../core/key-search.ts';
import { encodeState, type Resource, type Tombstone } from '../../core/resource.ts';
import type { SetId } from '../../core/resource-set.ts';
import type { SetLedger } from '../../core/set-ledger.ts';
import type { Stamp } from '../../core/stamp.ts';
import { CoalescedRead } from '../../lib/coalesced-read.ts';
import type { Cluster } from '../../lib/elasticsearch/cluster.ts';
import { failpoint } from '../../lib/failpoint.ts';
import { prefetchItems } from '../../lib/prefetch.ts';
import type { LogEntry, RaisedKey, SourcePosition, StampRange } from '../change-log.ts';
import type { CommitResult } from '../commit-result.ts';
import type { DropOptions, DroppedCommits } from '../log-maintenance.ts';
import type { ResourceIndex } from '../resource-index.ts';
import type { EncodedResource, FoundResources, Limits, Search, Survey } from '../resource-states.ts';
import type { ActivityRange, ChangeCounts, HistoryRange, LatestRange, SetSummary, Window } from '../set-statistics.ts';
import { PieceCutter } from '../survey.ts';
import type { Applier } from './applier.ts';
import { type ChangeReader, stampRange } from './change-reader.ts';
import type { CommitDropper } from './commit-dropper.ts';
import type { CommitLog, LogHead } from './commit-log.ts';
import type { Committer } from './committer.ts';
import type { CurrentStateReader } from './current-state-reader.ts';
import {
  type ChangeDocument,
  keyOfSortKey,
  type ResourceDocument,
  resourceId,
  sortKeyOf,
  toResource,
} from './documents.ts';
import { FormerStates } from './former-states.ts';
import type { IndexNames } from './index-names.ts';
import type { IndicesIdentity } from './indices-identity.ts';
import type { ResourceReader } from './resource-reader.ts';
import type { KeyFinder } from './search/key-finder.ts';
import type { StoredSets } from './stored-sets.ts';
import type { WindowReader } from './window-reader.ts';

/** The largest `size` that the indices allow: `max_result_window`. */
const MOST_HITS = 50_000;

/** Milliseconds after which a reader checks again that the indices are those that were opened. */
const CHECK_IDENTITY_AFTER = 1_000;

export interface IndexParts {
  readonly cluster: Cluster;
  readonly names: IndexNames;
  readonly log: CommitLog;
  readonly identity: IndicesIdentity;
  readonly applier: Applier;
  readonly committer: Committer;
  readonly sets: StoredSets;
  readonly currentStates: CurrentStateReader;
  readonly resources: ResourceReader;
  readonly windows: WindowReader;
  readonly changes: ChangeReader;
  readonly finder: KeyFinder;
  readonly dropper: CommitDropper;
}

/** Reads after everything that was committed before is applied and visible; see docs/elasticsearch.md. */
export class ElasticsearchIndex implements ResourceIndex {
  readonly #parts: IndexParts;
  readonly #settled = new CoalescedRead(() => this.#settle());
  #visible = 0;

  constructor(parts: IndexParts) {
    this.#parts = parts;
  }

  async commit(events: readonly (ChangeEvent | ReplayedChange)[]): Promise<readonly CommitResult[]> {
    return events.length === 0 ? [] : this.#parts.committer.commit(events);
  }

  replay(changes: readonly ReplayedChange[]): Promise<readonly CommitResult[]> {
    return this.commit(changes);
  }

  read(set: SetId, range: KeyRange & { tombstones?: false }): AsyncIterable<readonly Resource[]>;
  read(set: SetId, range: KeyRange & { tombstones: true }): AsyncIterable<readonly (Resource | Tombstone)[]>;
  async *read(
    set: SetId,
    range: KeyRange & { tombstones?: boolean },
  ): AsyncIterable<readonly (Resource | Tombstone)[]> {
    await this.#readable(set);
    yield* this.#parts.resources.read(set, range);
  }

  async *states(set: SetId): AsyncIterable<readonly EncodedResource[]> {
    for await (const resources of this.read(set, {})) {
      yield resources.map(({ key, state }) => ({ key, state: encodeState(state) }));
    }
  }

  async lookup(set: SetId, keys: readonly ResourceKey[]): Promise<readonly (Resource | Tombstone | undefined)[]> {
    await this.#readable(set);
    const { names, currentStates } = this.#parts;
    const ids = keys.map((key) => resourceId(sortKeyOf(set, key)));
    const documents = await currentStates.get<ResourceDocument>(names.resources, ids);
    return documents.map((document) => (document && document.stamp > 0 ? toResource(document) : undefined));
  }

  async *changes(set: SetId, range: StampRange): AsyncIterable<readonly Change[]> {
    await this.#readable(set);
    yield* prefetchItems(this.#parts.changes.read(set, range));
  }

  async *log({ after, until = Number.POSITIVE_INFINITY }: StampRange): AsyncIterable<readonly Change[]> {
    const { stamp: last } = await this.#settled.read();
    yield* prefetchItems(this.#parts.changes.read(undefined, { after, until: Math.min(until, last + 1) }));
  }

  async positions(): Promise<readonly SourcePosition[]> {
    await this.#settled.read();
    await this.#refresh(this.#parts.names.ledgers);
    return this.#parts.currentStates.positions();
  }

  async *raisedOrders({ after, until = Number.POSITIVE_INFINITY }: StampRange): AsyncIterable<readonly RaisedKey[]> {
    const { stamp: last } = await this.#settled.read();
    yield* this.#parts.resources.raisedOrders({ after, until: Math.min(until, last + 1) });
  }

  dropCommits(below: Stamp, options?: DropOptions): Promise<DroppedCommits> {
    return this.#parts.dropper.drop(below, options);
  }

  async newest(set: SetId, until: Stamp, limits: Limits): Promise<Stamp> {
    await this.#readable(set);
    const { cluster, names } = this.#parts;
    const changes = await cluster.search<Pick<ChangeDocument, 'stamp' | 'weight'>>({
      index: names.changes,
      query: { bool: { filter: [{ term: { set } }, stampRange({ until })] } },
      sort: [{ stamp: 'desc' }],
      size: Math.min(limits.entries, MOST_HITS),
      _source: ['stamp', 'weight'],
    });
    let oldest = until;
    let sum = 0;
    for (const { stamp, weight } of changes) {
      sum += weight;
      if (sum > limits.weight) break;
      oldest = stamp - 1;
    }
    return oldest;
  }

  async find(set: SetId, search: Search): Promise<FoundResources> {
    const found = parseKeySearch(search.part);
    await this.#readable(set);
    return this.#parts.finder.find(set, found, search);
  }

  async latest(set: SetId, range: LatestRange): Promise<readonly Change[]> {
    await this.#readable(set);
    return this.#parts.changes.latest(set, range);
  }

  async history(set: SetId, key: ResourceKey, range: HistoryRange): Promise<readonly Change[]> {
    await this.#readable(set);
    return this.#parts.changes.history(set, key, range);
  }

  async activity(set: SetId, range: ActivityRange): Promise<readonly ChangeCounts[]> {
    await this.#readable(set);
    return this.#parts.changes.activity(set, range);
  }

  async windows(set: SetId, after: Stamp): Promise<readonly Window[]> {
    for (let closed = 0; ; ) {
      // What was found to be closed is applied after this, and visible after the refresh.
      await this.#readable(set);
      if (closed > 0) await this.#refresh(this.#parts.names.ledgers);
      const found = await this.#parts.windows.read(set, closed);
      if (found.windows.length >= found.closed) return found.windows.filter(({ from }) => from >= after);
      closed = found.closed;
    }
  }

  async tail(after: Stamp, limit: number): Promise<readonly LogEntry[]> {
    const { stamp: last } = await this.#settled.read();
    return last <= after ? [] : this.#parts.changes.tail({ after, until: last + 1 }, limit);
  }

  async watermark(): Promise<Stamp> {
    const { stamp } = await this.#settled.read();
    return stamp + 1;
  }

  mark(): Promise<Stamp> {
    return this.#parts.committer.mark();
  }

  async survey(set: SetId, range: KeyRange, limits: Limits): Promise<Survey> {
    const head = await this.#readable(set);
    const former = new FormerStates(this.#parts, head);
    const cutter = new PieceCutter(range.from, limits);
    for await (const rows of this.#parts.resources.survey(set, range)) {
      for (const row of rows) {
        // It was changed since: what counts is how it was at the head.
        const then = row.stamp > head.stamp ? await former.of(row.order) : row;
        if (then.stamp > 0)
          cutter.add({ key: keyOfSortKey(row.order), stamp: then.stamp, weight: then.weight, live: then.live });
      }
    }
    return { through: head.stamp + 1, pieces: cutter.pieces() };
  }

  async summary(set: SetId): Promise<SetSummary> {
    await this.#readable(set);
    const [ledger] = await this.#parts.currentStates.ledgersOf([set]);
    return toSummary(ledger!);
  }

  async summaries(sets: readonly SetId[]): Promise<readonly (SetSummary | undefined)[]> {
    const { sets: known, currentStates } = this.#parts;
    await Promise.all([this.#settled.read(), known.load()]);
    const ledgers = await currentStates.ledgersOf(sets);
    return ledgers.map((ledger) => known.get(ledger.set) && toSummary(ledger));
  }

  /** Resolves when everything that was committed before is visible. */
  async #readable(set: SetId): Promise<LogHead> {
    const [head] = await Promise.all([this.#settled.read(), this.#parts.sets.require(set)]);
    return head;
  }

  async #settle(): Promise<LogHead> {
    const { log, identity, applier, names } = this.#parts;
    const caughtUp = log.exclusive(async () => {
      await log.catchUp();
      return log.head;
    });
    const [head] = await Promise.all([caughtUp, identity.require(CHECK_IDENTITY_AFTER)]);
    if (head.number > this.#visible) {
      await applier.through(head.number);
      failpoint('refresh.begun');
      await this.#refresh(names.resources, names.changes);
      failpoint('refresh.done');
      this.#visible = head.number;
    }
    return head;
  }

  /**
   * Ledgers are read by id, which is realtime, so they need no refresh: no reader waits until their index has made a
   * segment.
   */
  async #refresh(...indices: readonly string[]): Promise<void> {
    const { cluster } = this.#parts;
    const { _shards } = await cluster.ask((client) =>
      client.indices.refresh({ index: [...indices], filter_path: '_shards.failed' }),
    );
    const failed = _shards!.failed;
    if (failed === 0) return;
    throw new TidemarkError(
      'unavailable',
      `Elasticsearch at ${cluster.name} could not refresh ${failed} copies of its shards: what they show may be old`,
    );
  }
}

function toSummary({ resources, changes, lastChange }: SetLedger): SetSummary {
  return { resources, changes, lastChange };
}
