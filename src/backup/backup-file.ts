import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { TidemarkError } from '../core/errors.ts';
import { failpoint } from '../lib/failpoint.ts';
import { syncFolderOf } from '../lib/files/disk-sync.ts';
import { type CopyOptions, copyStore } from '../stores/open-stores.ts';

/** An unfinished backup, with what SQLite may leave beside it. */
const UNFINISHED = /\.[0-9a-f-]{36}\.tidemark-part(?:-journal)?$/;
/** Milliseconds without a write after which it counts as left by a killed process, on any machine. */
const LEFT_AFTER_MS = 3_600_000;

interface BackupFileOptions extends Omit<CopyOptions, 'isCompared'> {
  /** Called when the copy is compared, and does not have its name yet. */
  onCompared?(unfinished: string): Promise<void>;
}

/**
 * Copies a store to a new file, which gets its name when it was compared with the store.
 * @param store the file of a store
 * @throws TidemarkError `invalid` when the file exists, or its folder does not; as `copyStore` does
 */
export async function makeBackupFile(
  store: string,
  file: string,
  { onCompared, ...options }: BackupFileOptions = {},
): Promise<void> {
  requireFree(file);
  await removeLeft(dirname(file));
  // Another backup may be writing to the same file.
  const unfinished = `${file}.${randomUUID()}.tidemark-part`;
  try {
    await copyStore(store, unfinished, { ...options, isCompared: true });
    failpoint('backup.compared');
    await onCompared?.(unfinished);
    failpoint('backup.described');
    requireFree(file);
    await rename(unfinished, file);
    await syncFolderOf(file);
    failpoint('backup.named');
  } finally {
    for (const suffix of ['', '-journal']) await rm(unfinished + suffix, { force: true });
  }
}

/** Removes what killed backups to a folder have left. */
async function removeLeft(folder: string): Promise<void> {
  for (const name of await readdir(folder)) if (UNFINISHED.test(name)) await removeIfLeft(join(folder, name));
}

/** Removes a file unless it was written within an hour. */
export async function removeIfLeft(path: string): Promise<void> {
  // It may have its final name now, or belong to another user.
  const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Number.POSITIVE_INFINITY }));
  if (mtimeMs < Date.now() - LEFT_AFTER_MS) await rm(path, { force: true }).catch(() => {});
}

function requireFree(file: string): void {
  if (existsSync(file)) throw new TidemarkError('invalid', `${file} exists already: name another file`, { file });
  const folder = dirname(file);
  if (!existsSync(folder)) throw new TidemarkError('invalid', `there is no folder ${folder}`, { folder });
}
