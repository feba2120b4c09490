import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { isLocalPath } from '../../lib/files/file-systems.ts';
import { writeAll } from '../../lib/files/write-all.ts';
import { errorCode } from '../../lib/system-error.ts';
import type { Block } from '../blocks.ts';

/** Bytes of each block but the last. */
export const FILE_BLOCK_BYTES = 1024 * 1024;
/** Number of blocks after which a sync begins, so that the last one need not write everything. */
const SYNC_EVERY = 16;

/**
 * A new file that is written in blocks. Where the file system and the memory of the blocks allow it, they pass by the
 * page cache (O_DIRECT): copying into it, and writing it to the disk later, takes several times as long.
 */
export class BlockFile {
  readonly #path: string;
  readonly #file: FileHandle;
  #direct: Promise<FileHandle | undefined> | undefined;
  /** Whether a direct write has been refused. */
  #isRefused = false;
  #syncing: Promise<void> | undefined;

  private constructor(path: string, file: FileHandle) {
    this.#path = path;
    this.#file = file;
  }

  static async create(path: string): Promise<BlockFile> {
    return new BlockFile(path, await open(path, 'wx'));
  }

  /** Blocks may be written at the same time. */
  async write({ bytes, at, isOnly }: Block): Promise<void> {
    const position = at * FILE_BLOCK_BYTES;
    const isWhole = bytes.length === FILE_BLOCK_BYTES && !isOnly;
    if (isWhole && (await this.#writeDirect(bytes, position))) return;
    await writeAll(this.#file.fd, bytes, position);
    if (at % SYNC_EVERY === SYNC_EVERY - 1) await this.#beginSync();
  }

  /** Makes all blocks durable. */
  async sync(): Promise<void> {
    await this.#syncing;
    await this.#file.sync();
  }

  async close(): Promise<void> {
    await this.#syncing?.catch(() => {});
    await (await this.#direct)?.close();
    await this.#file.close();
  }

  /** Returns whether the block was written. */
  async #writeDirect(bytes: Uint8Array, position: number): Promise<boolean> {
    this.#direct ??= openDirect(this.#path);
    const direct = await this.#direct;
    if (direct === undefined || this.#isRefused) return false;
    try {
      await writeAll(direct.fd, bytes, position);
      return true;
    } catch (error) {
      // The rules for addresses and lengths are those of the file system.
      if (errorCode(error) !== 'EINVAL') throw error;
      this.#isRefused = true;
      return false;
    }
  }

  async #beginSync(): Promise<void> {
    await this.#syncing;
    this.#syncing = this.#file.datasync();
    // The next caller that awaits it gets the error.
    this.#syncing.catch(() => {});
  }
}

/** Undefined where files cannot be written so, and on a network, where each write would wait for its server's disk. */
async function openDirect(path: string): Promise<FileHandle | undefined> {
  const { O_WRONLY, O_DIRECT } = constants;
  if (O_DIRECT === undefined) return undefined;
  try {
    return isLocalPath(path) ? await open(path, O_WRONLY | O_DIRECT) : undefined;
  } catch {
    return undefined;
  }
}
