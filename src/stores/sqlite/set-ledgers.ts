import type { DatabaseSync } from 'node:sqlite';
import type { ResourceSet, SetId } from '../../core/resource-set.ts';
import { MOST_SOURCES } from '../resource-index.ts';
import { type CountedChange, countChange, type OpenWindow, type SetLedger } from '../set-ledger.ts';
import type { EventPosition } from './wire.ts';

/** What a commit counts for one set, and how far each source has come. */
interface Ledger extends SetLedger {
  moved: boolean;
  readonly positions: Map<string, number>;
  /** How many sources have a position; undefined before it is needed. */
  sources: number | undefined;
}

/** The ledgers of the sets that a commit touches: read when first needed, written at its end. */
export class SetLedgers {
  readonly #statements;
  #catalogHead = -1;
  readonly #sets = new Map<
    SetId,
    Pick<ResourceSet, 'epochStart' | 'windowChanges' | 'urlPrefix' | 'removed'> | undefined
  >();
  readonly #ledgers = new Map<SetId, Ledger>();
  #positions: ReadonlyMap<number, EventPosition> = new Map();

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

  begin(positions: readonly EventPosition[]): void {
    this.#ledgers.clear();
    this.#positions = new Map(positions.map((position) => [position.at, position]));
    const head = (this.#statements.head.get()?.head as number | null) ?? 0;
    if (head !== this.#catalogHead) this.#sets.clear();
    this.#catalogHead = head;
  }

  knows(set: SetId): boolean {
    if (!this.#sets.has(set)) {
      const found = this.#statements.set.get(set);
      this.#sets.set(set, found && JSON.parse(found.body as string));
    }
    const known = this.#sets.get(set);
    return known !== undefined && known.removed === undefined;
  }

  /** Whether a set that is known has a prefix; any prefix will do when none is given. */
  hasPrefix(set: SetId, urlPrefix: string | undefined): boolean {
    return urlPrefix === undefined || urlPrefix === this.#sets.get(set)!.urlPrefix;
  }

  /** Whether the position of the event's source can be remembered. */
  hasRoomFor(set: SetId, at: number): boolean {
    const event = this.#positions.get(at);
    if (event === undefined || this.#reached(set, event.source) !== undefined) return true;
    const ledger = this.#ledger(set);
    ledger.sources ??= this.#statements.sources.get(set)!.sources as number;
    return ledger.sources < MOST_SOURCES;
  }

  /** Notes how far the event's source has come; false when it had come that far already, or (of a shared position) further. */
  advance(set: SetId, at: number): boolean {
    const event = this.#positions.get(at);
    if (event === undefined) return true;
    const { source, position, shares } = event;
    const reached = this.#reached(set, source);
    if (reached !== undefined && (shares ? position < reached : position <= reached)) return false;
    const ledger = this.#ledger(set);
    if (reached === undefined && ledger.sources !== undefined) ledger.sources += 1;
    ledger.positions.set(source, position);
    return true;
  }

  #reached(set: SetId, source: string): number | undefined {
    const stored = () => this.#statements.position.get(set, source)?.position as number | undefined;
    return this.#ledger(set).positions.get(source) ?? stored();
  }

  /** Counts a change, and returns the number of its window. */
  record(set: SetId, change: CountedChange): number {
    const ledger = this.#ledger(set);
    const closed = countChange(ledger, change, this.#sets.get(set)!);
    if (closed !== undefined) this.#putWindow(set, closed);
    ledger.moved = true;
    return ledger.window.number;
  }

  /** Writes what was counted. */
  end(): void {
    for (const [set, { window, resources, changes, lastChange, moved, positions }] of this.#ledgers) {
      for (const [source, position] of positions) this.#statements.putPosition.run(set, source, position);
      if (!moved) continue;
      this.#putWindow(set, window);
      this.#statements.putSummary.run(set, resources, changes, lastChange);
    }
  }

  #ledger(set: SetId): Ledger {
    let ledger = this.#ledgers.get(set);
    if (ledger === undefined) {
      ledger = this.#read(set);
      this.#ledgers.set(set, ledger);
    }
    return ledger;
  }

  #read(set: SetId): Ledger {
    const window = this.#statements.window.get(set) as Record<string, number> | undefined;
    const summary = this.#statements.summary.get(set) as Record<string, number> | undefined;
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
      moved: false,
      positions: new Map(),
      sources: undefined,
    };
  }

  #putWindow(set: SetId, { number, firstStamp, changes, weight }: OpenWindow): void {
    this.#statements.putWindow.run(set, number, firstStamp, changes, weight);
  }
}
