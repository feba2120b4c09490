import { closeSync, futimesSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { DiskSync } from '../../../lib/disk-sync.ts';
import { cannotBeWritten } from '../cannot-be-written.ts';
import { CheckedFolders, whyNot } from './checked-folders.ts';
import type { PublishedFile, RejectedPath, StagedFile } from './mirror-target.ts';

export interface PublishTask {
  readonly root: string;
  readonly files: readonly TaskFile[];
  /** Of the files that are not written yet, one after the other. */
  readonly bytes: Uint8Array;
}

interface TaskFile extends PublishedFile {
  /** How many of the bytes are those of the file; undefined when it is written already. */
  readonly length: number | undefined;
}

/**
 * Writes files under their temporary names, makes them durable, and gives them their paths. Synchronous calls: for many
 * small files they take a fraction of the time of promises.
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

/** Makes all files durable, or removes them: a disk that is full must not stay full of them. As `writeKept`. */
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

/** Returns the files that cannot have their times, with the reasons. @throws TidemarkError `unavailable` */
function writeKept(root: string, files: readonly TaskFile[], bytes: Uint8Array): ReadonlyMap<StagedFile, unknown> {
  const timeless = new Map<StagedFile, unknown>();
  let at = 0;
  try {
    for (const { staged, length, modifiedMs } of files) {
      if (length === undefined && modifiedMs === undefined) continue;
      const fd = openSync(staged, length === undefined ? 'r+' : 'wx');
      try {
        const end = at + (length ?? 0);
        while (at < end) at += writeSync(fd, bytes, at, end - at);
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

/** Returns why a file cannot have a time. */
function setTime(fd: number, modifiedMs: number | undefined): unknown {
  if (modifiedMs === undefined) return undefined;
  try {
    futimesSync(fd, Date.now() / 1000, modifiedMs / 1000);
    return undefined;
  } catch (error) {
    return error;
  }
}
