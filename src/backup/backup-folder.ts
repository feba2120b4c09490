import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';
import { TidemarkError } from '../core/errors.ts';
import { failpoint } from '../lib/failpoint.ts';
import { isGone, reasonOf } from '../lib/system-error.ts';
import { removeIfLeft } from './backup-file.ts';

const BACKUP = /^tidemark-\d{8}T\d{6}Z\.db$/;
const DESCRIPTION = '.json';

/** The description of a backup, in a file beside it, which is stored before the backup has its name. */
const DESCRIPTION_SCHEMA = z.object({
  /** The store that it is a copy of: others may have their backups in the same folder. */
  store: z.string(),
  /** When it was begun: it has all that was acknowledged before. RFC 3339, as `checked`. */
  made: z.string(),
  /** When it was compared with the store. */
  checked: z.string(),
  bytes: z.int(),
  /** Of the whole file. */
  sha256: z.string(),
});
export type BackupDescription = z.infer<typeof DESCRIPTION_SCHEMA>;

/** A backup that was compared with its store. */
export interface KeptBackup extends BackupDescription {
  /** Absolute. */
  readonly file: string;
}

/** The path of a backup. @param made UTC */
export function backupPath(folder: string, made: Date): string {
  return join(folder, `tidemark-${made.toISOString().replace(/[-:]|\.\d+/g, '')}.db`);
}

export function descriptionOf(file: string): string {
  return file + DESCRIPTION;
}

/**
 * The good backups in a folder, the newest first; none when there is no folder.
 * @throws TidemarkError `unavailable` when the folder cannot be read
 */
export async function listBackups(folder: string): Promise<readonly KeptBackup[]> {
  const names = await readdir(folder).catch((error: unknown) => {
    if (isGone(error)) return [];
    throw new TidemarkError('unavailable', `${folder} cannot be read: ${reasonOf(error)}`, { folder }, error);
  });
  const files = names.filter((name) => BACKUP.test(name)).map((name) => join(folder, name));
  const found = await Promise.all(files.map(readBackup));
  return found.filter((backup) => backup !== undefined).sort((a, b) => (a.file < b.file ? 1 : -1));
}

/** Undefined without a description, or when it has another size than it had. */
async function readBackup(file: string): Promise<KeptBackup | undefined> {
  try {
    const description = DESCRIPTION_SCHEMA.parse(JSON.parse(await readFile(descriptionOf(file), 'utf8')));
    const { size } = await stat(file);
    return size === description.bytes ? { ...description, file } : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a backup has the bytes that it had when it was compared. Reads all of it. */
export async function isUnchanged({ file, sha256 }: KeptBackup, signal?: AbortSignal): Promise<boolean> {
  return (await sha256Of(file, signal)) === sha256;
}

/** In hexadecimal. */
export async function sha256Of(file: string, signal?: AbortSignal): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash, { signal });
  return hash.digest('hex');
}

/** Removes all backups of a store but the newest ones, and what killed processes have left. Returns removed files. */
export async function removeOlder(folder: string, store: string, keep: number): Promise<readonly string[]> {
  const own = (await listBackups(folder)).filter((backup) => backup.store === store);
  const older = own.slice(keep).map(({ file }) => file);
  for (const file of older) {
    // In this order: a backup without a description would not be found again.
    await rm(file, { force: true });
    failpoint('backup.removed');
    await rm(descriptionOf(file), { force: true });
  }
  const names = new Set(await readdir(folder));
  for (const name of names) {
    const backup = name.slice(0, -DESCRIPTION.length);
    if (name.endsWith(DESCRIPTION) && BACKUP.test(backup) && !names.has(backup)) await removeIfLeft(join(folder, name));
  }
  return older;
}
