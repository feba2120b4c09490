import { createHash } from 'node:crypto';
import mime from 'mime';
import type { ChangeEvent } from '../domain/change.ts';
import { entryWeight } from '../domain/entry-weight.ts';
import { isTidemarkError } from '../domain/errors.ts';
import { keyOfPath } from '../domain/key.ts';
import type { ResourceSet } from '../domain/resource-set.ts';
import type { ContentRoot, FileEntry, RootFile, RootProblem } from '../roots/content-root.ts';
import type { RememberedFile } from '../roots/file-memory.ts';
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
  /** Told how many more bytes are hashed. */
  readonly onBytes: (bytes: number) => void;
}

// One hash: sha-256 is what a Resource List publishes, and a known client fails on several (DESIGN: "Pages and documents").
const ALGORITHM = 'sha-256';
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

async function readFile({ set, root, file: { path }, signal, onBytes }: HashInput): Promise<HashedFile> {
  const key = keyOfPath(path);
  const now = Date.now();
  const file = await root.open(path);
  const digest = await digestOf(file, onBytes, signal);
  const lastmod = lastmodOf(file.mtime, now);
  const state = {
    ...(lastmod !== undefined && { lastmod }),
    length: file.length,
    hashes: { [ALGORITHM]: digest },
    mime: mime.getType(path) ?? ANY_TYPE,
  };
  return {
    event: { set: set.id, key, state, weight: entryWeight(set.urlPrefix, key, state) },
    remember: { key, length: file.length, mtime: file.mtime, scanned: BigInt(now) * 1_000_000n },
  };
}

async function digestOf(file: RootFile, onBytes: HashInput['onBytes'], signal?: AbortSignal): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of file.stream() as AsyncIterable<Buffer>) {
    signal?.throwIfAborted();
    hash.update(chunk);
    onBytes(chunk.length);
  }
  return hash.digest('hex');
}
