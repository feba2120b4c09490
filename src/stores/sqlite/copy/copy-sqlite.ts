import { backup } from 'node:sqlite';
import { TidemarkError } from '../../../core/errors.ts';
import { failpoint } from '../../../lib/failpoint.ts';
import { makeFile } from '../../../lib/files/make-folder.ts';
import { ask, connect } from '../connection.ts';
import { schemaVersion } from '../schema.ts';
import { requireEqualCopy } from './compare-copy.ts';

/** Number of pages of 8 kB that are copied between two calls of `onProgress`. */
const PAGES_AT_A_TIME = 2_000;

export interface CopyOptions {
  readonly signal?: AbortSignal | undefined;
  /** Whether the copy is then compared with the snapshot, row by row. */
  readonly isCompared?: boolean;
  /** @param done number of bytes copied, out of `total` */
  onProgress?: ((done: number, total: number) => void) | undefined;
}

/**
 * Copies a snapshot of a store into a file that does not exist yet, while other connections read and write.
 * @throws TidemarkError `incompatible` when it is not a store of this program, `unavailable` when a file cannot be read
 * or written, or the copy differs; the signal's reason when it is aborted
 */
export async function copySqlite(
  file: string,
  copy: string,
  { signal, isCompared, onProgress }: CopyOptions = {},
): Promise<void> {
  signal?.throwIfAborted();
  const database = connect(file);
  try {
    // While this read transaction is open, commits of other connections are invisible, so the copy does not start
    // again.
    database.exec('BEGIN');
    if (ask(file, () => schemaVersion(database)) === 0) {
      throw new TidemarkError('incompatible', `${file} holds no store of Tidemark`, { file });
    }
    const pageBytes = ask(file, () => database.prepare('PRAGMA page_size').get()!.page_size as number);
    makeFile(copy);
    await backup(database, copy, {
      rate: PAGES_AT_A_TIME,
      progress({ totalPages, remainingPages }) {
        signal?.throwIfAborted();
        onProgress?.((totalPages - remainingPages) * pageBytes, totalPages * pageBytes);
      },
    });
    if (isCompared) {
      failpoint('backup.copied');
      await requireEqualCopy(database, copy, signal);
    }
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof TidemarkError) throw error;
    const message = `${file} cannot be copied to ${copy}: ${(error as Error).message}`;
    throw new TidemarkError('unavailable', message, { file: copy }, error);
  } finally {
    database.close();
  }
}
