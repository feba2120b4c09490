import { existsSync, statSync } from 'node:fs';
import { access, link, rename, rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { isTidemarkError, TidemarkError } from '../../core/errors.ts';
import { armFailpoint, failpoint } from '../../lib/failpoint.ts';
import { syncFolderOf } from '../../lib/files/disk-sync.ts';
import { isDamaged } from '../../lib/sqlite/sqlite-fault.ts';
import { SetRegistry } from '../../sets/set-registry.ts';
import { copyStore, damageOf, lockOutOthers, migrateStores, openStores } from '../../stores/open-stores.ts';
import type { CliCommand } from '../cli-command.ts';
import { startCountBar } from '../ui/count-bar.ts';
import { plural } from '../ui/table.ts';
import { isNewStore } from '../with-app.ts';
import { sqliteFile } from './backup.ts';

interface Options {
  readonly confirm?: boolean;
}

/** The files of a SQLite store. */
const LOGS = ['-wal', '-shm'];
const PARTS = ['', ...LOGS];
const LOCK = '.lock';

export const restore: CliCommand<Options> = {
  usage: 'restore <file>',
  summary:
    'Puts a backup in place of the store, and begins a new history of every set. Refused while another process has the store open.',
  examples: [['restore /backup/tidemark.db --confirm', 'when all servers are stopped']],

  options(command) {
    command.option('--confirm', 'yes, put it in place of the store; the present one is kept beside it');
  },

  async run({ args, options, loaded: { configuration }, terminal, workingDirectory, stopped: signal }) {
    const store = sqliteFile(configuration.store);
    const file = resolve(workingDirectory, args[0]!);
    const unfinished = `${store}.part`;
    armFailpoint(configuration.failpoint);
    await requireFile(file);
    for (const own of [store, unfinished]) if (isSameFile(file, own)) throw ownFile(file, store);
    if (options.confirm !== true && !(await isNewStore(configuration))) throw unconfirmed(store);
    const lock = lockOutOthers(store);
    const bar = startCountBar(terminal);
    try {
      await removeStore(unfinished);
      const onProgress = (done: number, total: number) => bar.update('Copying', done, total);
      await copyStore(file, unfinished, { signal, onProgress }).catch((error: unknown) => {
        throw ofBackup(file, error);
      });
      requireSound(file, unfinished);
      // An older version may have made the backup.
      await migrateStores({ kind: 'sqlite', file: unfinished });
      const sets = await renewAll(unfinished);
      const kept = (await isNewStore(configuration)) ? undefined : await keep(store);
      // SQLite would use such files of a deleted store for the new one.
      for (const part of LOGS) await rm(`${store}${part}`, { force: true });
      failpoint('restore.kept');
      await rename(unfinished, store);
      await syncFolderOf(store);
      const message = `Restored ${file}, with ${plural(sets.length, 'set')}, each of which has a new epoch.`;
      await terminal.print(kept === undefined ? message : `${message}\nThe store before is kept as ${kept}.`, {
        file,
        sets,
        kept,
      });
    } finally {
      bar.end();
      await removeStore(unfinished);
      lock.release();
    }
  },
};

/** Called before the backup is in place: no server may publish the lost history again under URLs that clients know. */
async function renewAll(file: string) {
  const { catalog, index, close } = await openStores({ kind: 'sqlite', file });
  try {
    const registry = new SetRegistry(catalog, index);
    const renewed = [];
    for (const { slug } of await registry.list()) {
      const { epoch } = await registry.renew(slug);
      renewed.push({ set: slug, epoch });
    }
    return renewed;
  } finally {
    await close();
  }
}

/**
 * Gives the store a second name, so that there is a store at any time: a server that finds none makes an empty one.
 * @returns the second name
 */
async function keep(store: string): Promise<string> {
  const name = `${store}.replaced-${new Date().toISOString().replace(/[-:]|\.\d+/g, '')}`;
  let kept = name;
  for (let number = 2; PARTS.some((part) => existsSync(kept + part)); number += 1) kept = `${name}-${number}`;
  // Not every file system has links.
  await link(store, kept).catch(() => rename(store, kept));
  // Only a damaged store still has these files: taking the lock has merged the log.
  for (const part of LOGS) {
    await rename(`${store}${part}`, `${kept}${part}`).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
    });
  }
  return kept;
}

async function removeStore(file: string): Promise<void> {
  for (const part of [...PARTS, LOCK]) await rm(`${file}${part}`, { force: true });
}

async function requireFile(file: string): Promise<void> {
  await access(file).catch((error: unknown) => {
    throw new TidemarkError(
      'invalid',
      `the backup ${file} cannot be read: check its name and permissions`,
      { file },
      error,
    );
  });
}

/** Whether two paths name the same file, for instance by a link. */
function isSameFile(one: string, other: string): boolean {
  const [first, second] = [one, other].map((file) => statSync(file, { bigint: true, throwIfNoEntry: false }));
  return first !== undefined && first.dev === second?.dev && first.ino === second.ino;
}

function ownFile(file: string, store: string): TidemarkError {
  const message = `${file} is not a backup, but a file of the store ${store} itself: name a backup`;
  return new TidemarkError('invalid', message, { file });
}

/**
 * Checks the copy, since damaged pages are copied unchanged. It is quick: the copy is still in the disk cache.
 * @throws TidemarkError `unavailable`
 */
function requireSound(file: string, copy: string): void {
  let damage: readonly string[];
  try {
    damage = damageOf(copy);
  } catch (error) {
    throw isTidemarkError(error) && isDamaged(error.cause) ? damaged(file, error) : error;
  }
  if (damage.length > 0) throw damaged(file, new Error(damage.join('\n')));
}

/** Converts an error about the store into one about the backup file that was named. */
function ofBackup(file: string, error: unknown): unknown {
  if (!isTidemarkError(error)) return error;
  if (isDamaged(error.cause)) return damaged(file, error);
  if (error.details.file !== file) return error;
  const reason = error.cause instanceof Error ? error.cause.message : 'it is not a store of Tidemark';
  const message = `the backup ${file} cannot be restored: ${reason}. Name a file that "tidemark backup" has made`;
  return new TidemarkError('invalid', message, { file }, error);
}

function damaged(file: string, cause: Error): TidemarkError {
  const message = `the backup ${file} is damaged, and nothing was restored: name another backup`;
  return new TidemarkError('unavailable', message, { file }, cause);
}

function unconfirmed(store: string): TidemarkError {
  return new TidemarkError(
    'conflict',
    `there is a store ${store}; restoring sets it aside, and every client will copy every set anew. Stop all servers and commands that use it, and say --confirm to do it`,
    { file: store },
  );
}
