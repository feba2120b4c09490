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
import type { HashAlgorithm, Hashes } from '../../core/hash.ts';
import { hashesOf, RunningHashes } from '../../core/running-hashes.ts';
import { readBuffer } from '../../lib/bytes/read-buffer.ts';
import type { FileDigest, WantedCopy } from '../content-root.ts';
import { changedMeanwhile, noSuchFile, openError, rootNotThere } from '../file-errors.ts';
import { isPlainPath } from '../plain-path.ts';
import type { CopyPacker } from './copy-packer.ts';
import { isSameVersion } from './file-identity.ts';
import { type OpenedFile, openNamed } from './open-named.ts';
import { versionTag } from './version-tag.ts';
import { type FoundFile, type IsInternal, isOwn, OPEN_FLAGS } from './within.ts';

interface HashedRoot {
  /** Its real path. */
  readonly root: string;
  readonly hashes: readonly HashAlgorithm[];
  readonly isInternal: IsInternal;
}

export interface FileToHash {
  readonly path: string;
  readonly copied?: WantedCopy | undefined;
}

const buffer = readBuffer(1024 * 1024);

/**
 * Hashes a regular file of a folder with synchronous calls, which cost a tenth of asynchronous ones for small files:
 * for a dedicated thread (hash.worker.ts). Follows the same rules as open-within.ts.
 * @param packer gets the copies to pack
 * @throws TidemarkError as `ContentRoot.digest`
 */
export function hashFile(hashed: HashedRoot, { path, copied }: FileToHash, packer: CopyPacker): FileDigest {
  if (!isPlainPath(path)) throw noSuchFile(path);
  const { root, hashes } = hashed;
  const { file, found } = openNamed(`${root}/${path}`) ?? openReal(hashed, path);
  try {
    const length = Number(found.size);
    const read = hashAll(file, hashes, length);
    const after = fstatSync(file, { bigint: true });
    if (!isSameVersion(after, found) || read.length !== length) throw changedMeanwhile(path);
    const digest = { length, mtime: after.mtimeNs, hashes: read.hashes, tag: versionTag(after, root) };
    if (copied === undefined || length > copied.mostBytes) return digest;
    const bytes = buffer.subarray(0, length);
    const { packs, unpacked } = copied;
    // Not from a pool: the whole pool would be copied to the calling thread.
    const isAlone = packs === undefined || length === 0 || read.hashes['sha-256'] === unpacked;
    return {
      ...digest,
      ...(isAlone ? { bytes: new Uint8Array(bytes) } : { packed: packer.add(packs, digest, bytes) }),
    };
  } catch (error) {
    throw openError(path, error);
  } finally {
    closeSync(file);
  }
}

/** @throws TidemarkError `unavailable` when the root does not exist */
export function realRootOf(root: string): string {
  try {
    return realpathSync.native(root);
  } catch (error) {
    throw rootNotThere(root, error);
  }
}

/** Opens a file whose name may be a link, and finds out why one cannot be opened. */
function openReal({ root, isInternal }: HashedRoot, path: string): OpenedFile {
  let file: number | undefined;
  try {
    const named = join(root, path);
    const real = realpathSync.native(named);
    const link = real === named ? undefined : linkOf(named);
    if (!isOwn({ root, named, real, link, isInternal })) throw noSuchFile(path);
    if (!lstatSync(real).isFile()) throw noSuchFile(path);
    file = openSync(real, OPEN_FLAGS);
    const found = fstatSync(file, { bigint: true });
    // As in open-within.ts: a file that was moved since the check may be in an excluded folder now.
    if (found.isFile() && placeOf(file, real, found) === real) return { file, found };
    throw noSuchFile(path);
  } catch (error) {
    if (file !== undefined) closeSync(file);
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

/** Hashes the bytes of a file. Those of one that is not larger than the buffer stay in the buffer. */
function hashAll(
  file: number,
  algorithms: readonly HashAlgorithm[],
  length: number,
): { hashes: Hashes; length: number } {
  if (length <= buffer.length) {
    const bytes = fill(file, length);
    return { hashes: hashesOf(bytes, algorithms), length: bytes.length };
  }
  const running = new RunningHashes(algorithms);
  let done = 0;
  for (;;) {
    const bytes = fill(file, length - done);
    running.update(bytes);
    done += bytes.length;
    if (bytes.length < buffer.length) return { hashes: running.digest(), length: done };
  }
}

/** The next bytes of a file: as many as are wanted, unless the buffer is full or the file ends. */
function fill(file: number, wanted: number): Buffer {
  const most = Math.min(wanted, buffer.length);
  let filled = 0;
  while (filled < most) {
    const read = readSync(file, buffer, filled, most - filled, null);
    if (read === 0) break;
    filled += read;
  }
  return buffer.subarray(0, filled);
}
