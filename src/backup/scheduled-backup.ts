import { stat, statfs, writeFile } from 'node:fs/promises';
import { TidemarkError } from '../core/errors.ts';
import { makeFolder } from '../lib/files/make-folder.ts';
import { formatBytes } from '../lib/format-bytes.ts';
import { makeBackupFile } from './backup-file.ts';
import {
  type BackupDescription,
  backupPath,
  descriptionOf,
  type KeptBackup,
  removeOlder,
  sha256Of,
} from './backup-folder.ts';

/** Share of the size of a store that must be free beside a backup: the server writes meanwhile. */
const RESERVE = 0.1;

export interface BackupOptions {
  /** The file of the store. */
  readonly store: string;
  readonly folder: string;
  /** Number of good backups that are kept, the new one included. */
  readonly keep: number;
}

export interface MadeBackup extends KeptBackup {
  /** The older backups that were removed. */
  readonly removed: readonly string[];
}

/**
 * Makes a backup in a folder, compares it with the store, and only then removes those that are too many. A process that
 * is killed leaves nothing that looks like a backup.
 * @throws TidemarkError `unavailable` when the disk has too little space, or the backup is not a copy of the store: the
 *   older ones stay
 */
export async function makeScheduledBackup(
  { store, folder, keep }: BackupOptions,
  signal: AbortSignal,
): Promise<MadeBackup> {
  const made = new Date();
  makeFolder(folder);
  await requireSpace(store, folder);
  const file = backupPath(folder, made);
  let description: BackupDescription | undefined;
  await makeBackupFile(store, file, {
    signal,
    async onCompared(unfinished) {
      const sha256 = await sha256Of(unfinished, signal);
      const { size: bytes } = await stat(unfinished);
      description = { store, made: made.toISOString(), checked: new Date().toISOString(), bytes, sha256 };
      // Fails when another store has just made one of the same name: the job tries again.
      await writeFile(descriptionOf(file), JSON.stringify(description), { flag: 'wx', mode: 0o600, flush: true });
    },
  });
  return { ...description!, file, removed: await removeOlder(folder, store, keep) };
}

async function requireSpace(store: string, folder: string): Promise<void> {
  const sizes = await Promise.all(
    ['', '-wal'].map(async (part) => (await stat(store + part).catch(() => ({ size: 0 }))).size),
  );
  const needed = sizes.reduce((sum, size) => sum + size, 0) * (1 + RESERVE);
  const { bavail, bsize } = await statfs(folder);
  const free = bavail * bsize;
  if (free >= needed) return;
  throw new TidemarkError(
    'unavailable',
    `no backup was made: ${folder} has ${formatBytes(free)} free, and one needs ${formatBytes(needed)}. Free space, keep fewer (TIDEMARK_KEEP_BACKUPS), or name a folder on another disk (TIDEMARK_BACKUP_TO)`,
    { folder },
  );
}
