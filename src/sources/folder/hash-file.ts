import {
  type BigIntStats,
  closeSync,
  fstatSync,
  lstatSync,
  openSync,
  readlinkSync,
  readSync,
  realpathSync,
  statSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { writeDraft } from '../../artifacts/drafts.ts';
import type { HashAlgorithm, Hashes } from '../../core/hash.ts';
import { RunningHashes } from '../../core/running-hashes.ts';
import type { FileDigest, WantedCopy } from '../content-root.ts';
import { changedMeanwhile, noSuchFile, openError, rootNotThere } from '../file-errors.ts';
import { isPlainPath } from '../plain-path.ts';
import { identityOf } from './file-identity.ts';
import { versionTag } from './version-tag.ts';
import { type FoundFile, isOwn, OPEN_FLAGS } from './within.ts';

export interface HashedRoot {
  readonly root: string;
  readonly hashes: readonly HashAlgorithm[];
}

const buffer = Buffer.allocUnsafe(1024 * 1024);

/**
 * Hashes a regular file of a folder with synchronous calls, which cost a tenth of asynchronous ones for small files:
 * for a dedicated thread (hash.worker.ts). Follows the same rules as open-within.ts.
 * @throws TidemarkError as `ContentRoot.digest`
 */
export function hashFile({ root, hashes }: HashedRoot, path: string, copied?: WantedCopy): FileDigest {
  if (!isPlainPath(path)) throw noSuchFile(path);
  const realRoot = realRootOf(root);
  const { real, file } = openReal(realRoot, path);
  try {
    const before = fstatSync(file, { bigint: true });
    // As in open-within.ts: a file that was moved since the check may be in an excluded folder now.
    if (!before.isFile() || placeOf(file, real, before) !== real) throw noSuchFile(path);
    const read = hashAll(file, hashes);
    const after = fstatSync(file, { bigint: true });
    if (identityOf(after) !== identityOf(before)) throw changedMeanwhile(path);
    const { size, mtimeNs } = after;
    const length = Number(size);
    const digest = { length, mtime: mtimeNs, hashes: read.hashes, tag: versionTag(after, realRoot) };
    if (copied === undefined || length > copied.mostBytes) return digest;
    if (read.length !== length) throw changedMeanwhile(path);
    return { ...digest, ...copy(buffer.subarray(0, length), copied) };
  } catch (error) {
    throw openError(path, error);
  } finally {
    closeSync(file);
  }
}

function realRootOf(root: string): string {
  try {
    return realpathSync.native(root);
  } catch (error) {
    throw rootNotThere(root, error);
  }
}

function openReal(realRoot: string, path: string): { real: string; file: number } {
  try {
    const named = join(realRoot, path);
    const real = realpathSync.native(named);
    const link = real === named ? undefined : linkOf(named);
    if (!isOwn({ root: realRoot, named, real, link })) throw noSuchFile(path);
    if (!lstatSync(real).isFile()) throw noSuchFile(path);
    return { real, file: openSync(real, OPEN_FLAGS) };
  } catch (error) {
    throw openError(path, error);
  }
}

function linkOf(named: string): FoundFile['link'] {
  return { folder: realpathSync.native(dirname(named)), isLink: lstatSync(named).isSymbolicLink() };
}

/** The real path of an open file; empty when the file was deleted or replaced. */
function placeOf(file: number, path: string, opened: BigIntStats): string {
  try {
    return realpathSync.native(readlinkSync(`/proc/self/fd/${file}`));
  } catch {
    const named = statSync(path, { bigint: true });
    return named.dev === opened.dev && named.ino === opened.ino ? realpathSync.native(path) : '';
  }
}

/** Hashes all bytes. Those of a file that is smaller than the buffer stay in the buffer. */
function hashAll(file: number, algorithms: readonly HashAlgorithm[]): { hashes: Hashes; length: number } {
  const running = new RunningHashes(algorithms);
  let length = 0;
  for (;;) {
    const filled = fill(file);
    running.update(buffer.subarray(0, filled));
    length += filled;
    if (filled < buffer.length) return { hashes: running.digest(), length };
  }
}

/** Fills the buffer, as far as the file has bytes. */
function fill(file: number): number {
  let filled = 0;
  while (filled < buffer.length) {
    const read = readSync(file, buffer, filled, buffer.length - filled, null);
    if (read === 0) break;
    filled += read;
  }
  return filled;
}

function copy(bytes: Buffer, { draft }: WantedCopy): Pick<FileDigest, 'bytes' | 'isDrafted'> {
  // Not from a pool: the whole pool would be copied to the calling thread.
  if (draft === undefined) return { bytes: new Uint8Array(bytes) };
  writeDraft(draft, bytes);
  return { isDrafted: true };
}
