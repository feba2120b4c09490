import { type BigIntStats, existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { isTidemarkError, TidemarkError } from '../../core/errors.ts';
import { makeFile, makeFolder } from '../../lib/make-folder.ts';
import { isBusy } from '../../lib/sqlite/sqlite-fault.ts';
import { ask } from './connection.ts';

/** `shared`: uses the store. `exclusive`: replaces it, or changes its schema, while no other process has it open. */
export type LockMode = 'shared' | 'exclusive';

/** Milliseconds: a process that ends may keep the store open a little longer. */
const WAIT = 500;

// A read transaction holds a shared lock on the file until it ends; the file stays empty.
const LOCK = { shared: 'BEGIN; SELECT 1 FROM sqlite_schema', exclusive: 'BEGIN EXCLUSIVE' };

/**
 * Locks a store until it is released, or until the process ends, however it ends. The lock is on a database of its own
 * beside the store, so that it also holds for a store that is damaged, or is being replaced. Within a process each
 * caller has a lock of its own.
 * @throws TidemarkError `unavailable` when another process has a lock that excludes this one
 */
export function lockStore(file: string, mode: LockMode): { release(): void } {
  makeFolder(dirname(file));
  const database = ask(file, () => {
    makeFile(lockFileOf(file));
    return new DatabaseSync(lockFileOf(file), { timeout: WAIT });
  });
  try {
    ask(file, () => database.exec(LOCK[mode]));
    if (mode === 'exclusive') foldLog(file);
  } catch (error) {
    database.close();
    if (isTidemarkError(error) && isBusy(error.cause)) throw isUsed(file, mode);
    throw error;
  }
  return { release: () => database.close() };
}

/**
 * Takes the write-ahead log into the file of the store, which then has all of it. That needs a lock on the file itself,
 * which other connections hold, also those of versions that have no lock file.
 */
function foldLog(file: string): void {
  if (!existsSync(file)) return;
  const database = ask(file, () => new DatabaseSync(file, { timeout: WAIT }));
  try {
    database.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; ROLLBACK');
  } catch (error) {
    // What is damaged cannot be read, but can be replaced.
    if (isBusy(error)) throw isUsed(file, 'exclusive');
  } finally {
    database.close();
  }
}

export function lockFileOf(file: string): string {
  return `${file}.lock`;
}

/**
 * Notices when the path of an open store leads to another file than the one that was opened: what is written there
 * would be lost.
 */
export class StoreIdentity {
  readonly #file: string;
  readonly #opened: BigIntStats | undefined;

  constructor(file: string) {
    this.#file = file;
    this.#opened = statOf(file);
  }

  /** @throws TidemarkError `unavailable` when it leads to another one, or to none */
  require(): void {
    const found = statOf(this.#file);
    if (found?.ino === this.#opened?.ino && found?.dev === this.#opened?.dev) return;
    throw new TidemarkError(
      'unavailable',
      `the store ${this.#file} was replaced or removed while this process had it open: nothing can be read or written until the process is started again`,
      { file: this.#file },
    );
  }
}

function statOf(file: string): BigIntStats | undefined {
  return statSync(file, { bigint: true, throwIfNoEntry: false });
}

function isUsed(file: string, mode: LockMode): TidemarkError {
  const message = {
    shared: `the store ${file} is being restored, rebuilt or migrated by another process: try again when that is done`,
    exclusive: `the store ${file} is open in another process: stop all servers and commands that use it, and try again`,
  };
  return new TidemarkError('unavailable', message[mode], { file });
}
