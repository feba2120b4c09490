import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { TidemarkError } from '../../../core/errors.ts';
import { cannotBeWritten } from '../cannot-be-written.ts';

/**
 * Locks a copy for one process, until it releases the lock or ends in any way: the lock is a file lock of the system,
 * on a separate database. A file beside it names the process.
 * @throws TidemarkError `conflict` when another process has the lock; `unavailable` when the folder cannot be written
 */
export function lockMirror(folder: string, name: string): { release(): void } {
  const owner = join(folder, 'process');
  const database = new DatabaseSync(join(folder, 'lock'), { timeout: 0 });
  try {
    database.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
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
    } catch {
      return ownerOf(join(folder, 'process'));
    } finally {
      database.close();
    }
  } catch {
    return undefined;
  }
}

function ownerOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return 'unknown';
  }
}
