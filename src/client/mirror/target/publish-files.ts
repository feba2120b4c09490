import { closeSync, futimesSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { DiskSync } from '../../../lib/disk-sync.ts';
import { writeAllSync } from '../../../lib/write-all.ts';
import { cannotBeWritten } from '../cannot-be-written.ts';
import { CheckedFolders, whyNot } from './checked-folders.ts';
import type { PublishedFile, RejectedPath, StagedFile } from './mirror-target.ts';

export interface PublishTask {
  readonly root: string;
  readonly files: readonly TaskFile[];
  /** The bytes of the files that are not on disk yet, concatenated. */
  readonly bytes: Uint8Array;
}

interface TaskFile extends PublishedFile {
  /** Number of bytes of this file in `bytes`; undefined when it is on disk already. */
  readonly length: number | undefined;
}

/**
 * Writes files under temporary names, makes them durable, and renames them to their paths. The calls are synchronous:
 * for many small files, they take a fraction of the time of asynchronous ones.
 * @throws TidemarkError `unavailable` when a file cannot be written
 */
export async function publishFiles(
  { root, files, bytes }: PublishTask,
  disk: DiskSync,
): Promise<readonly RejectedPath[]> {
  const timeless = await writeAll({ root, files, bytes }, disk);
  const checked = new CheckedFolders(root);
  const rejected: RejectedPath[] = [];
  for (const { staged, path } of files) {
    try {
      if (timeless.has(staged)) throw timeless.get(staged);
      checked.make(dirname(path));
      renameSync(staged, join(root, path));
    } catch (error) {
      rmSync(staged, { force: true });
      rejected.push({ path, reason: whyNot(error) });
    }
  }
  await syncCopy(disk, root, checked.changed);
  return rejected;
}

/** Makes files or folders of the copy durable. @throws TidemarkError `unavailable` */
export async function syncCopy(disk: DiskSync, root: string, paths: readonly string[]): Promise<void> {
  await disk.sync(paths).catch((error: unknown) => {
    throw cannotBeWritten(root, error);
  });
}

/**
 * Makes all files durable. If that fails, it deletes them, so that a full disk does not stay full of them. Returns as
 * `writeKept`.
 */
async function writeAll(
  { root, files, bytes }: PublishTask,
  disk: DiskSync,
): Promise<ReadonlyMap<StagedFile, unknown>> {
  try {
    const timeless = writeKept(root, files, bytes);
    await syncCopy(
      disk,
      root,
      files.map(({ staged }) => staged),
    );
    return timeless;
  } catch (error) {
    for (const { staged } of files) rmSync(staged, { force: true });
    throw error;
  }
}

/**
 * Writes the files that are in memory. Returns the files whose modification time cannot be set, with the reasons.
 * @throws TidemarkError `unavailable`
 */
function writeKept(root: string, files: readonly TaskFile[], bytes: Uint8Array): ReadonlyMap<StagedFile, unknown> {
  const timeless = new Map<StagedFile, unknown>();
  let at = 0;
  try {
    for (const { staged, length, modifiedMs } of files) {
      if (length === undefined && modifiedMs === undefined) continue;
      const fd = openSync(staged, length === undefined ? 'r+' : 'wx');
      try {
        const end = at + (length ?? 0);
        writeAllSync(fd, bytes.subarray(at, end));
        at = end;
        const problem = setTime(fd, modifiedMs);
        if (problem !== undefined) timeless.set(staged, problem);
      } finally {
        closeSync(fd);
      }
    }
  } catch (error) {
    throw cannotBeWritten(root, error);
  }
  return timeless;
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
