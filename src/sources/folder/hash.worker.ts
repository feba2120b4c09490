import type { HashAlgorithm } from '../../core/hash.ts';
import { internalFiles } from '../../lib/glob/exclusions.ts';
import { type SentError, sendError, serveCalls } from '../../lib/workers/rpc.ts';
import type { FileDigest } from '../content-root.ts';
import { CopyPacker } from './copy-packer.ts';
import { type FileToHash, hashFile, realRootOf } from './hash-file.ts';
import type { WalkedFolder } from './walk.ts';

export interface HashedFolder extends WalkedFolder {
  readonly hashes: readonly HashAlgorithm[];
}

const functions = {
  /**
   * The files of a call are those of the same root, also when a link in its path is changed meanwhile.
   * @param folder as it was configured: its path may contain links
   */
  hash({ root, hashes, patterns }: HashedFolder, files: readonly FileToHash[]) {
    const real = { root: realRootOf(root), hashes, isInternal: internalFiles(patterns) };
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
