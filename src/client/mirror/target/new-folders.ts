import { mkdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { CheckedFolders } from './checked-folders.ts';

/**
 * Folders that the copy does not have yet. They are filled under temporary names, and moved to their paths with all of
 * their files: one call in place of one for each file.
 */
export class NewFolders {
  readonly #checked: CheckedFolders;
  /** Temporary paths by the path of each folder in the copy; undefined for a folder that cannot be moved as a whole. */
  readonly #temporary = new Map<string, string | undefined>();
  readonly #moved = new Set<string>();

  constructor(checked: CheckedFolders) {
    this.#checked = checked;
  }

  /** Temporary paths of the folders that were not moved. */
  get left(): readonly string[] {
    return [...this.#temporary].flatMap(([folder, path]) =>
      path === undefined || this.#moved.has(folder) ? [] : [path],
    );
  }

  /**
   * The temporary path of a file in a new folder; undefined when its folder exists.
   * @param unused a path beside, for the folder
   */
  placeFor(path: string, unused: string): string | undefined {
    const folder = dirname(path);
    if (!this.#temporary.has(folder)) this.#temporary.set(folder, this.#isNew(folder) ? make(unused) : undefined);
    const temporary = this.#temporary.get(folder);
    return temporary === undefined ? undefined : join(temporary, basename(path));
  }

  /** Moves the folders to their paths, except those that another thread has created meanwhile. */
  move(): void {
    // A folder comes before those below it.
    for (const folder of [...this.#temporary.keys()].sort()) {
      const temporary = this.#temporary.get(folder);
      if (temporary !== undefined && this.#checked.place(temporary, folder)) this.#moved.add(folder);
    }
  }

  /** Whether a file has its path with its folder. */
  hasMoved(path: string): boolean {
    return this.#moved.has(dirname(path));
  }

  removeLeft(): void {
    for (const path of this.left) rmSync(path, { recursive: true, force: true });
  }

  #isNew(folder: string): boolean {
    try {
      return !this.#checked.has(folder);
    } catch {
      // Each of its files is rejected with the reason.
      return false;
    }
  }
}

function make(folder: string): string {
  mkdirSync(folder);
  return folder;
}
