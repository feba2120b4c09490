import { type BigIntStats, closeSync, lstatSync, openSync, readlinkSync } from 'node:fs';
import { OPEN_FLAGS } from './within.ts';

export interface OpenedFile {
  /** The descriptor; the caller closes it. */
  readonly file: number;
  /** What was there just before it was opened: compare it with the open file when the bytes were read. */
  readonly found: BigIntStats;
}

/**
 * Opens a regular file with a few synchronous calls.
 * @param named the real path that the file has unless there is a link, or one is swapped in
 * @returns undefined for any deviation: a link, no such file, an error, a system without `/proc`
 */
export function openNamed(named: string): OpenedFile | undefined {
  let file: number | undefined;
  try {
    // Checked before it is opened: opening a device may do something.
    const found = lstatSync(named, { bigint: true, throwIfNoEntry: false });
    if (!found?.isFile()) return undefined;
    file = openSync(named, OPEN_FLAGS);
    // Where the open file is, according to the file itself.
    if (readlinkSync(`/proc/self/fd/${file}`) === named) return { file, found };
  } catch {
    // The caller finds the cause in another way.
  }
  if (file !== undefined) closeSync(file);
  return undefined;
}
