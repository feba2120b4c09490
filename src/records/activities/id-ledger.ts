import { ScratchDatabase, type ScratchStatement } from '../../lib/sqlite/scratch-database.ts';

/** Bytes of ids in memory. */
const CACHE = 8 * 1024 * 1024;
/** Number of replaced records that are listed with their lines; all are counted. */
const MOST_LISTED = 100_000;

/** Where a record of a run was written: the file, and its number there, from 0. */
export interface WrittenPlace {
  readonly file: 'records' | 'deleted';
  readonly ordinal: number;
  /** The line of the input, from 1; undefined when it has none. */
  readonly line: number | undefined;
}

/** The records that are left out because another record with the same id comes later. */
export interface Superseded {
  readonly count: number;
  /** Whether the record is left out. */
  has(file: WrittenPlace['file'], ordinal: number): boolean;
  countOf(file: WrittenPlace['file']): number;
  /** The line of a record that is left out, and of the one that replaces it; only for the first ones. */
  linesOf(file: WrittenPlace['file'], ordinal: number): { readonly line: number; readonly kept: number } | undefined;
}

const SCHEMA = `
  CREATE TABLE ids (id TEXT, place INTEGER, line INTEGER);
  CREATE TABLE last (id TEXT PRIMARY KEY, entry INTEGER, line INTEGER) WITHOUT ROWID`;
// SQLite takes the line from the row with the greatest rowid (sqlite.org/lang_select.html#bareagg).
const FIND_LAST = `
  INSERT INTO last SELECT id, entry, line FROM (
    SELECT id, max(rowid) AS entry, line, count(*) AS times FROM ids GROUP BY id) WHERE times > 1`;
const FIND_SUPERSEDED = `
  SELECT place, ids.line, last.line FROM ids JOIN last USING (id) WHERE ids.rowid < entry ORDER BY ids.rowid`;

/**
 * Finds ids that occur more than once in a run: the last record counts. The ids are in a scratch database, and sorted
 * at the end. Memory does not grow with their number, except for one bit of each record.
 */
export class IdLedger {
  readonly #database: ScratchDatabase;
  readonly #insert: ScratchStatement;
  readonly #counts = { records: 0, deleted: 0 };

  /** @throws TidemarkError `unavailable` when the folder cannot be written */
  constructor(folder: string) {
    this.#database = new ScratchDatabase({ folder, schema: SCHEMA, cacheBytes: CACHE });
    this.#insert = this.#database.prepare('INSERT INTO ids VALUES (?, ?, ?)');
  }

  /** @throws TidemarkError `unavailable`, for instance when the disk is full */
  add(id: string, { file, ordinal, line = 0 }: WrittenPlace): void {
    this.#counts[file] = Math.max(this.#counts[file], ordinal + 1);
    this.#insert.run(id, ordinal * 2 + (file === 'deleted' ? 1 : 0), line);
  }

  /** Call this once, after the last id. */
  superseded(): Superseded {
    const found = new SupersededRecords(this.#counts);
    this.#database.exec(FIND_LAST);
    for (const [place, line, kept] of this.#database.prepare(FIND_SUPERSEDED).iterate()) {
      found.add(place as number, line as number, kept as number);
    }
    return found;
  }

  close(): void {
    this.#database.close();
  }
}

class SupersededRecords implements Superseded {
  readonly #bits: Readonly<Record<WrittenPlace['file'], Uint8Array>>;
  readonly #found = { records: 0, deleted: 0 };
  readonly #lines = new Map<number, { line: number; kept: number }>();

  constructor({ records, deleted }: Readonly<Record<WrittenPlace['file'], number>>) {
    this.#bits = { records: new Uint8Array((records >> 3) + 1), deleted: new Uint8Array((deleted >> 3) + 1) };
  }

  get count(): number {
    return this.#found.records + this.#found.deleted;
  }

  countOf(file: WrittenPlace['file']): number {
    return this.#found[file];
  }

  add(place: number, line: number, kept: number): void {
    const file = place % 2 === 1 ? 'deleted' : 'records';
    const ordinal = Math.floor(place / 2);
    this.#bits[file][ordinal >> 3]! |= 1 << (ordinal & 7);
    this.#found[file] += 1;
    if (line > 0 && this.#lines.size < MOST_LISTED) this.#lines.set(place, { line, kept });
  }

  has(file: WrittenPlace['file'], ordinal: number): boolean {
    return (this.#bits[file][ordinal >> 3]! & (1 << (ordinal & 7))) !== 0;
  }

  linesOf(file: WrittenPlace['file'], ordinal: number): { line: number; kept: number } | undefined {
    return this.#lines.get(ordinal * 2 + (file === 'deleted' ? 1 : 0));
  }
}
