import type { Change, ChangeEvent } from '../../domain/change.ts';
import { TidemarkError } from '../../domain/errors.ts';
import { failpoint } from '../../domain/failpoint.ts';
import type { KeyRange, ResourceKey } from '../../domain/key.ts';
import type { Resource, Tombstone } from '../../domain/resource.ts';
import type { SetId } from '../../domain/resource-set.ts';
import { SharedLook } from '../../domain/shared-look.ts';
import type { Stamp } from '../../domain/stamp.ts';
import type {
  CommitResult,
  Limits,
  LogEntry,
  ResourceIndex,
  SetSummary,
  StampRange,
  Survey,
  Window,
} from '../resource-index.ts';
import { PieceCutter } from '../survey.ts';
import type { Applier } from './applier.ts';
import type { Cluster } from './cluster.ts';
import type { CommitLog, LogHead } from './commit-log.ts';
import type { Committer } from './committer.ts';
import {
  type ChangeDocument,
  keyOfOrder,
  orderEnd,
  orderOf,
  type ResourceDocument,
  resourceId,
  toChange,
  toResource,
} from './documents.ts';
import { FormerStates } from './former-states.ts';
import type { IndexNames } from './schema.ts';
import type { StandingReader } from './standing-reader.ts';
import type { StoredSets } from './stored-sets.ts';

/** Documents that one search answers; they are parsed as they arrive. */
const PER_SEARCH = 10_000;
/** The largest `size` that the indices allow: `max_result_window`. */
const MOST_HITS = 50_000;

export interface IndexParts {
  readonly cluster: Cluster;
  readonly names: IndexNames;
  readonly log: CommitLog;
  readonly applier: Applier;
  readonly committer: Committer;
  readonly sets: StoredSets;
  readonly standings: StandingReader;
}

/** Reads after everything that was committed before is applied and visible; see docs/elasticsearch.md. */
export class ElasticsearchIndex implements ResourceIndex {
  readonly #parts: IndexParts;
  readonly #settled = new SharedLook(() => this.#settle());
  #visible = 0;

  constructor(parts: IndexParts) {
    this.#parts = parts;
  }

  async commit(events: readonly ChangeEvent[]): Promise<readonly CommitResult[]> {
    return events.length === 0 ? [] : this.#parts.committer.commit(events);
  }

  read(set: SetId, range: KeyRange & { tombstones?: false }): AsyncIterable<readonly Resource[]>;
  read(set: SetId, range: KeyRange & { tombstones: true }): AsyncIterable<readonly (Resource | Tombstone)[]>;
  async *read(
    set: SetId,
    range: KeyRange & { tombstones?: boolean },
  ): AsyncIterable<readonly (Resource | Tombstone)[]> {
    await this.#readable(set);
    const search = {
      sort: [{ order: 'asc' }],
      ...(!range.tombstones && { filter: [{ term: { doc_type: 'resource' } }] }),
    };
    for await (const hits of this.#byKey<{ _source: ResourceDocument }>('_source', { set, range, search })) {
      yield hits.map(({ _source }) => toResource(_source));
    }
  }

  async lookup(set: SetId, keys: readonly ResourceKey[]): Promise<readonly (Resource | Tombstone | undefined)[]> {
    await this.#readable(set);
    const { names, standings } = this.#parts;
    const ids = keys.map((key) => resourceId(orderOf(set, key)));
    const documents = await standings.get<ResourceDocument>(names.resources, ids);
    return documents.map((document) => document && toResource(document));
  }

  async *changes(set: SetId, { after, until }: StampRange): AsyncIterable<readonly Change[]> {
    await this.#readable(set);
    for (let last = after; ; ) {
      const filter = [{ term: { set } }, stampRange({ after: last, until })];
      let hits = 0;
      const search = { query: { bool: { filter } }, sort: [{ stamp: 'asc' }], size: PER_SEARCH };
      for await (const batch of this.#search<{ _source: ChangeDocument }>('changes', '_source', search)) {
        hits += batch.length;
        last = batch.at(-1)!._source.stamp;
        yield batch.map(({ _source }) => toChange(_source));
      }
      if (hits < PER_SEARCH) return;
    }
  }

