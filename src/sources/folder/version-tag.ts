import type { BigIntStats } from 'node:fs';
import { hasStableInodes } from './file-systems.ts';

/**
 * Differs for any two versions of a file that have one length and mtime: ctime cannot be set by the writer of the file,
 * and a link that leads to another file has that one's inode. It differs also after `chmod`, for a further hard link,
 * and in a copy.
 * @param path a real path on the file system of the file
 */
export function versionTag({ dev, ino, ctimeNs }: BigIntStats, path: string): string {
  return hasStableInodes(dev, path) ? `${ctimeNs.toString(36)}-${ino.toString(36)}` : ctimeNs.toString(36);
}

/** Distinguishes versions of a file. @param real its real path */
export function fileTag(stats: BigIntStats, real: string): string {
  const { mtimeNs, size } = stats;
  return `${mtimeNs.toString(36)}-${size.toString(36)}-${versionTag(stats, real)}`;
}
