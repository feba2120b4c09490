import { workerData } from 'node:worker_threads';
import { type SentError, sendError, serveCalls } from '../../lib/workers/rpc.ts';
import type { FileDigest } from '../content-root.ts';
import { type FileToHash, type HashedRoot, hashFile, realRootOf } from './hash-file.ts';

/** As it was configured: its path may contain links. */
const { root, hashes } = workerData as HashedRoot;

const functions = {
  /** The files of a call are those of the same root, also when a link in its path is changed meanwhile. */
  hash(files: readonly FileToHash[]) {
    const real = { root: realRootOf(root), hashes };
    return files.map((file): FileDigest | { readonly error: SentError } => {
      try {
        return hashFile(real, file);
      } catch (error) {
        return { error: sendError(error) };
      }
    });
  },
};
export type HashFunctions = typeof functions;

serveCalls(functions);