  async newest(set: SetId, until: Stamp, limits: Limits): Promise<Stamp> {
    await this.#readable(set);
    let oldest = until;
    let weight = 0;
    const search = {
      query: { bool: { filter: [{ term: { set } }, stampRange({ until })] } },
      sort: [{ stamp: 'desc' }],
      size: Math.min(limits.entries, MOST_HITS),
      _source: false,
      docvalue_fields: ['stamp', 'weight'],
    };
    for await (const hits of this.#search<{ fields: { stamp: [Stamp]; weight: [number] } }>(
      'changes',
      'fields',
      search,
    )) {
      for (const { fields } of hits) {
        weight += fields.weight[0];
        if (weight > limits.weight) return oldest;
        oldest = fields.stamp[0] - 1;
      }
    }
    return oldest;
  }

  async windows(set: SetId, after: Stamp): Promise<readonly Window[]> {
    await this.#readable(set);
    const windows: Window[] = [];
    const filter = [{ term: { doc_type: 'window' } }, { term: { set } }, { range: { first_stamp: { gt: after } } }];
    const search = { query: { bool: { filter } }, sort: [{ number: 'asc' }], size: PER_SEARCH };
    type Hit = { _source: { number: number; first_stamp: Stamp; changes: number } };
    for await (const hits of this.#search<Hit>('ledgers', '_source', search)) {
      for (const { _source } of hits) {
        windows.push({ number: _source.number, from: _source.first_stamp - 1, changes: _source.changes });
      }
    }
    const [ledger] = await this.#parts.standings.ledgersOf([set]);
    const { number, firstStamp, changes } = ledger!.window;
    // Closed since the search: then it is the one after the last that was found.
    if (firstStamp > after && number > (windows.at(-1)?.number ?? 0))
      windows.push({ number, from: firstStamp - 1, changes });
    return windows;
  }

  async tail(after: Stamp, limit: number): Promise<readonly LogEntry[]> {
    const { stamp } = await this.#settled.look();
    if (stamp <= after) return [];
    const entries: LogEntry[] = [];
    const search = {
      query: stampRange({ after, until: stamp + 1 }),
      sort: [{ stamp: 'asc' }],
      size: limit,
      _source: ['set', 'order', 'change', 'stamp', 'weight'],
    };
    for await (const hits of this.#search<{ _source: ChangeDocument }>('changes', '_source', search)) {
      for (const { _source } of hits) {
        const { set, order, change, stamp, weight } = _source;
        entries.push({ set, key: keyOfOrder(order), kind: change, stamp, weight });
      }
    }
    return entries;
  }

  async watermark(): Promise<Stamp> {
    const { stamp } = await this.#settled.look();
    return stamp + 1;
  }

  mark(): Promise<Stamp> {
    return this.#parts.committer.mark();
  }

  async survey(set: SetId, range: KeyRange, limits: Limits): Promise<Survey> {
    const head = await this.#readable(set);
    const former = new FormerStates(this.#parts, head);
    const cutter = new PieceCutter(range.from, limits);
    const search = {
      sort: [{ order: 'asc' }],
      _source: false,
      docvalue_fields: ['order', 'stamp', 'weight', 'doc_type'],
    };
    type Hit = { fields: { order: [string]; stamp: [Stamp]; weight: [number]; doc_type: [string] } };
    for await (const hits of this.#byKey<Hit>('fields', { set, range, search })) {
      for (const { fields } of hits) {
        const [order] = fields.order;
        const [stamp] = fields.stamp;
        const [weight] = fields.weight;
        const seen = { stamp, weight, live: fields.doc_type[0] === 'resource' };
        // It was changed since: what counts is how it was at the head.
        const then = stamp > head.stamp ? await former.of(order) : seen;
        if (then.stamp > 0) cutter.add({ key: keyOfOrder(order), ...then });
      }
    }
    return { through: head.stamp + 1, pieces: cutter.pieces() };
  }

  async summary(set: SetId): Promise<SetSummary> {
    await this.#readable(set);
    const [ledger] = await this.#parts.standings.ledgersOf([set]);
    const { resources, changes, lastChange } = ledger!;
    return { resources, changes, lastChange };
  }

  /** Resolves when everything that was committed before is visible. */
  async #readable(set: SetId): Promise<LogHead> {
    const [head] = await Promise.all([this.#settled.look(), this.#parts.sets.require(set)]);
    return head;
  }

  async #settle(): Promise<LogHead> {
    const { log, applier } = this.#parts;
    const head = await log.exclusive(async () => {
      await log.catchUp();
      return log.head;
    });
    if (head.number > this.#visible) {
      await applier.through(head.number);
      await this.#refresh();
      failpoint('refresh.done');
      this.#visible = head.number;
    }
    return head;
  }

  async #refresh(): Promise<void> {
    const { cluster, names } = this.#parts;
    const { body } = await cluster.ask<{ _shards: { failed: number } }>({
      method: 'POST',
      path: `/${names.resources},${names.changes},${names.ledgers}/_refresh`,
      query: { filter_path: '_shards.failed' },
    });
    if (body._shards.failed === 0) return;
    throw new TidemarkError(
      'unavailable',
      `Elasticsearch at ${cluster.name} could not refresh ${body._shards.failed} copies of its shards: what they show may be old`,
    );
  }

  /** Documents of a range of keys, in the order of the keys. */
  async *#byKey<Hit extends { _source?: { order: string }; fields?: { order: [string] } }>(
    field: '_source' | 'fields',
    { set, range, search }: { set: SetId; range: KeyRange; search: { filter?: object[] } & object },
  ): AsyncIterable<readonly Hit[]> {
    const { filter = [], ...rest } = search;
    const to = range.to === undefined ? orderEnd(set) : orderOf(set, range.to);
    let above: object = { gte: orderOf(set, range.from ?? '') };
    for (;;) {
      const query = { bool: { filter: [{ range: { order: { ...above, lt: to } } }, ...filter] } };
      let hits = 0;
      let last = '';
      for await (const batch of this.#search<Hit>('resources', field, { ...rest, query, size: PER_SEARCH })) {
        hits += batch.length;
        const hit = batch.at(-1)!;
        last = hit._source?.order ?? hit.fields!.order[0];
        yield batch;
      }
      if (hits < PER_SEARCH) return;
      above = { gt: last };
    }
  }

  #search<Hit>(
    index: 'resources' | 'changes' | 'ledgers',
    field: '_source' | 'fields',
    search: object,
  ): AsyncIterable<readonly Hit[]> {
    const { cluster, names } = this.#parts;
    return cluster.search<Hit>(names[index], field, search);
  }
}

function stampRange({ after, until }: { readonly after?: Stamp; readonly until?: Stamp | undefined }): object {
  return { range: { stamp: { ...(after !== undefined && { gt: after }), ...(until !== undefined && { lt: until }) } } };
}
