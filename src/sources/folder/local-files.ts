import { closeSync, fstatSync, lstatSync, openSync, readSync, realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import { isLocal, isLocalPath } from '../../lib/files/file-systems.ts';
import type { RootFile } from '../content-root.ts';
import { descriptor } from './descriptor.ts';
import { isSameVersion } from './file-identity.ts';
import { FolderFile } from './folder-file.ts';
import { openNamed } from './open-named.ts';
import { ReadFile } from './read-within.ts';
import { OPEN_FLAGS } from './within.ts';

/**
 * Bytes. Reading this much from a local disk takes less time than a call of another thread: such files are read when
 * they are opened.
 */
const SMALL = 65_536;
const MOST_FOLDERS = 10_000;

/**
 * Opens files, and reads small ones, with a few synchronous calls, which together take a fifth of the time of
 * asynchronous ones. Used only in folders that are known to be on a local disk: a file system on a network, or of an
 * unknown type, must not block the event loop.
 */
export class LocalFiles {
  readonly #root: string;
  readonly #blocks: boolean;
  /** Real paths. */
  readonly #localFolders = new Set<string>();

  /**
   * @param root the configured path
   * @param blocks whether the thread may be blocked, so that every folder is allowed
   */
  constructor(root: string, blocks = false) {
    this.#root = root;
    this.#blocks = blocks;
  }

  /**
   * Whether any folder is known whose files can be opened in this way; then the root itself is on a local disk, too.
   */
  get areKnown(): boolean {
    return this.#blocks || this.#localFolders.size > 0;
  }

  /** Remembers the folder of an open file when it is on a local disk. @param real the real path of the file */
  learn(device: bigint, real: string): void {
    const folder = dirname(real);
    if (this.#localFolders.has(folder) || !isLocal(device, real) || !isLocalPath(this.#root)) return;
    if (this.#localFolders.size >= MOST_FOLDERS) this.#localFolders.clear();
    this.#localFolders.add(folder);
  }

  /** The real path of the root; undefined when it cannot be resolved. */
  realRoot(): string | undefined {
    try {
      return realpathSync.native(this.#root);
    } catch {
      return undefined;
    }
  }

  /**
   * The file at a plain path, with its bytes when it is small. Undefined for any deviation (a link, an unknown folder,
   * an error): open-within.ts then finds the cause.
   */
  open(realRoot: string, path: string): RootFile | undefined {
    const named = `${realRoot}/${path}`;
    if (!this.#blocks && !this.#localFolders.has(dirname(named))) return undefined;
    const opened = openNamed(named);
    if (opened === undefined) return undefined;
    const { file, found } = opened;
    // Another file system was mounted there meanwhile.
    if (!this.#blocks && !isLocal(found.dev, named)) this.#localFolders.clear();
    let isHandedOver = false;
    try {
      const isSmall = found.size <= SMALL;
      const bytes = isSmall ? readWhole(file, Number(found.size)) : undefined;
      // Checked last: so what was opened and read is what was found.
      if (!isSameVersion(fstatSync(file, { bigint: true }), found)) return undefined;
      if (isSmall) return bytes && new ReadFile(found, named, bytes);
      isHandedOver = true;
      return new FolderFile(descriptor(file), path, { stats: found, real: named });
    } catch {
      return undefined;
    } finally {
      if (!isHandedOver) closeSync(file);
    }
  }

  /**
   * Fills a buffer with the file at a plain path, as `FillFrom` says. It need not check where the open file is: its
   * bytes are not used unless they have the expected hash.
   */
  fill(realRoot: string, path: string, buffer: Uint8Array): boolean {
    const named = `${realRoot}/${path}`;
    try {
      // Checked before it is opened: opening a device may do something.
      const found = lstatSync(named, { throwIfNoEntry: false });
      return found?.isFile() === true && found.size === buffer.length && fillFrom(named, buffer);
    } catch {
      return false;
    }
  }
}

/** Undefined when the file has become shorter meanwhile. */
function readWhole(file: number, length: number): Buffer | undefined {
  const bytes = Buffer.allocUnsafe(length);
  return readSync(file, bytes, 0, length, 0) === length ? bytes : undefined;
}

function fillFrom(file: string, buffer: Uint8Array): boolean {
  const opened = openSync(file, OPEN_FLAGS);
  try {
    return readSync(opened, buffer, 0, buffer.length, 0) === buffer.length;
  } finally {
    closeSync(opened);
  }
}
