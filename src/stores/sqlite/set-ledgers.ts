import type { DatabaseSync } from 'node:sqlite';
import type { BatchEvent, BatchSet, DecidedSet } from '../../core/decide-batch.ts';
import { parseStored } from '../../core/errors.ts';
import type { ResourceSet, SetId } from '../../core/resource-set.ts';
import type { OpenWindow, SetLedger } from '../../core/set-ledger.ts';

type StoredSet = Pick<ResourceSet, 'epochStart' | 'windowChanges' | 'urlPrefix' | 'removed'>;

/** Reads the state of sets that commits need, and writes their ledgers. Call it in a transaction. */
export class SetLedgers {
  readonly #statements;
  #catalogHead = -1;
  readonly #sets = new Map<SetId, StoredSet | undefined>();

  constructor(database: DatabaseSync) {
    const prepare = (sql: string) => database.prepare(sql);
    this.#statements = {
      head: prepare(`SELECT max(version) AS head FROM catalog WHERE kind = 'set'`),
      set: prepare(`SELECT body FROM catalog WHERE kind = 'set' AND id = printf('%010d', ?)`),
      window: prepare(
        'SELECT number, first_stamp, changes, weight FROM windows WHERE set_id = ? ORDER BY number DESC LIMIT 1',
      ),
      summary: prepare('SELECT resources, changes, last_change FROM summaries WHERE set_id = ?'),
      position: prepare('SELECT position FROM positions WHERE set_id = ? AND source = ?'),
      sources: prepare('SELECT count(*) AS sources FROM positions WHERE set_id = ?'),
      putWindow: prepare(
        'INSERT OR REPLACE INTO windows (set_id, number, first_stamp, changes, weight) VALUES (?,?,?,?,?)',
      ),
      putSummary: prepare(
        'INSERT OR REPLACE INTO summaries (set_id, resources, changes, last_change) VALUES (?,?,?,?)',
      ),
      putPosition: prepare('INSERT OR REPLACE INTO positions (set_id, source, position) VALUES (?,?,?)'),
    };
  }

  /** The existing sets of events, by id. */
  read(events: readonly BatchEvent[]): ReadonlyMap<SetId, BatchSet> {
    this.#forgetChangedSets();
    const sources = new Map<SetId, Set<string>>();
    for (const { set, source, position } of events) {
      let ofSet = sources.get(set);
      if (ofSet === undefined) {
        ofSet = new Set();
        sources.set(set, ofSet);
      }
      if (source !== undefined && position !== undefined) ofSet.add(source);
    }
    const sets = new Map<SetId, BatchSet>();
    for (const [id, ofSet] of sources) {
      const set = this.#set(id);
      if (set !== undefined) sets.set(id, { set, ledger: this.#ledger(id), ...this.#positions(id, ofSet) });
    }
    return sets;
  }

  write(sets: readonly DecidedSet[]): void {
    for (const { set, ledger, positions, closed } of sets) {
      for (const [source, position] of positions) this.#statements.putPosition.run(set, source, position);
      for (const window of closed) this.#putWindow(set, window);
      // A set without changes has no window.
      if (ledger.changes === 0) continue;
      this.#putWindow(set, ledger.window);
      this.#statements.putSummary.run(set, ledger.resources, ledger.changes, ledger.lastChange);
    }
  }

  #forgetChangedSets(): void {
    const head = (this.#statements.head.get()?.head as number | null) ?? 0;
    if (head !== this.#catalogHead) this.#sets.clear();
    this.#catalogHead = head;
  }

  #set(id: SetId): StoredSet | undefined {
    if (!this.#sets.has(id)) {
      const found = this.#statements.set.get(id);
      this.#sets.set(id, found && parseStored(found.body as string, `the set ${id}`));
    }
    const set = this.#sets.get(id);
    return set?.removed === undefined ? set : undefined;
  }

  #positions(id: SetId, sources: ReadonlySet<string>): Pick<BatchSet, 'positions' | 'sources'> {
    const positions = new Map<string, number>();
    for (const source of sources) {
      const found = this.#statements.position.get(id, source);
      if (found !== undefined) positions.set(source, found.position as number);
    }
    const hasNew = positions.size < sources.size;
    return { positions, sources: hasNew ? (this.#statements.sources.get(id)!.sources as number) : positions.size };
  }

  #ledger(id: SetId): SetLedger {
    const window = this.#statements.window.get(id) as Record<string, number> | undefined;
    const summary = this.#statements.summary.get(id) as Record<string, number> | undefined;
    return {
      window: {
        number: window?.number ?? 0,
        firstStamp: window?.first_stamp ?? 0,
        changes: window?.changes ?? 0,
        weight: window?.weight ?? 0,
      },
      resources: summary?.resources ?? 0,
      changes: summary?.changes ?? 0,
      lastChange: summary?.last_change ?? 0,
    };
  }

  #putWindow(set: SetId, { number, firstStamp, changes, weight }: OpenWindow): void {
    this.#statements.putWindow.run(set, number, firstStamp, changes, weight);
  }
}
