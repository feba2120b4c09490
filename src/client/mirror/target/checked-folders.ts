import { closeSync, constants, existsSync, lstatSync, mkdirSync, openSync, renameSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { errorCode, reasonOf } from '../../../lib/system-error.ts';

/** A folder that was opened. */
interface OpenedFolder {
  readonly name: string;
  readonly file: number;
  /** A path that leads to this folder, wherever its name leads by now. */
  readonly path: string;
}

/** Fails for a link. */
const FOLDER_FLAGS = constants.O_RDONLY | (constants.O_DIRECTORY ?? 0) | (constants.O_NOFOLLOW ?? 0);
const DESCRIPTORS = '/proc/self/fd';

/**
 * Folders below the root, never through a link: each is opened in the one above it, and paths are relative to its
 * descriptor. So a link that another program swaps in between check and use leads nowhere. A system without `/proc` has
 * only names.
 */
export class CheckedFolders {
  /** Absolute paths of folders that have a new entry. */
  readonly #changed = new Set<string>();
  readonly #root: string;
  readonly #hasDescriptors = existsSync(DESCRIPTORS);
  /** The root, and the folders on the way to the one that was used last: the next path is often in the same one. */
  #opened: OpenedFolder[] = [];

  constructor(root: string) {
    this.#root = root;
  }

  get changed(): readonly string[] {
    return [...this.#changed];
  }

  /**
   * Creates a folder.
   * @throws when a link or a file has its path
   */
  make(folder: string): void {
    if (!this.has(folder)) {
      this.make(dirname(folder));
      this.#makeOne(folder);
    }
    this.#changed.add(join(this.#root, folder));
  }

  /**
   * Moves a file or folder to a path below the root, whose folder is created.
   * @throws when that fails
   */
  move(from: string, path: string): void {
    try {
      this.#moveOnce(from, path);
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw error;
      // Another thread may have put its folder in the place of an empty one that is open here.
      this.close();
      this.#moveOnce(from, path);
    }
  }

  /** Moves a folder to a path below the root. Returns false if that fails, such as when there is another one. */
  place(from: string, folder: string): boolean {
    try {
      this.move(from, folder);
    } catch {
      return false;
    }
    this.#changed.add(join(this.#root, folder));
    return true;
  }

  /**
   * Whether the folder exists.
   * @throws when a link or a file has its path
   */
  has(folder: string): boolean {
    const names = folder === '.' ? [] : folder.split('/');
    const [, ...below] = this.#opened;
    const differs = below.findIndex(({ name }, at) => name !== names[at]);
    this.#closeFrom(differs < 0 ? names.length + 1 : differs + 1);
    if (this.#opened.length === 0) this.#open('', this.#root, constants.O_RDONLY);
    for (let at = this.#opened.length - 1; at < names.length; at++) {
      if (!this.#openNext(names[at]!, names.slice(0, at + 1).join('/'))) return false;
    }
    return true;
  }

  /** The path for the use of a file or folder at once. Its folder must exist: see `has` and `make`. */
  pathOf(path: string): string {
    const folder = dirname(path);
    if (!this.has(folder)) throw Object.assign(new Error(`there is no folder ${folder}`), { code: 'ENOENT' });
    return `${this.#opened.at(-1)!.path}/${basename(path)}`;
  }

  /** Closes the descriptors. Folders are checked again when they are used again. */
  close(): void {
    this.#closeFrom(0);
  }

  #moveOnce(from: string, path: string): void {
    this.make(dirname(path));
    renameSync(from, this.pathOf(path));
  }

  #makeOne(folder: string): void {
    try {
      mkdirSync(this.pathOf(folder));
    } catch (error) {
      // Another thread has created it meanwhile.
      if (errorCode(error) !== 'EEXIST' || !this.has(folder)) throw error;
    }
  }

  /** Opens a folder in the last one that is open. Returns false when there is none. */
  #openNext(name: string, folder: string): boolean {
    const path = `${this.#opened.at(-1)!.path}/${name}`;
    try {
      this.#open(name, path, FOLDER_FLAGS);
      return true;
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return false;
      const found = lstatSync(path, { throwIfNoEntry: false });
      if (found === undefined || found.isDirectory()) throw error;
      throw new NoFolder(folder, found.isSymbolicLink() ? 'a symbolic link' : 'a file');
    }
  }

  #open(name: string, path: string, flags: number): void {
    const file = openSync(path, flags);
    this.#opened.push({ name, file, path: this.#hasDescriptors ? `${DESCRIPTORS}/${file}` : path });
  }

  #closeFrom(at: number): void {
    for (const { file } of this.#opened.splice(at)) closeSync(file);
  }
}

class NoFolder extends Error {
  constructor(folder: string, found: 'a symbolic link' | 'a file') {
    super(`${folder} is ${found}, where the copy needs a folder: remove it`);
  }
}

/** Why a file cannot have its path. The text is for people. */
export function whyNot(error: unknown): string {
  if (error instanceof NoFolder) return error.message;
  if (isFolderInTheWay(error)) return 'a folder that is not of the copy has its path: remove it';
  return `its file cannot be written: ${reasonOf(error)}`;
}

function isFolderInTheWay(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'EISDIR' || code === 'ENOTEMPTY' || code === 'EEXIST';
}
