import { lstatSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { errorCode, reasonOf } from '../../../lib/system-error.ts';

/** Folders below the root that are known to be folders, and no links to other places. */
export class CheckedFolders {
  /** Those that have a new entry, absolute. */
  readonly #changed = new Set<string>();
  readonly #root: string;
  readonly #known = new Set<string>(['.']);

  constructor(root: string) {
    this.#root = root;
  }

  get changed(): readonly string[] {
    return [...this.#changed];
  }

  /** Makes a folder, which then has a new entry. @throws when a link or a file is in its place */
  make(folder: string): void {
    if (!this.#known.has(folder)) {
      const path = join(this.#root, folder);
      if (!this.has(folder)) {
        this.make(dirname(folder));
        this.#makeOne(path, folder);
      }
    }
    this.#changed.add(join(this.#root, folder));
  }

  #makeOne(path: string, folder: string): void {
    try {
      mkdirSync(path);
      this.#known.add(folder);
    } catch (error) {
      // Another thread has made it meanwhile.
      if (errorCode(error) !== 'EEXIST' || !this.has(folder)) throw error;
    }
  }

  /** @throws when a link or a file is in its place */
  has(folder: string): boolean {
    if (this.#known.has(folder)) return true;
    if (!this.has(dirname(folder))) return false;
    const found = lstatSync(join(this.#root, folder), { throwIfNoEntry: false });
    if (found === undefined) return false;
    if (!found.isDirectory()) throw new NoFolder(folder, found.isSymbolicLink());
    this.#known.add(folder);
    return true;
  }
}

class NoFolder extends Error {
  constructor(folder: string, isLink: boolean) {
    super(`${folder} is ${isLink ? 'a symbolic link' : 'a file'}, where the copy needs a folder: remove it`);
  }
}

/** Why a file cannot have its path, in words for a person. */
export function whyNot(error: unknown): string {
  if (error instanceof NoFolder) return error.message;
  if (isFolderInTheWay(error)) return 'a folder that is not of the copy has its path: remove it';
  return `its file cannot be written: ${reasonOf(error)}`;
}

function isFolderInTheWay(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'EISDIR' || code === 'ENOTEMPTY' || code === 'EEXIST';
}
