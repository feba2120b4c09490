import mime from 'mime';
import type { ChangeEvent } from '../../core/change.ts';
import { entryWeight } from '../../core/entry-weight.ts';
import { isTidemarkError } from '../../core/errors.ts';
import { keyOfPath } from '../../core/key.ts';
import type { ResourceSet } from '../../core/resource-set.ts';
import type { ContentRoot, FileEntry, RootProblem } from '../content-root.ts';
import type { RememberedFile } from '../file-memory.ts';
import { lastmodOf } from './scan-judgement.ts';

export type HashedFile =
  | { readonly event: ChangeEvent; readonly remember: RememberedFile }
  /** It is gone, or is being written: the next scan decides. */
  | 'left'
  | RootProblem;

export interface HashInput {
  readonly set: ResourceSet;
  readonly root: ContentRoot;
  readonly file: FileEntry;
  readonly signal: AbortSignal | undefined;
}

const ANY_TYPE = 'application/octet-stream';

/** Reads a file and makes the event that tells its state. A file that changes meanwhile is read once more, and then left. */
export async function hashFile(input: HashInput): Promise<HashedFile> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await readFile(input);
    } catch (error) {
      // An error that names no path is not this file's: the root itself is gone.
      if (!isTidemarkError(error) || error.details.path === undefined) throw error;
      if (error.code === 'not-found' || (error.code === 'conflict' && attempt === 2)) return 'left';
      if (error.code === 'conflict') continue;
      return { path: input.file.path, problem: error.message };
    }
  }
}

async function readFile({ set, root, file: { path }, signal }: HashInput): Promise<HashedFile> {
  const key = keyOfPath(path);
  const now = Date.now();
  const { length, mtime, hashes, tag, mime: known } = await root.digest(path, signal);
  const lastmod = lastmodOf(mtime, now);
  const type = known ?? mime.getType(path) ?? ANY_TYPE;
  const state = { ...(lastmod !== undefined && { lastmod }), length, hashes, mime: type };
  return {
    event: { set: set.id, key, state, weight: entryWeight(set.urlPrefix, key, state) },
    remember: { key, length, mtime, tag, scanned: BigInt(now) * 1_000_000n },
  };
}
