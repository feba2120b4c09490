import { workerData } from 'node:worker_threads';
import { type SentError, sendError, serveCalls } from '../../lib/workers/rpc.ts';
import type { FileDigest } from '../content-root.ts';
import { CopyPacker } from './copy-packer.ts';
import { type FileToHash, type HashedRoot, hashFile, realRootOf } from './hash-file.ts';

/** As it was configured: its path may contain links. */
const { root, hashes } = workerData as HashedRoot;

const functions = {
  /** The files of a call are those of the same root, also when a link in its path is changed meanwhile. */
  hash(files: readonly FileToHash[]) {
    const real = { root: realRootOf(root), hashes };
    const packer = new CopyPacker();
    const results = files.map((file): HashedFile => {
      try {
        return hashFile(real, file, packer);
      } catch (error) {
        return { error: sendError(error) };
      }
    });
    try {
      packer.write();
    } catch (error) {
      return results.map((result) => ('packed' in result ? { error: sendError(error) } : result));
    }
    return results;
  },
};

type HashedFile = FileDigest | { readonly error: SentError };

export type HashFunctions = typeof functions;

serveCalls(functions);
