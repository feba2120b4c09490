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
import { RunningHashes } from '../../core/running-hashes.ts';
import type { FileDigest } from '../content-root.ts';
import { changedMeanwhile, noSuchFile, openError, rootNotThere } from '../file-errors.ts';
import { isPlainPath } from '../plain-path.ts';
import { identityOf } from './file-identity.ts';
import { versionTag } from './version-tag.ts';
import { isWithin, OPEN_FLAGS } from './within.ts';

export interface HashedRoot {
  readonly root: string;
  readonly hashes: readonly HashAlgorithm[];
}

const buffer = Buffer.allocUnsafe(1024 * 1024);

/**
 * Hashes a regular file of a folder with synchronous calls, which for small files cost a tenth of asynchronous ones:
 * for a thread of its own (hash.worker.ts). Keeps to the same rules as open-within.ts.
 * @throws TidemarkError as `ContentRoot.digest`
 */
export function hashFile({ root, hashes }: HashedRoot, path: string, mostBytes = -1): FileDigest {
  if (!isPlainPath(path)) throw noSuchFile(path);
  const realRoot = realRootOf(root);
  const file = openReal(realRoot, path);
  try {
    const before = fstatSync(file, { bigint: true });
    if (!before.isFile() || !isWithin(realRoot, placeOf(file, `${realRoot}/${path}`, before))) throw noSuchFile(path);
    // Not of a pool: the whole of it would be copied to the thread that asks.
    const bytes = before.size <= mostBytes ? Buffer.allocUnsafeSlow(Number(before.size)) : undefined;
    const read = hashAll(file, hashes, bytes);
    const after = fstatSync(file, { bigint: true });
    if (identityOf(after) !== identityOf(before)) throw changedMeanwhile(path);
    if (bytes !== undefined && read.length !== bytes.length) throw changedMeanwhile(path);
    const { size, mtimeNs } = after;
    return {
      length: Number(size),
      mtime: mtimeNs,
      hashes: read.hashes,
      tag: versionTag(after, realRoot),
      ...(bytes && { bytes }),
    };
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

function openReal(realRoot: string, path: string): number {
  try {
    const named = join(realRoot, path);
    const real = realpathSync.native(named);
    if (!isWithin(realRoot, real) || (real !== named && !isOnlyLink(named))) throw noSuchFile(path);
    if (!lstatSync(real).isFile()) throw noSuchFile(path);
    return openSync(real, OPEN_FLAGS);
  } catch (error) {
    throw openError(path, error);
  }
}

/** As in open-within.ts. */
function isOnlyLink(named: string): boolean {
  const folder = dirname(named);
  return realpathSync.native(folder) === folder && lstatSync(named).isSymbolicLink();
}

/** The real path of an open file; the empty path when it is not there any more, or was replaced. */
function placeOf(file: number, path: string, opened: BigIntStats): string {
  try {
    return realpathSync.native(readlinkSync(`/proc/self/fd/${file}`));
  } catch {
    const named = statSync(path, { bigint: true });
    return named.dev === opened.dev && named.ino === opened.ino ? realpathSync.native(path) : '';
  }
}

/** @param into gets the bytes, as far as it has room */
function hashAll(
  file: number,
  algorithms: readonly HashAlgorithm[],
  into?: Buffer,
): { hashes: Hashes; length: number } {
  const running = new RunningHashes(algorithms);
  let length = 0;
  for (let read = readSync(file, buffer); read > 0; read = readSync(file, buffer)) {
    running.update(buffer.subarray(0, read));
    if (into !== undefined) buffer.copy(into, length, 0, read);
    length += read;
  }
  return { hashes: running.digest(), length };
}
