import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type { ResourceKey } from '../domain/key.ts';
import type { EncodedState } from '../domain/resource.ts';
import type { Stamp } from '../domain/stamp.ts';

/** What a document says of a resource. */
export interface ScratchRow {
  /** Which of the sets that are taken over, from 0. */
  readonly target: number;
  readonly key: ResourceKey;
  /** Null for a deletion, and for a resource whose document was rejected: it is there, but nothing is known of it. */
  readonly state: EncodedState | null;
  readonly weight: number;
}

export interface ScratchResource extends ScratchRow {
  /** When the document was written; 0 when it does not tell. */
  readonly written: Stamp;
  readonly sequence: number;
  /** Its index and id, with a slash between them. */
  readonly document: string;
}

export interface ScratchChange extends ScratchRow {
  readonly time: Stamp;
  /** Tells changes of one time apart; then `sequence` does. */
  readonly written: Stamp;
  readonly sequence: number;
}

export interface HistoryEntry extends ScratchRow {
  readonly time: Stamp;
}

export interface ScratchTotals {
  readonly target: number;
  readonly changes: number;
  readonly first: Stamp;
}

/**
 * Sorts what was read, on disk: a temporary database without a name, which goes when it is closed, or with the process. It lies in /var/tmp, or
 * where SQLITE_TMPDIR says, and takes some 350 bytes a document.
 */
export class Scratch {
  readonly #database = new DatabaseSync('');
  readonly #statements;

  constructor() {
    this.#database.exec(`
      PRAGMA journal_mode = OFF;
      PRAGMA cache_size = -16384;
      CREATE TABLE resources (
        target INTEGER, key TEXT, state TEXT, weight INTEGER, written INTEGER, sequence INTEGER, document TEXT, PRIMARY KEY (target, key)
      ) WITHOUT ROWID;
      CREATE TABLE changes (target INTEGER, key TEXT, state TEXT, weight INTEGER, time INTEGER, written INTEGER, sequence INTEGER);
      BEGIN`);
    this.#statements = {
      find: this.#prepare('SELECT state, written, sequence, document FROM resources WHERE target = ? AND key = ?'),
      putResource: this.#prepare('REPLACE INTO resources VALUES (?,?,?,?,?,?,?)'),
      addChange: this.#prepare('INSERT INTO changes VALUES (?,?,?,?,?,?,?)'),
    };
  }

  /** Puts a resource. When there is another document of it, the newer one stays; returns the other one, unless it was rejected before. */
  putResource(row: ScratchResource): string | undefined {
    const { target, key, state, weight, written, sequence, document } = row;
    const found = this.#statements.find.get(target, key) as unknown as
      | [state: string | null, written: number, sequence: number, document: string]
      | undefined;
    if (found !== undefined && !isNewer(row, found)) return state === null ? undefined : document;
    this.#statements.putResource.run(target, key, state, weight, written, sequence, document);
    return found === undefined || found[0] === null ? undefined : found[3];
  }

  addChange({ target, key, state, weight, time, written, sequence }: ScratchChange): void {
    this.#statements.addChange.run(target, key, state, weight, time, written, sequence);
  }

  /**
   * Ends the reading: a resource of which no change tells was created when its document was written, if that is known. Returns what history
   * each set has; those without any are not in it.
   */
  arrange(): readonly ScratchTotals[] {
    this.#database.exec(`
      CREATE INDEX changes_of_key ON changes (target, key, time, written, sequence);
      INSERT INTO changes SELECT target, key, state, weight, written, written, sequence FROM resources AS r
        WHERE state IS NOT NULL AND written > 0
        AND NOT EXISTS (SELECT 1 FROM changes AS c WHERE c.target = r.target AND c.key = r.key)`);
    const rows = this.#rows(this.#prepare('SELECT target, count(*), min(time) FROM changes GROUP BY target'));
    return [...rows].map(([target, changes, first]) => ({ target, changes, first }) as ScratchTotals);
  }

  /**
   * All changes of all sets in the order of time. The newest one of a resource that is there has the state of the resource's document; every other
   * one has what its own document tells.
   */
  *history(): Iterable<HistoryEntry> {
    const rows = this.#prepare(`
      SELECT c.target, c.key, ifnull(r.state, c.state), ifnull(r.weight, c.weight), c.time
      FROM changes AS c LEFT JOIN resources AS r
        ON r.target = c.target AND r.key = c.key AND r.state IS NOT NULL AND c.state IS NOT NULL
        AND NOT EXISTS (
          SELECT 1 FROM changes AS later WHERE later.target = c.target AND later.key = c.key
          AND (later.time, later.written, later.sequence, later.rowid) > (c.time, c.written, c.sequence, c.rowid))
      ORDER BY c.time, c.written, c.sequence, c.rowid`);
    for (const [target, key, state, weight, time] of this.#rows(rows)) {
      yield { target, key, state, weight, time } as HistoryEntry;
    }
  }

  /** The resources of a set, ascending by key. */
  *resources(target: number): Iterable<ScratchRow> {
    const rows = this.#prepare('SELECT target, key, state, weight FROM resources WHERE target = ? ORDER BY key');
    for (const [, key, state, weight] of this.#rows(rows, target)) yield { target, key, state, weight } as ScratchRow;
  }

  close(): void {
    this.#database.close();
  }

  #prepare(sql: string): StatementSync {
    const statement = this.#database.prepare(sql);
    statement.setReturnArrays(true);
    return statement;
  }

  #rows(statement: StatementSync, ...values: number[]): Iterable<unknown[]> {
    return statement.iterate(...values) as unknown as Iterable<unknown[]>;
  }
}

/** A document that was taken counts more than one that was rejected; then the newer one does. */
function isNewer(row: ScratchResource, found: [string | null, number, number, string]): boolean {
  const [state, written, sequence, document] = found;
  if ((row.state === null) !== (state === null)) return state === null;
  if (row.written !== written) return row.written > written;
  if (row.sequence !== sequence) return row.sequence > sequence;
  return row.document > document;
}
