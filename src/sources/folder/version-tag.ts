import type { BigIntStats } from 'node:fs';
import { hasStableInodes } from '../../lib/files/file-systems.ts';

/**
 * Differs for any two versions of a file with the same length and mtime: a program that writes a file cannot set its
 * ctime, and a link that leads to another file has the inode of that file. It also differs after `chmod`, after adding
 * a hard link, and in a copy.
 * @param path a real path on the file system of the file
 */
export function versionTag({ dev, ino, ctimeNs }: BigIntStats, path: string): string {
  return hasStableInodes(dev, path) ? `${ctimeNs.toString(36)}-${ino.toString(36)}` : ctimeNs.toString(36);
}

/** Differs for different versions of a file. @param real its real path */
export function fileTag(stats: BigIntStats, real: string): string {
  const { mtimeNs, size } = stats;
  return `${mtimeNs.toString(36)}-${size.toString(36)}-${versionTag(stats, real)}`;
}
