import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { TidemarkError } from '../../../core/errors.ts';
import { isBusy, sqliteFault } from '../../../lib/sqlite/sqlite-fault.ts';
import { reasonOf } from '../../../lib/system-error.ts';
import { cannotBeWritten } from '../cannot-be-written.ts';

const HINTS = { damaged: 'remove it', noDatabase: 'remove it' };

/**
 * Locks a copy for one process, until it releases the lock or ends in any way: the lock is a file lock of the system,
 * on a separate database. A file beside it names the process.
 * @throws TidemarkError `conflict` when another process has the lock; `unavailable` when the folder cannot be
 *   written, or the lock cannot be used
 */
export function lockMirror(folder: string, name: string): { release(): void } {
  const owner = join(folder, 'process');
  const file = join(folder, 'lock');
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(file, { timeout: 0 });
    database.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    database?.close();
    if (!isBusy(error)) throw cannotBeLocked(file, error);
    const pid = ownerOf(owner);
    throw new TidemarkError(
      'conflict',
      `process ${pid} keeps the copy in ${name} now, and only one may: stop it (kill ${pid}), run this, and start it again, which goes on where it was`,
      { pid },
      error,
    );
  }
  try {
    writeFileSync(owner, String(process.pid));
  } catch (error) {
    database.close();
    throw cannotBeWritten(name, error);
  }
  return { release: () => database.close() };
}

/** The id of the process that has the lock; undefined when none has it. */
export function holderOf(folder: string): string | undefined {
  try {
    const database = new DatabaseSync(join(folder, 'lock'), { timeout: 0, readOnly: true });
    try {
      database.exec('SELECT 1 FROM sqlite_schema');
      return undefined;
    } catch (error) {
      return isBusy(error) ? ownerOf(join(folder, 'process')) : undefined;
    } finally {
      database.close();
    }
  } catch {
    return undefined;
  }
}

function cannotBeLocked(file: string, error: unknown): TidemarkError {
  const problem = sqliteFault(error, HINTS) ?? `cannot be used: ${reasonOf(error)}`;
  return new TidemarkError('unavailable', `the lock of the copy, ${file}, ${problem}`, { file }, error);
}

function ownerOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return 'unknown';
  }
}
