import { type BigIntStats, statfsSync } from 'node:fs';

/** Types of file systems that make up the number of an inode when a file is looked up: FUSE (sshfs, rclone), SMB, CIFS. */
const WITHOUT_INODES: ReadonlySet<number> = new Set([0x65735546, 0xfe534d42, 0xff534d42, 0x517b]);

/** By device, whether numbers of inodes last. */
const stableInodes = new Map<bigint, boolean>();

/**
 * Differs for any two versions of a file that have one length and mtime: ctime cannot be set by whoever writes the file, and a link that
 * leads to another file has that one's inode. It differs also after `chmod`, for a further hard link, and in a copy.
 * @param path a real path on the file system of the file
 */
export function versionTag({ dev, ino, ctimeNs }: BigIntStats, path: string): string {
  return hasStableInodes(dev, path) ? `${ctimeNs.toString(36)}-${ino.toString(36)}` : ctimeNs.toString(36);
}

function hasStableInodes(dev: bigint, path: string): boolean {
  let isStable = stableInodes.get(dev);
  if (isStable === undefined) {
    isStable = !WITHOUT_INODES.has(statfsSync(path).type);
    stableInodes.set(dev, isStable);
  }
  return isStable;
}
