import { type BigIntStats, lstatSync, realpathSync } from 'node:fs';

/** What a file was when it was opened. */
export interface FileLook {
  /** Its path below the root as it is configured. */
  readonly named: string;
  /** Its real path. */
  readonly real: string;
  readonly identity: string;
}

/** Differs for any two files, and for two versions of one: ctime cannot be set by whoever writes the file. */
export function identityOf({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return `${dev} ${ino} ${size} ${mtimeNs} ${ctimeNs}`;
}

/** Whether the path still leads to this very file, unchanged. */
export function isCurrent({ named, real, identity }: FileLook): boolean {
  try {
    return realpathSync.native(named) === real && identityOf(lstatSync(real, { bigint: true })) === identity;
  } catch {
    return false;
  }
}
