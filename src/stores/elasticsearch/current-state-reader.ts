import type { estypes } from '@elastic/elasticsearch';
import type { PostableEvent } from '../../core/change.ts';
import type { CurrentState } from '../../core/decide-batch.ts';
import { TidemarkError } from '../../core/errors.ts';
import { encodeState } from '../../core/resource.ts';
import type { SetId } from '../../core/resource-set.ts';
import { emptyLedger } from '../../core/set-ledger.ts';
import type { Stamp } from '../../core/stamp.ts';
import { isTooLarge } from '../../lib/elasticsearch/batch-size.ts';
import type { Cluster } from '../../lib/elasticsearch/cluster.ts';
import type { SourcePosition } from '../change-log.ts';
import { ledgerId } from './bulk.ts';
import type { CommitLog } from './commit-log.ts';
import { type CommitRecord, type LedgerEntry, ledgerAfter } from './commit-record.ts';
import type { IndexNames } from './index-names.ts';
import { type ResourceDocument, resourceId, sortKeyOf, toState } from './resource-documents.ts';

/** Documents of one request: one or two megabytes, which are parsed in some ten milliseconds. */
const PER_REQUEST = 2_000;

interface LedgerDocument {
  readonly set: SetId;
  readonly number: number;
  readonly first_stamp: number;
  readonly window: { readonly changes: number; readonly weight: number };
  readonly resources: number;
  readonly changes: number;
  readonly last_change: number;
  readonly positions: Readonly<Record<string, number>>;
}

/** A key of events. */
interface EventKey {
  readonly sortKey: string;
  /** The `_id` of its document. */
  readonly id: string;
  /** Undefined for a key that never existed. */
  current: CurrentState | undefined;
  /** False when its document need not be requested. */
  readonly mayExist: boolean;
}

/** The distinct keys of a batch of events, with their current states. */
export interface EventKeys {
  readonly keys: readonly EventKey[];
  /** The index of each event's key. */
  readonly ofEvents: readonly number[];
}

/**
 * Reads the current states of events' keys, and the ledgers of their sets. Reads are realtime: no index needs a
 * refresh.
 */
export class CurrentStateReader {
  readonly #cluster: Cluster;
  readonly #names: IndexNames;
  readonly #log: CommitLog;

  constructor(cluster: Cluster, names: IndexNames, log: CommitLog) {
    this.#cluster = cluster;
    this.#names = names;
    this.#log = log;
  }

  async read(events: readonly PostableEvent[]): Promise<EventKeys> {
    const keys: EventKey[] = [];
    const known = new Map<string, number>();
    const ofEvents = events.map(({ set, key }) => {
      const sortKey = sortKeyOf(set, key);
      let at = known.get(sortKey);
      if (at === undefined) {
        at = keys.push(this.#lookUp(set, sortKey)) - 1;
        known.set(sortKey, at);
      }
      return at;
    });
    const all = keys.filter(({ mayExist }) => mayExist);
    const ids = all.map(({ id }) => id);
    for (const [at, document] of (await this.get<ResourceDocument>(this.#names.resources, ids)).entries()) {
      const key = all[at]!;
      const stored = document && toCurrentState(document);
      if (stored !== undefined && versionOf(stored) > versionOf(key.current)) key.current = stored;
    }
    return { keys, ofEvents };
  }

  /**
   * Read the overlay before the documents: a pending commit may be applied, and leave the overlay, during the
   * request.
   */
  #lookUp(set: SetId, sortKey: string): EventKey {
    const { overlay, knownKeys } = this.#log;
    const id = resourceId(sortKey);
    const mayExist = knownKeys.mayHold(set, id);
    // Every key in the overlay is also among the known keys.
    return { sortKey, id, current: mayExist ? overlay.get(sortKey) : undefined, mayExist };
  }

  /** Loads the ledgers of the events' sets into the log. */
  async readLedgers(events: readonly PostableEvent[]): Promise<void> {
    const { ledgers, knownKeys } = this.#log;
    const sets = [...new Set(events.map(({ set }) => set))].filter((set) => !ledgers.has(set));
    for (const [set, ledger] of await this.#latestLedgers(sets)) {
      ledgers.set(set, ledger ?? toLedger(set, undefined));
      // No commit has touched the set. With a ledger without changes, keys may have an order.
      if (ledger === undefined) knownKeys.begin(set);
    }
  }

  /**
   * The ledgers of a commit, with the positions of all sources. They may include positions of later commits, which are
   * in the log: positions only ascend.
   */
  async wholeLedgers({ ledgers }: CommitRecord): Promise<readonly LedgerEntry[]> {
    const known = this.#log.ledgers;
    const others = await this.#latestLedgers(ledgers.map(({ set }) => set).filter((set) => !known.has(set)));
    return ledgers.map((ledger) => {
      const latest = known.get(ledger.set) ?? others.get(ledger.set);
      return latest === undefined ? ledger : { ...ledger, positions: latest.positions };
    });
  }

  /** The ledgers of sets after the head of the log; undefined for a set that no commit has touched. */
  async #latestLedgers(sets: readonly SetId[]): Promise<ReadonlyMap<SetId, LedgerEntry | undefined>> {
    // Before the documents are read: a pending commit may be applied, and be forgotten, during the request.
    const pending = [...this.#log.pending];
    const documents = await this.#ledgerDocuments(sets);
    return new Map(
      sets.map((set, at) => {
        const touching = pending.filter(({ ledgers }) => ledgers.some((ledger) => ledger.set === set));
        if (documents[at] === undefined && touching.length === 0) return [set, undefined];
        return [set, touching.reduce(ledgerAfter, toLedger(set, documents[at]))];
      }),
    );
  }

  /** The ledgers after all commits are applied; empty ones for sets that have none yet. */
  async ledgersOf(sets: readonly SetId[]): Promise<readonly LedgerEntry[]> {
    const documents = await this.#ledgerDocuments(sets);
    return sets.map((set, at) => toLedger(set, documents[at]));
  }

  #ledgerDocuments(sets: readonly SetId[]): Promise<readonly (LedgerDocument | undefined)[]> {
    return this.get<LedgerDocument>(this.#names.ledgers, sets.map(ledgerId));
  }

  /** The last position of each source, after all commits are applied and refreshed. */
  async positions(): Promise<readonly SourcePosition[]> {
    const positions: SourcePosition[] = [];
    for (let last = 0; ; ) {
      const ledgers = await this.#cluster.search<LedgerDocument>({
        index: this.#names.ledgers,
        query: { term: { doc_type: 'ledger' } },
        sort: [{ set: 'asc' }],
        search_after: [last],
        size: PER_REQUEST,
        _source: ['set', 'positions'],
      });
      for (const { set, positions: reached } of ledgers) {
        for (const [source, position] of Object.entries(reached)) positions.push({ set, source, position });
      }
      if (ledgers.length < PER_REQUEST) return positions;
      last = ledgers.at(-1)!.set;
    }
  }

