import { access, link, mkdir, open, rename, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { errorCode, isGone } from '../../lib/system-error.ts';
import type { ArtifactBody, ObjectKey, PutOptions, StoredObject } from '../artifact-store.ts';
import { ALIGNED_MEMORY, ALIGNED_SHARED_MEMORY } from '../block-memory.ts';
import { cutIntoBlocks } from '../blocks.ts';
import { folderError } from '../folder-errors.ts';
import { BlockHasher } from '../hashing/block-hasher.ts';
import { keyTaken } from '../store-errors.ts';
import { BlockFile, FILE_BLOCK_BYTES } from './block-file.ts';
import type { TemporaryFiles } from './temporary-files.ts';

/** Each `put` keeps so many blocks in memory, and one that is being filled. */
const MOST_UNDER_WAY = 2;

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
    await onDisk(removeIfThere(path));
  }
}

async function writeBlocks(path: string, { root, body, signal }: WriteTask, hasher: BlockHasher): Promise<number> {
  const file = await translated(root, BlockFile.create(path));
  try {
    const length = await cutIntoBlocks(body, {
      size: FILE_BLOCK_BYTES,
      mostUnderWay: MOST_UNDER_WAY,
      memory: hasher.usesThreads ? ALIGNED_SHARED_MEMORY : ALIGNED_MEMORY,
      signal,
      async take(block) {
        // Both have ended before the file is closed: its descriptor could be that of another file then.
        const ended = await Promise.allSettled([hasher.update(block), translated(root, file.write(block))]);
        for (const one of ended) if (one.status === 'rejected') throw one.reason;
      },
    });
    await translated(root, file.sync());
    return length;
  } finally {
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

async function removeIfThere(path: string): Promise<void> {
  try {
    await unlink(path);
  } catch (error) {
    if (!isGone(error)) throw error;
  }
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
