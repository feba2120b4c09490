import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { TidemarkError } from '../../core/errors.ts';
import type { KeyRange, ResourceKey } from '../../core/key.ts';
import { makeFile, makeFolder } from '../../lib/files/make-folder.ts';
import { isDamaged, isNoDatabase, sqliteFault } from '../../lib/sqlite/sqlite-fault.ts';
import { transaction } from '../../lib/sqlite/sqlite-transaction.ts';
import { reasonOf } from '../../lib/system-error.ts';
import type { FileMemory, RememberedFile } from './file-memory.ts';

const BATCH = 500;
/** Bytes: some thousand files. */
const SMALL = 1_048_576;
const SIZE = 'SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size';
/** Milliseconds to wait for another process. */
const BUSY_TIMEOUT_MS = 5_000;

const SCHEMA = `
  PRAGMA synchronous = OFF;
  PRAGMA journal_mode = WAL;
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
/** Columns to add to a database of an earlier version. Its rows stay valid. */
const LATER_COLUMNS = { tag: 'TEXT', kept: 'INTEGER' };

/** A text that sorts after every key: keys are printable ASCII. */
const LAST = '\x7f';

/** In nanoseconds since 1970: file systems have no earlier times. */
const YEAR_1901 = -2_177_452_800_000_000_000n;

type Row = readonly [
  key: string,
  length: bigint,
  mtime: bigint,
  scanned: bigint,
  tag: string | null,
  kept: bigint | null,
];

type Draft<Type> = { -readonly [Name in keyof Type]: Type[Name] };

/** The file of a memory, and its root. */
interface MemoryPlace {
  readonly file: string;
  readonly root: string;
  /** What earlier versions called the same root. */
  readonly earlier?: EarlierRoot;
}

/** A name that did not say when an epoch began: what was scanned before it is of another store. */
interface EarlierRoot {
  readonly root: string;
  /** Nanoseconds since 1970. */
  readonly since: bigint;
}

/** Most databases that are open: thousands of sets would need more file handles than a process may have. */
const MOST_OPEN = 32;
/** Those that are open; the one that was used last is last. */
const used = new Set<ScanMemory>();

/**
 * What the scans of a root remember, in a small database of its own. It is empty when the file belongs to another root
 * or is damaged. It is opened when it is used, and closed when many others were used since.
 */
export class ScanMemory implements FileMemory {
  readonly #place: MemoryPlace;
  #opened: ReturnType<typeof open> | undefined;
  #isClosed = false;

  constructor(place: MemoryPlace) {
    this.#place = place;
  }

  *read({ from = '', to = LAST }: KeyRange): Generator<readonly RememberedFile[]> {
    for (let next = from; ; ) {
      const rows = this.#ask(({ select }) => select.all(next, to, BATCH) as unknown as readonly Row[]);
      if (rows.length > 0) yield rows.map(remembered);
      if (rows.length < BATCH) return;
      // The smallest text that sorts after the last key.
      next = `${rows.at(-1)![0]}\0`;
    }
  }

  update({ remember, forget }: { remember: readonly RememberedFile[]; forget: readonly ResourceKey[] }): void {
    if (remember.length === 0 && forget.length === 0) return;
    this.#ask(({ database, insert, remove }) =>
      transaction(database, () => {
        for (const { key, length, mtime, scanned, tag, isKept } of remember) {
          insert.run(key, length, BigInt.asIntN(64, mtime), scanned, tag ?? null, isKept ? 1 : null);
        }
        for (const key of forget) remove.run(key);
      }),
    );
    if (remember.length > 0) this.#ask(({ database }) => waitForDisk(database));
  }

  /** It cannot be used afterwards. */
  close(): void {
    this.#isClosed = true;
    this.#rest();
  }

  #rest(): void {
    used.delete(this);
    this.#opened?.database.close();
    this.#opened = undefined;
  }

  /** @throws TidemarkError `unavailable` when the file cannot be used */
  #use(): ReturnType<typeof open> {
    if (this.#isClosed) throw new Error(`the memory of scans ${this.#place.file} is closed`);
    this.#opened ??= openSound(this.#place);
    used.delete(this);
    used.add(this);
    const [longestUnused] = used;
    if (used.size > MOST_OPEN) longestUnused!.#rest();
    return this.#opened;
  }

  /** The call that finds the damage fails; by then the memory is empty and usable. */
  #ask<Result>(work: (opened: ReturnType<typeof open>) => Result): Result {
    const opened = this.#use();
    try {
      return work(opened);
    } catch (error) {
      if (isLost(error)) {
        this.#rest();
        this.#opened = openEmpty(this.#place);
        used.add(this);
      }
      throw translated(this.#place.file, error, 'it was emptied, and the next scan reads every file');
    }
  }
}

