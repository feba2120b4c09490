import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import { TidemarkError } from '../core/errors.ts';
import { errorCode, reasonOf } from '../lib/system-error.ts';

export interface OutputFile {
  /** Waits while the disk is slow. */
  write(text: string | Uint8Array): Promise<void>;
  close(): Promise<void>;
}

/**
 * Opens a file for text. Opening it, writing and closing throw TidemarkError `invalid` when it cannot be written.
 * @param flags `wx`: it must not exist
 */
export async function openOutputFile(path: string, flags: 'w' | 'wx'): Promise<OutputFile> {
  const fail = (error: unknown): never => {
    const reason = errorCode(error) === 'ENOENT' ? 'its folder does not exist' : reasonOf(error);
    throw new TidemarkError('invalid', `${path} cannot be written: ${reason}`, { path }, error);
  };
  const stream = createWriteStream(path, { flags });
  await once(stream, 'open').catch(fail);
  const done = finished(stream);
  // Writing to the file, or closing it, throws the error.
  done.catch(() => {});
  return {
    async write(text) {
      if (!stream.write(text)) await Promise.race([once(stream, 'drain'), done]).catch(fail);
    },
    async close() {
      stream.end();
      await done.catch(fail);
    },
  };
}
