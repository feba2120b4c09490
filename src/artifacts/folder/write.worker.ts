import { workerData } from 'node:worker_threads';
import { DiskSync } from '../../lib/files/disk-sync.ts';
import { serveCalls } from '../../lib/workers/rpc.ts';
import type { Draft, SmallObject } from '../artifact-store.ts';
import { folderError } from '../folder-errors.ts';
import { keepDrafts, writeSmallFiles } from './write-small-files.ts';

/** `workerData` is the root of the store. */
const root = workerData as string;
const disk = new DiskSync(root);

const functions = {
  writeAll: (folder: string, objects: readonly SmallObject[]) =>
    translated(writeSmallFiles({ root, disk, folder }, objects)),
  keepDrafts: (folder: string, drafts: readonly Draft[]) => translated(keepDrafts({ root, disk, folder }, drafts)),
};
export type WriteFunctions = typeof functions;

serveCalls(functions, () => disk.close());

async function translated(work: Promise<void>): Promise<void> {
  return work.catch((error: unknown) => {
    throw folderError(root, 'written', error);
  });
}
