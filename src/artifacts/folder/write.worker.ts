import { serveCalls } from '../../lib/workers/rpc.ts';
import { folderError } from '../folder-errors.ts';
import { type KeptDrafts, keepDrafts, type SmallWrites, writeSmallFiles } from './write-small-files.ts';

const functions = {
  writeAll: (writes: SmallWrites) => translated(writes.root, () => writeSmallFiles(writes)),
  keepDrafts: (drafts: KeptDrafts) => translated(drafts.root, () => keepDrafts(drafts)),
};
export type WriteFunctions = typeof functions;

serveCalls(functions);

function translated(root: string, work: () => void): void {
  try {
    work();
  } catch (error) {
    throw folderError(root, 'written', error);
  }
}
