import { access, link, mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { errorCode } from '../../lib/system-error.ts';
import { writeAll } from '../../lib/files/write-all.ts';
import type { ArtifactBody, ObjectKey, PutOptions, StoredObject } from '../artifact-store.ts';
import { type Block, cutIntoBlocks } from '../blocks.ts';
import { folderError } from '../folder-errors.ts';
import { BlockHasher } from '../hashing/block-hasher.ts';
import { keyTaken } from '../store-errors.ts';
import type { TemporaryFiles } from './temporary-files.ts';

/** Number of blocks after which a sync begins, so that the final sync does not have to write everything. */
const SYNC_EVERY = 32;
/** Small blocks: the disk accepts them quickly, and each `put` keeps some in memory. */
const BLOCKS = { size: 512 * 1024, mostUnderWay: 2 };

interface WriteTask extends PutOptions {
  readonly root: string;
  readonly key: ObjectKey;
  readonly body: ArtifactBody;
  readonly temporary: TemporaryFiles;
}

/**
 * Writes a file under a temporary name, and publishes it once it is durable, with a hard link: that never replaces a
 * file.
 */
export async function writeFile(task: WriteTask): Promise<StoredObject> {
  const { root, key, temporary, signal, restores } = task;
  const target = join(root, key);
  const onDisk = <Result>(work: Promise<Result>): Promise<Result> => translated(root, work);
  // If the key exists, the body need not be read. Only the hard link decides whether it is still free.
  if (!restores && (await exists(target))) throw keyTaken(root, key);
  const path = await onDisk(temporary.newPath());
  const hasher = new BlockHasher(task.hashes);
  try {
    const length = await writeBlocks(path, task, hasher);
    const hashes = await hasher.digest();
    signal?.throwIfAborted();
    await onDisk(makeFolders(dirname(target)));
    await (restores ? rename : link)(path, target).catch((error: unknown) => {
      throw errorCode(error) === 'EEXIST' ? keyTaken(root, key) : folderError(root, 'written', error);
    });
    await onDisk(syncFolder(dirname(target)));
    return { key, length, hashes };
  } finally {
    hasher.end();
    await onDisk(rm(path, { force: true }));
  }
}

async function writeBlocks(path: string, { root, body, signal }: WriteTask, hasher: BlockHasher): Promise<number> {
  const file = await translated(root, open(path, 'wx'));
  let syncing: Promise<void> | undefined;
  const write = async ({ bytes, at }: Block): Promise<void> => {
    await writeAll(file.fd, bytes, at * BLOCKS.size);
    if (at % SYNC_EVERY !== SYNC_EVERY - 1) return;
    await syncing;
    syncing = file.datasync();
    // The next caller that awaits it gets the error.
    syncing.catch(() => {});
  };
  try {
    const length = await cutIntoBlocks(body, {
      ...BLOCKS,
      isShared: hasher.usesThreads,
      signal,
      take: (block) => Promise.all([hasher.update(block), translated(root, write(block))]),
    });
    await translated(root, Promise.resolve(syncing));
    await translated(root, file.sync());
    return length;
  } finally {
    await syncing?.catch(() => {});
    await file.close();
  }
}

/** Translates errors of the disk. Errors of the body are thrown unchanged. */
async function translated<Result>(root: string, work: Promise<Result>): Promise<Result> {
  return work.catch((error: unknown) => {
    throw folderError(root, 'written', error);
  });
}

/** Creates a folder and its parents, and makes each one durable in its parent. */
async function makeFolders(folder: string): Promise<void> {
  const made = await mkdir(folder, { recursive: true });
  if (made === undefined) return;
  for (let path = folder; path.length >= made.length; path = dirname(path)) await syncFolder(dirname(path));
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
