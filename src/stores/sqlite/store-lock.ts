import { type BigIntStats, existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { isTidemarkError, TidemarkError } from '../../core/errors.ts';
import { makeFile, makeFolder } from '../../lib/files/make-folder.ts';
import { isBusy } from '../../lib/sqlite/sqlite-fault.ts';
import { hasLostCommits } from '../../lib/sqlite/wal-check.ts';
import { ask } from './connection.ts';

/** `shared`: to use the store. `exclusive`: to replace it or change its schema, while no other process has it open. */
export type LockMode = 'shared' | 'exclusive';

/** Milliseconds: a process that is ending may still have the store open for a while. */
const WAIT_MS = 500;

// A read transaction has a shared lock on the file until it ends. The file stays empty.
const LOCK = { shared: 'BEGIN; SELECT 1 FROM sqlite_schema', exclusive: 'BEGIN EXCLUSIVE' };

/**
 * Locks a store until it is released, or until the process ends in any way. The lock is on a separate database beside
 * the store, so that it also works for a store that is damaged, or is being replaced. Each caller in a process has its
 * own lock.
 * @throws TidemarkError `unavailable` when another process has a conflicting lock
 */
export function lockStore(file: string, mode: LockMode): { release(): void } {
  makeFolder(dirname(file));
  const database = ask(file, () => {
    makeFile(lockFileOf(file));
    return new DatabaseSync(lockFileOf(file), { timeout: WAIT_MS });
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
 * Requires that a store that no process has open has all its commits: SQLite would go on without them, and without an
 * error.
 * @throws TidemarkError `unavailable` when its write-ahead log is damaged
 */
export function requireAllCommits(file: string): void {
  const log = `${file}-wal`;
  if (!existsSync(log) || !existsSync(lockFileOf(file))) return;
  const database = ask(file, () => new DatabaseSync(lockFileOf(file), { timeout: 0 }));
  try {
    ask(file, () => database.exec(LOCK.exclusive));
    if (hasLostCommits(log)) throw lostCommits(file);
  } catch (error) {
    // The process that has it open has required the same.
    if (!(isTidemarkError(error) && isBusy(error.cause))) throw error;
  } finally {
    database.close();
  }
}

function lostCommits(file: string): TidemarkError {
  const message = `the store ${file} is damaged: commits in ${file}-wal cannot be read; restore it from a backup, or go on without them as docs/protocol.md says (Proving it)`;
  return new TidemarkError('unavailable', message, { file });
}

/**
 * Writes the write-ahead log into the file of the store, which is complete then. That needs a lock on the file itself,
 * which also excludes connections of versions without a lock file.
 */
function foldLog(file: string): void {
  if (!existsSync(file)) return;
  const database = ask(file, () => new DatabaseSync(file, { timeout: WAIT_MS }));
  try {
    database.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; ROLLBACK');
  } catch (error) {
    // A damaged store cannot be read, but can be replaced.
    if (isBusy(error)) throw isUsed(file, 'exclusive');
  } finally {
    database.close();
  }
}

export function lockFileOf(file: string): string {
  return `${file}.lock`;
}

/**
 * Detects that the path of an open store leads to another file than the one that was opened: writes to that file would
 * be lost.
 */
export class StoreIdentity {
  readonly #file: string;
  readonly #opened: BigIntStats | undefined;

  constructor(file: string) {
    this.#file = file;
    this.#opened = statOf(file);
  }

  /** @throws TidemarkError `unavailable` when the path leads to another file, or to none */
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
