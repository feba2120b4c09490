import { lstatSync, mkdirSync, renameSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { errorCode, reasonOf } from '../../../lib/system-error.ts';

/** Checks that folders below the root are folders, not links to other places, and remembers those that are. */
export class CheckedFolders {
  /** Absolute paths of folders that have a new entry. */
  readonly #changed = new Set<string>();
  readonly #root: string;
  readonly #known = new Set<string>(['.']);

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
    if (!this.#known.has(folder)) {
      const path = join(this.#root, folder);
      if (!this.has(folder)) {
        this.make(dirname(folder));
        this.#makeOne(path, folder);
      }
    }
    this.#changed.add(join(this.#root, folder));
  }

  /** Moves a folder to a path below the root. Returns false if that fails, such as when there is another one. */
  place(from: string, folder: string): boolean {
    try {
      this.make(dirname(folder));
      renameSync(from, join(this.#root, folder));
    } catch {
      return false;
    }
    this.#known.add(folder);
    this.#changed.add(join(this.#root, folder));
    return true;
  }

  #makeOne(path: string, folder: string): void {
    try {
      mkdirSync(path);
      this.#known.add(folder);
    } catch (error) {
      // Another thread has created it meanwhile.
      if (errorCode(error) !== 'EEXIST' || !this.has(folder)) throw error;
    }
  }

  /**
   * Whether the folder exists.
   * @throws when a link or a file has its path
   */
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
