import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type { ResourceKey } from '../domain/key.ts';

/** What is noted of a record while its artifact is read. */
export interface NotedRecord {
  readonly key: ResourceKey;
  /** Digests of its document, one after the other, in an order that whoever notes them knows. */
  readonly digests: string;
  /** Bytes of its document. */
  readonly size: number;
  readonly mime: string;
  /** Which record of its block. */
  readonly position: number;
}

/** A record, found again. */
export interface SortedRecord extends NotedRecord {
  readonly block: NotedBlock;
}

export interface NotedBlock {
  readonly offset: number;
  readonly length: number;
}

/** Rows that are inserted by one statement: each by itself takes three times as long. */
const ROWS = 64;
/** Stands after the key, and sorts before every character of one: so rows are in the order of the keys, and those of one key in that of the file. */
const AFTER_KEY = '\u0001';
/** Digits of the number of a record, in base 36. */
const DIGITS = 10;
/** So many records a block has at most. */
const POSITIONS = 1_048_576;

/**
 * Sorts what was noted of records by their keys, on disk: a temporary database without a name, which goes when it is closed, or with the process. It
 * lies in /var/tmp, or where SQLITE_TMPDIR says, and takes some 300 bytes a record. Rows are appended and sorted once: an index that is kept in order
 * would be written at random places.
 */
export class DigestSort {
  readonly #database = new DatabaseSync('');
  readonly #insert: StatementSync;
  readonly #blocks: NotedBlock[] = [];
  readonly #mimes: string[] = [];
  #waiting: string[] = [];
  /** How many were noted. */
  size = 0;

  constructor() {
    this.#database.exec(`
      PRAGMA journal_mode = OFF;
      PRAGMA synchronous = OFF;
      PRAGMA cache_size = -16384;
      CREATE TABLE records (record TEXT);
      BEGIN`);
    this.#insert = this.#prepareInsert(ROWS);
  }

  /** Begins a block: the records that are added next lie in it. */
  beginBlock({ offset, length }: NotedBlock): void {
    this.#blocks.push({ offset, length });
  }

  add({ key, digests, size, mime, position }: NotedRecord): void {
    const number = ((this.#blocks.length - 1) * POSITIONS + position).toString(36).padStart(DIGITS, '0');
    this.#waiting.push(`${key}${AFTER_KEY}${number}${digests} ${size} ${this.#mimeNumber(mime)}`);
    this.size += 1;
    if (this.#waiting.length < ROWS) return;
    this.#insert.run(...this.#waiting);
    this.#waiting = [];
  }

  /** All records, ascending by key. Of those with one key, the one that was added last comes, and `onDuplicate` is told of each other one. */
  *sorted(onDuplicate: (key: ResourceKey) => void): Iterable<SortedRecord> {
    if (this.#waiting.length > 0) this.#prepareInsert(this.#waiting.length).run(...this.#waiting);
    this.#waiting = [];
    const select = this.#database.prepare('SELECT record FROM records ORDER BY record');
    select.setReturnArrays(true);
    let before: SortedRecord | undefined;
    for (const [row] of select.iterate() as unknown as Iterable<[string]>) {
      const record = this.#parse(row);
      if (before !== undefined && before.key === record.key) onDuplicate(record.key);
      else if (before !== undefined) yield before;
      before = record;
    }
    if (before !== undefined) yield before;
  }

  close(): void {
    this.#database.close();
  }

  #parse(row: string): SortedRecord {
    const end = row.indexOf(AFTER_KEY);
    const digests = end + 1 + DIGITS;
    const size = row.indexOf(' ', digests);
    const mime = row.indexOf(' ', size + 1);
    const number = Number.parseInt(row.slice(end + 1, digests), 36);
    return {
      key: row.slice(0, end),
      digests: row.slice(digests, size),
      size: Number(row.slice(size + 1, mime)),
      mime: this.#mimes[Number(row.slice(mime + 1))]!,
      block: this.#blocks[Math.floor(number / POSITIONS)]!,
      position: number % POSITIONS,
    };
  }

  #prepareInsert(rows: number): StatementSync {
    return this.#database.prepare(`INSERT INTO records VALUES ${Array(rows).fill('(?)').join(',')}`);
  }

  #mimeNumber(mime: string): number {
    const known = this.#mimes.indexOf(mime);
    return known >= 0 ? known : this.#mimes.push(mime) - 1;
  }
}
