import { randomUUID } from 'node:crypto';
import { closeSync, openSync, readSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { TidemarkError } from '../../core/errors.ts';
import { makeFolder } from '../../lib/make-folder.ts';
import { reasonOf } from '../../lib/system-error.ts';
import { unlinked } from '../../lib/unlinked.ts';

/**
 * A temporary file without a name, where the system permits that: it goes when it is closed, and also when the process is killed. Other threads of the
 * process may read and write it by its number, until it is closed.
 */
export class ScratchFile {
  /** Its number. */
  readonly descriptor: number;
  readonly #path: string;
  #isNamed: boolean;

  /** @throws TidemarkError `unavailable` when nothing can be written into the folder */
  constructor(folder: string) {
    makeFolder(folder);
    this.#path = join(folder, `${randomUUID()}.sort`);
    this.descriptor = translated(() => openSync(this.#path, 'wx+'));
    this.#isNamed = !unlinked(this.#path);
  }

  close(): void {
    closeSync(this.descriptor);
    if (this.#isNamed) unlinked(this.#path);
    this.#isNamed = false;
  }
}

/** @throws TidemarkError `unavailable`, for one when the disk is full */
export function writeAt(descriptor: number, bytes: Uint8Array, position: number): void {
  for (let done = 0; done < bytes.length; ) {
    done += translated(() => writeSync(descriptor, bytes, done, bytes.length - done, position + done));
  }
}

/** Reads so many bytes; fewer only at the end of the file. @throws TidemarkError `unavailable` */
export function readAt(descriptor: number, bytes: Uint8Array, position: number): number {
  let done = 0;
  while (done < bytes.length) {
    const read = translated(() => readSync(descriptor, bytes, done, bytes.length - done, position + done));
    if (read === 0) break;
    done += read;
  }
  return done;
}

function translated<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    const message = `sorting on disk, in the folder "spool" of the data folder, failed: ${reasonOf(error)}`;
    throw new TidemarkError('unavailable', message, {}, error);
  }
}
