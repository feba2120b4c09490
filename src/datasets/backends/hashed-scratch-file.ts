import { type Block, cutIntoBlocks } from '../../artifacts/blocks.ts';
import { BlockHasher } from '../../artifacts/hashing/block-hasher.ts';
import type { Hashes } from '../../core/hash.ts';
import { openScratchFile, type ScratchFile } from '../../records/packages/scratch-file.ts';

/** Bytes that are written and hashed at a time. */
const BLOCK_BYTES = 1024 * 1024;
const MOST_UNDER_WAY = 2;
/** Bytes of a file that is kept in memory. */
const SMALL_BYTES = 256 * 1024;
/** Bytes of all files that this process keeps in memory. */
const MOST_KEPT_BYTES = 32 * 1024 * 1024;
let keptBytes = 0;

/** A copy of a file that is being archived, with what was computed of it. */
export interface HashedScratchFile extends ScratchFile {
  readonly hashes: Required<Hashes>;
}

interface Writing {
  readonly folder: string;
  readonly signal: AbortSignal;
}

/**
 * Writes a scratch file, or keeps a small one in memory, and hashes it meanwhile, in threads unless it is short. The
 * caller closes it.
 * @throws TidemarkError `unavailable` when the folder has no room; the signal's reason; what `chunks` throws
 */
export async function writeHashedScratchFile(
  chunks: AsyncIterable<Uint8Array>,
  { folder, signal }: Writing,
): Promise<HashedScratchFile> {
  const hasher = new BlockHasher();
  let draft: ReturnType<typeof openScratchFile> | undefined;
  let kept: ScratchFile | undefined;
  const write = async ({ bytes, at, isOnly }: Block) => {
    kept = isOnly ? keep(bytes) : undefined;
    if (kept !== undefined) return;
    draft ??= openScratchFile(folder);
    await (await draft).write(bytes, at * BLOCK_BYTES);
  };
  try {
    const length = await cutIntoBlocks(chunks, {
      size: BLOCK_BYTES,
      mostUnderWay: MOST_UNDER_WAY,
      signal,
      async take(block) {
        // Both have ended before the file is closed: its descriptor could be that of another file then.
        const ended = await Promise.allSettled([hasher.update(block), write(block)]);
        for (const one of ended) if (one.status === 'rejected') throw one.reason;
      },
    });
    const hashes = (await hasher.digest()) as Required<Hashes>;
    return { ...(kept ?? (await draft!).written(length)), hashes };
  } catch (error) {
    await kept?.close();
    await draft?.then(
      ({ close }) => close(),
      () => {},
    );
    throw error;
  } finally {
    hasher.end();
  }
}

/** Undefined when it is large, or when others have taken the memory. */
function keep(block: Uint8Array): ScratchFile | undefined {
  const { length } = block;
  if (length > SMALL_BYTES || keptBytes + length > MOST_KEPT_BYTES) return undefined;
  const bytes = Buffer.from(block);
  keptBytes += length;
  let isClosed = false;
  return {
    length,
    async *read(start, count) {
      yield bytes.subarray(start, start + count);
    },
    async close() {
      if (!isClosed) keptBytes -= length;
      isClosed = true;
    },
  };
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