  /** The documents with these ids, in order. */
  async get<Source>(index: string, ids: readonly string[]): Promise<readonly (Source | undefined)[]> {
    const parts: (readonly string[])[] = [];
    for (let start = 0; start < ids.length; start += PER_REQUEST) parts.push(ids.slice(start, start + PER_REQUEST));
    const read = await Promise.all(parts.map((part) => this.#getPart<Source>(index, part)));
    return read.flat();
  }

  /** Splits the request if its documents are too large for one response. */
  async #getPart<Source>(index: string, ids: readonly string[]): Promise<readonly (Source | undefined)[]> {
    try {
      return await this.#getAtOnce<Source>(index, ids);
    } catch (error) {
      if (ids.length === 1 || !isTooLarge(error)) throw error;
      const half = Math.ceil(ids.length / 2);
      const first = await this.#getPart<Source>(index, ids.slice(0, half));
      return [...first, ...(await this.#getPart<Source>(index, ids.slice(half)))];
    }
  }

  async #getAtOnce<Source>(index: string, ids: readonly string[]): Promise<readonly (Source | undefined)[]> {
    const request = { index, ids: [...ids], filter_path: 'docs.found,docs._source,docs.error.type,docs.error.reason' };
    const { docs } = await this.#cluster.ask((client) =>
      client.mget<Source>(request, this.#cluster.limitOf(ids.length)),
    );
    return docs.map((item) => {
      if (!('error' in item)) return (item as estypes.GetGetResult<Source>)._source;
      throw new TidemarkError(
        'unavailable',
        `Elasticsearch at ${this.#cluster.name} cannot read ${index}: ${item.error.reason}`,
        { type: item.error.type },
      );
    });
  }
}

function toCurrentState(document: ResourceDocument): CurrentState {
  const { doc_type, stamp, created, weight = 0, event_order: order, raised } = document;
  const state = doc_type === 'resource' ? encodeState(toState(document)) : undefined;
  return { state, stamp, created, weight, order, raised };
}

/** The version of its document. */
function versionOf(current: CurrentState | undefined): Stamp {
  return current?.raised ?? current?.stamp ?? 0;
}

function toLedger(set: SetId, document: LedgerDocument | undefined): LedgerEntry {
  if (document === undefined) return { set, slug: '', ...emptyLedger(), positions: {} };
  const { number, first_stamp, window, resources, changes, last_change, positions } = document;
  return {
    set,
    slug: '',
    window: { number, firstStamp: first_stamp, ...window },
    resources,
    changes,
    lastChange: last_change,
    positions,
  };
}
