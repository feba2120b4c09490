import { closeSync, futimesSync, openSync, rmSync } from 'node:fs';
import type { DiskSync } from '../../../lib/files/disk-sync.ts';
import { writeAllSync } from '../../../lib/files/write-all.ts';
import { cannotBeWritten } from '../cannot-be-written.ts';
import { CheckedFolders, whyNot } from './checked-folders.ts';
import type { PublishedFile, RejectedPath } from './mirror-target.ts';
import { NewFolders } from './new-folders.ts';

export interface PublishTask {
  readonly root: string;
  readonly files: readonly TaskFile[];
  /** The bytes of the files that are not on disk yet, concatenated. Publishing frees them. */
  readonly bytes: Uint8Array<ArrayBuffer>;
}

interface TaskFile extends PublishedFile {
  /** Number of bytes of this file in `bytes`; undefined when it is on disk already. */
  readonly length: number | undefined;
}

/** A file that is durable, but not at its path. */
interface WrittenFile {
  readonly path: string;
  readonly at: string;
  /** Whether it gets its path with its folder. */
  readonly isInNewFolder: boolean;
  /** Why its modification time cannot be set. */
  readonly problem: unknown;
}

/**
 * Writes files under temporary names, makes them durable, and renames them, or the new folders that they are in, to
 * their paths. The calls are synchronous: for many small files, they take a fraction of the time of asynchronous ones.
 * @throws TidemarkError `unavailable` when a file cannot be written
 */
export async function publishFiles(task: PublishTask, disk: DiskSync): Promise<readonly RejectedPath[]> {
  const checked = new CheckedFolders(task.root);
  try {
    const folders = new NewFolders(checked);
    const written = await writeAll(task, { folders, checked, disk });
    const rejected = moveAll(written, folders, checked);
    await syncCopy(disk, task.root, checked.changed);
    return rejected;
  } finally {
    checked.close();
  }
}

/** Gives the files their paths. Returns the paths that were rejected. */
function moveAll(
  written: readonly WrittenFile[],
  folders: NewFolders,
  checked: CheckedFolders,
): readonly RejectedPath[] {
  const rejected: RejectedPath[] = [];
  for (const { at, problem } of written) if (problem !== undefined) rmSync(at, { force: true });
  folders.move();
  for (const file of written) {
    try {
      if (file.problem !== undefined) throw file.problem;
      if (file.isInNewFolder && folders.hasMoved(file.path)) continue;
      checked.move(file.at, file.path);
    } catch (error) {
      rmSync(file.at, { force: true });
      rejected.push({ path: file.path, reason: whyNot(error) });
    }
  }
  folders.removeLeft();
  return rejected;
}

/** Makes files or folders of the copy durable. @throws TidemarkError `unavailable` */
export async function syncCopy(disk: DiskSync, root: string, paths: readonly string[]): Promise<void> {
  await disk.sync(paths).catch((error: unknown) => {
    throw cannotBeWritten(root, error);
  });
}

/**
 * Writes all files, and makes them durable. If that fails, it deletes them, so that a full disk does not stay full of
 * them.
 */
async function writeAll(
  task: PublishTask,
  { folders, checked, disk }: { folders: NewFolders; checked: CheckedFolders; disk: DiskSync },
): Promise<readonly WrittenFile[]> {
  const { root, files } = task;
  try {
    const written = writeKept(task, folders);
    // Another program may change them while the disk is synced.
    checked.close();
    // A thread that has little other garbage would keep them for long.
    task.bytes.buffer.transfer(0);
    await syncCopy(disk, root, [...written.map(({ at }) => at), ...folders.left]);
    return written;
  } catch (error) {
    for (const { staged } of files) rmSync(staged, { force: true });
    folders.removeLeft();
    throw error;
  }
}

/**
 * Writes the files that are in memory.
 * @throws TidemarkError `unavailable`
 */
function writeKept({ root, files, bytes }: PublishTask, folders: NewFolders): readonly WrittenFile[] {
  let start = 0;
  try {
    return files.map((file) => {
      const end = start + (file.length ?? 0);
      const written = file.length === undefined ? timed(file) : writeOne(file, bytes.subarray(start, end), folders);
      start = end;
      return written;
    });
  } catch (error) {
    throw cannotBeWritten(root, error);
  }
}

/** Sets the time of a file that is on disk already. */
function timed({ staged, path, modifiedMs }: TaskFile): WrittenFile {
  const file = { path, at: staged, isInNewFolder: false };
  if (modifiedMs === undefined) return { ...file, problem: undefined };
  const fd = openSync(staged, 'r+');
  try {
    return { ...file, problem: setTime(fd, modifiedMs) };
  } finally {
    closeSync(fd);
  }
}

function writeOne({ staged, path, modifiedMs }: TaskFile, bytes: Uint8Array, folders: NewFolders): WrittenFile {
  const { fd, ...file } = create(staged, folders.placeFor(path, `${staged}.folder`));
  try {
    writeAllSync(fd, bytes);
    return { path, ...file, problem: setTime(fd, modifiedMs) };
  } finally {
    closeSync(fd);
  }
}

function create(staged: string, inFolder: string | undefined) {
  try {
    if (inFolder !== undefined) return { fd: openSync(inFolder, 'wx'), at: inFolder, isInNewFolder: true };
  } catch {
    // The file system may not accept its name: then this file alone is rejected later.
  }
  return { fd: openSync(staged, 'wx'), at: staged, isInNewFolder: false };
}

/** Sets the modification time. Returns the error if that fails. */
function setTime(fd: number, modifiedMs: number | undefined): unknown {
  if (modifiedMs === undefined) return undefined;
  try {
    futimesSync(fd, Date.now() / 1000, modifiedMs / 1000);
    return undefined;
  } catch (error) {
    return error;
  }
}
