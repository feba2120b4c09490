import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Milliseconds for which changed files are gathered before they are examined. */
const GATHER_MS = 500;
/**
 * The next search waits for this many times the duration of the last one: a file that has a name outside of the root
 * may be written all the time.
 */
const PAUSES = 20;

interface SearchedRoot {
  readonly root: string;
  /** The folders in which a file may have another name. */
  folders(): Iterable<string>;
  changed(path: string): void;
}

interface SharedFile {
  readonly id: string;
  /** The number of its names, also outside of the root. */
  readonly count: number;
}

/**
 * Reports a changed file for its other names too (hard links): the system reports only the name by which it was
 * changed. Names are not known from the start, since that would take a call for each file of the root. All folders are
 * searched when a changed file has names that no search has found yet.
 */
export class HardLinks {
  readonly #searched: SearchedRoot;
  /** The names of files, as the last search found them. */
  readonly #known = new Map<string, readonly string[]>();
  #changed = new Set<string>();
  /** The files to search for. */
  #wanted = new Set<string>();
  #examining: NodeJS.Timeout | undefined;
  #searching: NodeJS.Timeout | undefined;
  #nextSearch = 0;

  constructor(searched: SearchedRoot) {
    this.#searched = searched;
  }

  add(path: string): void {
    this.#changed.add(path);
    this.#examining ??= setTimeout(() => this.#examine(), GATHER_MS);
  }

  close(): void {
    clearTimeout(this.#examining);
    clearTimeout(this.#searching);
  }

  #examine(): void {
    const changed = this.#changed;
    this.#changed = new Set();
    this.#examining = undefined;
    const names = new Map<string, Set<string>>();
    for (const path of changed) {
      const file = this.#shared(path);
      if (file === undefined) continue;
      const found = names.get(file.id) ?? this.#knownNames(file, changed);
      names.set(file.id, found.add(path));
      if (found.size < file.count) this.#wanted.add(file.id);
      else this.#wanted.delete(file.id);
    }
    if (this.#wanted.size > 0) {
      this.#searching ??= setTimeout(() => this.#search(), Math.max(0, this.#nextSearch - performance.now()));
    }
  }

  /** Reports the known names that have not changed themselves, and returns them. */
  #knownNames({ id }: SharedFile, changed: ReadonlySet<string>): Set<string> {
    const known = this.#known.get(id) ?? [];
    const names = known.filter((path) => !changed.has(path) && this.#shared(path)?.id === id);
    for (const path of names) this.#searched.changed(path);
    return new Set(names);
  }

  #search(): void {
    const begin = performance.now();
    const found = new Map([...this.#wanted].map((id) => [id, [] as string[]]));
    for (const path of this.#paths()) {
      if (this.#wanted.size === 0) break;
      const file = this.#shared(path);
      const names = file && found.get(file.id);
      if (file === undefined || names === undefined) continue;
      this.#searched.changed(path);
      if (names.push(path) >= file.count) this.#wanted.delete(file.id);
    }
    for (const [id, names] of found) this.#known.set(id, names);
    this.#wanted = new Set();
    this.#searching = undefined;
    this.#nextSearch = performance.now() + (performance.now() - begin) * PAUSES;
  }

  *#paths(): Generator<string> {
    for (const folder of this.#searched.folders()) {
      for (const name of namesIn(join(this.#searched.root, folder))) yield folder === '' ? name : `${folder}/${name}`;
    }
  }

  /** Undefined for a file with one name, and for anything else. */
  #shared(path: string): SharedFile | undefined {
    try {
      const stats = lstatSync(`${this.#searched.root}/${path}`, { throwIfNoEntry: false });
      return stats?.isFile() && stats.nlink > 1 ? { id: `${stats.dev} ${stats.ino}`, count: stats.nlink } : undefined;
    } catch {
      return undefined;
    }
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
