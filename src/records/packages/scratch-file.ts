import { type FileHandle, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { TidemarkError } from '../../core/errors.ts';
import { unlinked } from '../../lib/files/unlinked.ts';
import { writeAll } from '../../lib/files/write-all.ts';
import { reasonOf } from '../../lib/system-error.ts';
import type { ByteRanges } from './found-file.ts';

const CHUNK_BYTES = 256 * 1024;

/** A copy of bytes that can be read by ranges until it is closed. */
export interface ScratchFile extends ByteRanges {
  close(): Promise<void>;
}

/** @throws TidemarkError `unavailable` when the folder has no room, or cannot be written to; what `chunks` throws */
export async function writeScratchFile(chunks: AsyncIterable<Uint8Array>, folder: string): Promise<ScratchFile> {
  const draft = await openScratchFile(folder);
  let length = 0;
  try {
    for await (const chunk of chunks) {
      await draft.write(chunk, length);
      length += chunk.length;
    }
  } catch (error) {
    await draft.close();
    throw error;
  }
  return draft.written(length);
}

/** A scratch file that is being written. The caller closes it, or what `written` returns. */
interface ScratchDraft {
  /** @param position of the first byte @throws TidemarkError `unavailable` */
  write(bytes: Uint8Array, position: number): Promise<void>;
  /** @param length in bytes of what was written */
  written(length: number): ScratchFile;
  close(): Promise<void>;
}

/** @throws TidemarkError `unavailable` when the folder cannot be written to */
export async function openScratchFile(folder: string): Promise<ScratchDraft> {
  const path = join(folder, `tidemark-${crypto.randomUUID()}.tmp`);
  const file = await open(path, 'wx+', 0o600).catch((error) => unavailable(folder, error));
  const isUnlinked = unlinked(path);
  const close = async () => {
    await file.close();
    if (!isUnlinked) await rm(path, { force: true });
  };
  return {
    close,
    write: (bytes, position) => writeAll(file.fd, bytes, position).catch((error) => unavailable(folder, error)),
    written: (length) => ({ length, close, read: (start, bytes) => readRange(file, start, start + bytes) }),
  };
}

async function* readRange(file: FileHandle, start: number, end: number): AsyncGenerator<Buffer, void, undefined> {
  for (let at = start; at < end; ) {
    const buffer = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, end - at));
    const { bytesRead } = await file.read(buffer, 0, buffer.length, at);
    if (bytesRead === 0) return;
    yield buffer.subarray(0, bytesRead);
    at += bytesRead;
  }
}

function unavailable(folder: string, error: unknown): never {
  const message = `the folder for scratch files, ${folder}, cannot be written to: ${reasonOf(error)}`;
  throw new TidemarkError('unavailable', message, { folder }, error);
}
