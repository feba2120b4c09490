import { workerData } from 'node:worker_threads';
import { type SentError, sendError, serveCalls } from '../../lib/workers/rpc.ts';
import type { FileDigest } from '../content-root.ts';
import { type FileToHash, type HashedRoot, hashFile } from './hash-file.ts';

const root = workerData as HashedRoot;

const functions = {
  hash: (files: readonly FileToHash[]) =>
    files.map((file): FileDigest | { readonly error: SentError } => {
      try {
        return hashFile(root, file);
      } catch (error) {
        return { error: sendError(error) };
      }
    }),
};
export type HashFunctions = typeof functions;

serveCalls(functions);
