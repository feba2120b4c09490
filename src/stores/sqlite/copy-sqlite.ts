import { backup } from 'node:sqlite';
import { TidemarkError } from '../../core/errors.ts';
import { makeFile } from '../../lib/make-folder.ts';
import { ask, connect } from './connection.ts';
import { schemaVersion } from './schema.ts';

/** Pages of 8 kB that are copied between two calls of `onProgress`. */
const PAGES_AT_A_TIME = 2_000;

/** @param done bytes of `total` */
export type CopyProgress = (done: number, total: number) => void;

/**
 * Copies a snapshot of a store into a file that does not exist yet, while other connections go on reading and writing.
 * @throws TidemarkError `incompatible` when it is no store of this program, `unavailable` when a file cannot be read or
 * written
 */
export async function copySqlite(file: string, copy: string, onProgress: CopyProgress = () => {}): Promise<void> {
  const database = connect(file);
  try {
    // As long as this transaction reads, what others commit is not seen, and so does not make the copy begin again.
    database.exec('BEGIN');
    if (ask(file, () => schemaVersion(database)) === 0) {
      throw new TidemarkError('incompatible', `${file} holds no store of Tidemark`, { file });
    }
    const pageBytes = ask(file, () => database.prepare('PRAGMA page_size').get()!.page_size as number);
    makeFile(copy);
    await backup(database, copy, {
      rate: PAGES_AT_A_TIME,
      progress: ({ totalPages, remainingPages }) =>
        onProgress((totalPages - remainingPages) * pageBytes, totalPages * pageBytes),
    });
  } catch (error) {
    if (error instanceof TidemarkError) throw error;
    const message = `${file} cannot be copied to ${copy}: ${(error as Error).message}`;
    throw new TidemarkError('unavailable', message, { file: copy }, error);
  } finally {
    database.close();
  }
}