function remembered([key, length, mtime, scanned, tag, kept]: Row): RememberedFile {
  const file: Draft<RememberedFile> = { key, length: Number(length), mtime: unwrapped(mtime), scanned };
  if (tag !== null) file.tag = tag;
  if (kept !== null) file.isKept = true;
  return file;
}

/** A time after 2262 does not fit into an integer of SQLite: 2^64 nanoseconds are subtracted from it. */
function unwrapped(mtime: bigint): bigint {
  return mtime < YEAR_1901 ? BigInt.asUintN(64, mtime) : mtime;
}

function openSound(place: MemoryPlace): ReturnType<typeof open> {
  try {
    makeFolder(dirname(place.file));
    makeFile(place.file);
    return open(place);
  } catch (error) {
    if (isLost(error)) return openEmpty(place);
    throw translated(place.file, error);
  }
}

function openEmpty(place: MemoryPlace): ReturnType<typeof open> {
  try {
    for (const suffix of ['', '-wal', '-shm']) rmSync(place.file + suffix, { force: true });
    makeFile(place.file);
    return open(place);
  } catch (error) {
    throw translated(place.file, error);
  }
}

function open({ file, ...names }: MemoryPlace) {
  const database = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS });
  try {
    database.exec(SCHEMA);
    // Checked again in the transaction: another process may do the same.
    if (missingColumns(database).length > 0) transaction(database, () => addColumns(database));
    clearUnlessOf(database, names);
    waitForDisk(database);
    return { database, ...prepareStatements(database) };
  } catch (error) {
    database.close();
    throw error;
  }
}

/**
 * Lets checkpoints of a large file wait for the disk. Losing the last writes means hashing a few files again. A small
 * file may be damaged when the power fails: it is soon made again, and each wait stops the whole process.
 */
function waitForDisk(database: DatabaseSync): void {
  const { bytes } = database.prepare(SIZE).get() as { readonly bytes: number };
  if (bytes > SMALL) database.exec('PRAGMA synchronous = NORMAL');
}

function prepareStatements(database: DatabaseSync) {
  const select = database.prepare(
    'SELECT key, length, mtime, scanned, tag, kept FROM files WHERE key >= ? AND key < ? ORDER BY key LIMIT ?',
  );
  select.setReadBigInts(true);
  // node:sqlite makes arrays twice as fast as objects.
  select.setReturnArrays(true);
  const insert = database.prepare(
    'INSERT OR REPLACE INTO files (key, length, mtime, scanned, tag, kept) VALUES (?, ?, ?, ?, ?, ?)',
  );
  return { select, insert, remove: database.prepare('DELETE FROM files WHERE key = ?') };
}

function addColumns(database: DatabaseSync): void {
  for (const [name, type] of missingColumns(database)) database.exec(`ALTER TABLE files ADD COLUMN ${name} ${type}`);
}

function missingColumns(database: DatabaseSync): readonly (readonly [string, string])[] {
  const rows = database.prepare("SELECT name FROM pragma_table_info('files')").all();
  const names = new Set(rows.map(({ name }) => name));
  return Object.entries(LATER_COLUMNS).filter(([name]) => !names.has(name));
}

function clearUnlessOf(database: DatabaseSync, { root, earlier }: Omit<MemoryPlace, 'file'>): void {
  const found = database.prepare('SELECT path FROM root').get()?.path;
  if (found === root) return;
  const isSame = earlier !== undefined && found === earlier.root && isScannedSince(database, earlier.since);
  transaction(database, () => {
    database.exec(isSame ? 'DELETE FROM root' : 'DELETE FROM files; DELETE FROM root');
    database.prepare('INSERT INTO root (path) VALUES (?)').run(root);
  });
}

function isScannedSince(database: DatabaseSync, since: bigint): boolean {
  return database.prepare('SELECT 1 FROM files WHERE scanned < ? LIMIT 1').get(since) === undefined;
}

function isLost(error: unknown): boolean {
  return isDamaged(error) || isNoDatabase(error);
}

function translated(file: string, error: unknown, afterDamage = 'remove it'): unknown {
  if (error instanceof TidemarkError) return error;
  const isOfSystem = error instanceof Error && 'syscall' in error;
  const ofSqlite = sqliteFault(error, { damaged: afterDamage, noDatabase: afterDamage });
  const fault = isOfSystem ? `cannot be used: ${reasonOf(error)}` : ofSqlite;
  if (fault === undefined) return error;
  return new TidemarkError('unavailable', `the memory of scans ${file} ${fault}`, { file }, error);
}
