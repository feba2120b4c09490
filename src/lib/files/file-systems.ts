import { statfsSync } from 'node:fs';

/** Types of file systems that invent an inode number whenever a file is looked up: FUSE (sshfs, rclone), SMB, CIFS. */
const WITHOUT_INODES: ReadonlySet<number> = new Set([0x65735546, 0xfe534d42, 0xff534d42, 0x517b]);

/** ext2 to ext4, XFS, Btrfs, ZFS, F2FS, bcachefs, tmpfs, overlay (containers). */
const LOCAL: ReadonlySet<number> = new Set([
  0xef53, 0x58465342, 0x9123683e, 0x2fc12fc1, 0xf2f52010, 0xca451a4e, 0x01021994, 0x794c7630,
]);

/** Types of file systems, by device. */
const types = new Map<bigint, number>();

/** Whether inode numbers on a device are permanent. @param path a real path on it */
export function hasStableInodes(device: bigint, path: string): boolean {
  return !WITHOUT_INODES.has(typeOf(device, path));
}

/**
 * Whether a device is a disk or the memory of this machine: reading from it does not wait for a network.
 * @param path a real path on it
 */
export function isLocal(device: bigint, path: string): boolean {
  return LOCAL.has(typeOf(device, path));
}

/** Same as `isLocal`, for any path. @throws the error of the system */
export function isLocalPath(path: string): boolean {
  return LOCAL.has(statfsSync(path).type);
}

function typeOf(device: bigint, path: string): number {
  const known = types.get(device);
  if (known !== undefined) return known;
  const { type } = statfsSync(path);
  types.set(device, type);
  return type;
}
