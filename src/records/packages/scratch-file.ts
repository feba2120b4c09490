import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { TidemarkError } from '../../core/errors.ts';
import { unlinked } from '../../lib/files/unlinked.ts';
import { reasonOf } from '../../lib/system-error.ts';
import type { ByteRanges } from './found-file.ts';

const CHUNK_BYTES = 256 * 1024;

/** A copy of bytes that can be read by ranges until it is closed. */
export interface ScratchFile extends ByteRanges {
  close(): Promise<void>;
}

/** @throws TidemarkError `unavailable` when the folder has no room, or cannot be written to; what `chunks` throws */
export async function writeScratchFile(chunks: AsyncIterable<Uint8Array>, folder: string): Promise<ScratchFile> {
  const path = join(folder, `tidemark-${crypto.randomUUID()}.tmp`);
  const file = await open(path, 'wx+', 0o600).catch((error) => unavailable(folder, error));
  const isUnlinked = unlinked(path);
  const close = async () => {
    await file.close();
    if (!isUnlinked) await rm(path, { force: true });
  };
  let length = 0;
  try {
    for await (const chunk of chunks) {
      await file.writeFile(chunk).catch((error) => unavailable(folder, error));
      length += chunk.length;
    }
  } catch (error) {
    await close();
    throw error;
  }
  return {
    length,
    close,
    async *read(start, bytes) {
      for (let at = start; at < start + bytes; ) {
        const buffer = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, start + bytes - at));
        const { bytesRead } = await file.read(buffer, 0, buffer.length, at);
        if (bytesRead === 0) return;
        yield buffer.subarray(0, bytesRead);
        at += bytesRead;
      }
    },
  };
}

function unavailable(folder: string, error: unknown): never {
  const message = `the folder for scratch files, ${folder}, cannot be written to: ${reasonOf(error)}`;
  throw new TidemarkError('unavailable', message, { folder }, error);
}
