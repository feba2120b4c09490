import type { BigIntStats } from 'node:fs';

/** Differs for any two files, and for two versions of one: ctime cannot be set by a program that writes the file. */
export function identityOf({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return `${dev} ${ino} ${size} ${mtimeNs} ${ctimeNs}`;
}
