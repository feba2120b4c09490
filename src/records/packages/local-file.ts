import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { TidemarkError } from '../../core/errors.ts';
import { reasonOf } from '../../lib/system-error.ts';
import type { GivenFile } from './found-file.ts';

const CHUNK_BYTES = 256 * 1024;

/** Opens a file on a disk. @throws TidemarkError `invalid` when it cannot be read */
export async function openLocalFile(path: string, name: string): Promise<GivenFile & { readonly length: number }> {
  const stats = await stat(path).catch((error) => unreadable(name, error));
  if (!stats.isFile()) {
    throw new TidemarkError('invalid', `${name} is not a file: name the files in it, or pack it`, { file: name });
  }
  const length = stats.size;
  const read = async function* (start: number, end: number): AsyncGenerator<Buffer, void, undefined> {
    if (start >= end) return;
    try {
      yield* createReadStream(path, { start, end: end - 1, highWaterMark: CHUNK_BYTES });
    } catch (error) {
      unreadable(name, error);
    }
  };
  return {
    name,
    length,
    read: () => read(0, Number.POSITIVE_INFINITY),
    ranges: { length, read: (start, bytes) => read(start, start + bytes) },
  };
}

function unreadable(name: string, error: unknown): never {
  throw new TidemarkError('invalid', `${name} cannot be read: ${reasonOf(error)}`, { file: name }, error);
}
