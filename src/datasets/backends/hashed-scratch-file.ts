import { cutIntoBlocks } from '../../artifacts/blocks.ts';
import { BlockHasher } from '../../artifacts/hashing/block-hasher.ts';
import type { Hashes } from '../../core/hash.ts';
import { openScratchFile, type ScratchFile } from '../../records/packages/scratch-file.ts';

/** Bytes that are written and hashed at a time. */
const BLOCK_BYTES = 1024 * 1024;
const MOST_UNDER_WAY = 2;

/** A copy of a file that is being archived, with what was computed of it. */
export interface HashedScratchFile extends ScratchFile {
  readonly hashes: Required<Hashes>;
}

interface Writing {
  readonly folder: string;
  readonly signal: AbortSignal;
}

/**
 * Writes a scratch file, and hashes it meanwhile, in threads unless it is short. The caller closes it.
 * @throws TidemarkError `unavailable` when the folder has no room; the signal's reason; what `chunks` throws
 */
export async function writeHashedScratchFile(
  chunks: AsyncIterable<Uint8Array>,
  { folder, signal }: Writing,
): Promise<HashedScratchFile> {
  const draft = await openScratchFile(folder);
  const hasher = new BlockHasher();
  try {
    const length = await cutIntoBlocks(chunks, {
      size: BLOCK_BYTES,
      mostUnderWay: MOST_UNDER_WAY,
      signal,
      async take(block) {
        // Both have ended before the file is closed: its descriptor could be that of another file then.
        const ended = await Promise.allSettled([
          hasher.update(block),
          draft.write(block.bytes, block.at * BLOCK_BYTES),
        ]);
        for (const one of ended) if (one.status === 'rejected') throw one.reason;
      },
    });
    return { ...draft.written(length), hashes: (await hasher.digest()) as Required<Hashes> };
  } catch (error) {
    await draft.close();
    throw error;
  } finally {
    hasher.end();
  }
}

/** Hashes bytes that are stored already. */
export async function hashStored(
  chunks: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): Promise<{ readonly size: number; readonly hashes: Required<Hashes> }> {
  const hasher = new BlockHasher();
  try {
    const take = hasher.update.bind(hasher);
    const size = await cutIntoBlocks(chunks, { size: BLOCK_BYTES, mostUnderWay: MOST_UNDER_WAY, signal, take });
    return { size, hashes: (await hasher.digest()) as Required<Hashes> };
  } finally {
    hasher.end();
  }
}
