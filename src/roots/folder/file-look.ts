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

/** A look at a file as a text, without the byte that no path has. */
export function textOfLook({ named, real, identity }: FileLook): string {
  return `${named}\0${real}\0${identity}`;
}

/**
 * Looks at many files: a letter for each, `1` when it is current. Asked and answered in one text, since between threads that takes a tenth
 * of the time that objects take.
 */
export function areCurrent(looks: string): string {
  const parts = looks.split('\0');
  let answers = '';
  for (let at = 0; at < parts.length; at += 3) {
    const look = { named: parts[at]!, real: parts[at + 1]!, identity: parts[at + 2]! };
    answers += isCurrent(look) ? '1' : '0';
  }
  return answers;
}

/** Whether the path still leads to this very file, unchanged. */
function isCurrent({ named, real, identity }: FileLook): boolean {
  try {
    return realpathSync.native(named) === real && identityOf(lstatSync(real, { bigint: true })) === identity;
  } catch {
    return false;
  }
}
