import { mkdirSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { TidemarkError } from '../../core/errors.ts';
import type { KeyRange, ResourceKey } from '../../core/key.ts';
import type { FileMemory, RememberedFile } from './file-memory.ts';

const BATCH = 500;
/** How long to wait for another process, milliseconds. */
const BUSY_TIMEOUT = 5_000;

// Losing the last writes means hashing a few files again, so no write waits for the disk but a checkpoint.
const SCHEMA = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  CREATE TABLE IF NOT EXISTS root (path TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS files (
    key TEXT PRIMARY KEY,
    length INTEGER NOT NULL,
    mtime INTEGER NOT NULL,
    scanned INTEGER NOT NULL,
    tag TEXT,
    kept INTEGER
  ) WITHOUT ROWID, STRICT;
`;
/** What a memory needs that was made before there were such columns; all that it remembers holds on. */
const LATER_COLUMNS = { tag: 'TEXT', kept: 'INTEGER' };

/** After every key: keys are printable ASCII. */
const LAST = '\x7f';

type Row = readonly [
  key: string,
  length: bigint,
  mtime: bigint,
  scanned: bigint,
  tag: string | null,
  kept: bigint | null,
];

type Draft<Type> = { -readonly [Name in keyof Type]: Type[Name] };

/** The memory of a root's scans, a small database of its own. */
export class ScanMemory implements FileMemory {
  readonly #database: DatabaseSync;
  readonly #select: StatementSync;
  readonly #insert: StatementSync;
  readonly #delete: StatementSync;

  /**
   * Opens the memory of a root, an empty one when the file remembers another root or is damaged.
   * @throws TidemarkError `unavailable` when the file cannot be used
   */
  constructor({ file, root }: { readonly file: string; readonly root: string }) {
    this.#database = open(file);
    clearUnlessOf(this.#database, root);
    this.#select = this.#database.prepare(
      'SELECT key, length, mtime, scanned, tag, kept FROM files WHERE key >= ? AND key < ? ORDER BY key LIMIT ?',
    );
    this.#select.setReadBigInts(true);
    // node:sqlite makes arrays twice as fast as objects.
    this.#select.setReturnArrays(true);
    this.#insert = this.#database.prepare(
      'INSERT OR REPLACE INTO files (key, length, mtime, scanned, tag, kept) VALUES (?, ?, ?, ?, ?, ?)',
    );
    this.#delete = this.#database.prepare('DELETE FROM files WHERE key = ?');
  }

  *read({ from = '', to = LAST }: KeyRange): Generator<readonly RememberedFile[]> {
    for (let next = from; ; ) {
      const rows = this.#select.all(next, to, BATCH) as unknown as readonly Row[];
      if (rows.length > 0) yield rows.map(remembered);
      if (rows.length < BATCH) return;
      // The smallest text above the last key.
      next = `${rows.at(-1)![0]}\0`;
    }
  }

  update({ remember, forget }: { remember: readonly RememberedFile[]; forget: readonly ResourceKey[] }): void {
    if (remember.length === 0 && forget.length === 0) return;
    inTransaction(this.#database, () => {
      for (const { key, length, mtime, scanned, tag, isKept } of remember) {
        this.#insert.run(key, length, mtime, scanned, tag ?? null, isKept ? 1 : null);
      }
      for (const key of forget) this.#delete.run(key);
    });
  }

  close(): void {
    if (this.#database.isOpen) this.#database.close();
  }
}

function remembered([key, length, mtime, scanned, tag, kept]: Row): RememberedFile {
  const file: Draft<RememberedFile> = { key, length: Number(length), mtime, scanned };
  if (tag !== null) file.tag = tag;
  if (kept !== null) file.isKept = true;
  return file;
}

function open(file: string): DatabaseSync {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  try {
    return openDatabase(file);
  } catch (error) {
    if (!isDamage(error)) throw unusable(file, error);
  }
  try {
    for (const suffix of ['', '-wal', '-shm']) rmSync(file + suffix, { force: true });
    return openDatabase(file);
  } catch (error) {
    throw unusable(file, error);
  }
}

function openDatabase(file: string): DatabaseSync {
  const database = new DatabaseSync(file, { timeout: BUSY_TIMEOUT });
  try {
    database.exec(SCHEMA);
    // Checked again in the transaction: another process may do the same.
    if (missingColumns(database).length > 0) inTransaction(database, () => addColumns(database));
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function addColumns(database: DatabaseSync): void {
  for (const [name, type] of missingColumns(database)) database.exec(`ALTER TABLE files ADD COLUMN ${name} ${type}`);
}

function missingColumns(database: DatabaseSync): readonly (readonly [string, string])[] {
  const rows = database.prepare("SELECT name FROM pragma_table_info('files')").all();
  const names = new Set(rows.map(({ name }) => name));
  return Object.entries(LATER_COLUMNS).filter(([name]) => !names.has(name));
}

function clearUnlessOf(database: DatabaseSync, root: string): void {
  if (database.prepare('SELECT path FROM root').get()?.path === root) return;
  inTransaction(database, () => {
    database.exec('DELETE FROM files; DELETE FROM root');
    database.prepare('INSERT INTO root (path) VALUES (?)').run(root);
  });
}

function inTransaction(database: DatabaseSync, work: () => unknown): void {
  database.exec('BEGIN IMMEDIATE');
  try {
    work();
    database.exec('COMMIT');
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}

// SQLite's result codes: 11 SQLITE_CORRUPT, 26 SQLITE_NOTADB.
function isDamage(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && (error.errcode === 11 || error.errcode === 26);
}

function unusable(file: string, error: unknown): TidemarkError {
  const reason = error instanceof Error ? error.message : String(error);
  return new TidemarkError('unavailable', `the memory of scans ${file} cannot be used: ${reason}`, { file }, error);
}
