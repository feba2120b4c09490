import { serveCalls } from '../../lib/workers/rpc.ts';
import { folderError } from './folder-errors.ts';
import { type SmallWrites, writeSmallFiles } from './write-small-files.ts';

const functions = {
  writeAll(writes: SmallWrites): void {
    try {
      writeSmallFiles(writes);
    } catch (error) {
      throw folderError(writes.root, 'written', error);
    }
  },
};
export type WriteFunctions = typeof functions;

serveCalls(functions);
