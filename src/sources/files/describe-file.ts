import { isTidemarkError } from '../../core/errors.ts';
import { keyOfPath } from '../../core/key.ts';
import type { ResourceState } from '../../core/resource.ts';
import type { ContentRoot, FileEntry, RootProblem } from '../content-root.ts';
import { mediaTypeOf } from '../media-type-by-name.ts';
import type { RememberedFile } from './file-memory.ts';
import { lastmodOf } from './file-times.ts';
import type { VersionWriter } from './version-writer.ts';

type DescribedFile =
  | { readonly state: ResourceState; readonly remember: RememberedFile }
  /** The file was deleted, or is being written: the next sync decides. */
  | 'left'
  | RootProblem;

interface DescribeInput {
  readonly root: ContentRoot;
  readonly file: FileEntry;
  readonly signal: AbortSignal | undefined;
  /** The present state of its resource. */
  readonly known: ResourceState | undefined;
  /** Present for a set that keeps versions. */
  readonly versions?: VersionWriter | undefined;
}

/** Reads a file and describes it. A file that changes meanwhile is read once more, and then left for the next sync. */
export async function describeFile(input: DescribeInput): Promise<DescribedFile> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await readFile(input);
    } catch (error) {
      // An error without a path does not concern this file: the root itself no longer exists.
      if (!isTidemarkError(error) || error.details.path === undefined) throw error;
      if (error.code === 'not-found' || (error.code === 'conflict' && attempt === 2)) return 'left';
      if (error.code === 'conflict') continue;
      return { path: input.file.path, problem: error.message };
    }
  }
}

async function readFile({ root, file, signal, known, versions }: DescribeInput): Promise<DescribedFile> {
  const { path } = file;
  const key = keyOfPath(path);
  const now = Date.now();
  const digest = await root.digest(path, { signal, length: file.length, copied: versions?.wantedCopy(known) });
  const { length, mtime, hashes, tag, links } = digest;
  const kept = await versions?.keep(path, digest, known);
  const lastmod = lastmodOf(mtime, now);
  const mime = digest.mime ?? (await mediaTypeOf(path));
  const state = {
    ...(lastmod !== undefined && { lastmod }),
    ...{ length, hashes, mime },
    ...(links && { links }),
    ...(kept && { kept }),
  };
  return {
    state,
    remember: { key, length, mtime, tag, scanned: BigInt(now) * 1_000_000n, isKept: versions !== undefined },
  };
}
