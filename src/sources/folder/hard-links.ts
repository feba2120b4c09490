import { lstatSync, readdirSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';

/** Milliseconds for which changed files are gathered before they are examined. */
const GATHER_MS = 500;
/** Files and folders that are searched before the next events are handled. */
const SLICE = 500;
/** Most files whose names are remembered. */
const MOST_KNOWN = 10_000;
/**
 * The next search waits for this many times the duration of the last one: a file may get and lose names all the time.
 */
const PAUSES = 20;

interface SearchedRoot {
  readonly root: string;
  /** The folders in which a file may have another name. They may change during a search. */
  folders(): Iterable<string>;
  changed(path: string): void;
}

interface SharedFile {
  readonly id: string;
  /** The number of its names, also outside of the root. */
  readonly count: number;
}

interface NamedFile {
  readonly count: number;
  /** Those in the root that are known. */
  readonly names: Set<string>;
}

/**
 * Reports a changed file for its other names too (hard links): the system reports only the name by which it was
 * changed. Names are not known from the start, since that would take a call for each file of the root. All folders are
 * searched when a changed file has names that were not searched yet.
 */
export class HardLinks {
  readonly #searched: SearchedRoot;
  /** The files that were searched, or are. */
  readonly #known = new Map<string, NamedFile>();
  #changed = new Set<string>();
  /** The number of names of the files to search for. */
  #wanted = new Map<string, number>();
  #examining: NodeJS.Timeout | undefined;
  #searching: NodeJS.Timeout | undefined;
  #nextSearch = 0;
  #isClosed = false;

  constructor(searched: SearchedRoot) {
    this.#searched = searched;
  }

  add(path: string): void {
    this.#changed.add(path);
    this.#examining ??= setTimeout(() => this.#examine(), GATHER_MS);
  }

  /** Call this for a file that was created or moved: it may have another name, but as many as before. */
  forget(file: Stats): void {
    this.#known.delete(idOf(file));
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#examining);
    clearTimeout(this.#searching);
  }

  #examine(): void {
    const changed = this.#changed;
    this.#changed = new Set();
    this.#examining = undefined;
    const files = new Map<string, NamedFile>();
    for (const path of changed) {
      const shared = this.#shared(path);
      if (shared === undefined) continue;
      const { id, count } = shared;
      const file = files.get(id) ?? { count, names: this.#knownNames(id, changed) };
      files.set(id, file);
      file.names.add(path);
    }
    for (const [id, file] of files) {
      if (file.names.size >= file.count || this.#wasSearched(id, file)) this.#wanted.delete(id);
      else this.#wanted.set(id, file.count);
    }
    this.#planSearch();
  }

  /** Reports the known names that have not changed themselves, and returns them. */
  #knownNames(id: string, changed: ReadonlySet<string>): Set<string> {
    const known = [...(this.#known.get(id)?.names ?? [])];
    const names = known.filter((path) => !changed.has(path) && this.#shared(path)?.id === id);
    for (const path of names) this.#searched.changed(path);
    return new Set(names);
  }

  /** Whether no name was added or removed since. A name in a folder that was moved into the root is added here. */
  #wasSearched(id: string, { count, names }: NamedFile): boolean {
    const known = this.#known.get(id);
    if (known?.count !== count || !known.names.isSubsetOf(names)) return false;
    for (const path of names) known.names.add(path);
    return true;
  }

  #planSearch(): void {
    if (this.#wanted.size === 0) return;
    this.#searching ??= setTimeout(() => this.#search(), Math.max(0, this.#nextSearch - performance.now()));
  }

  async #search(): Promise<void> {
    const begin = performance.now();
    const files = new Map([...this.#wanted].map(([id, count]) => [id, { count, names: new Set<string>() }]));
    this.#wanted = new Map();
    for (const [id, file] of files) this.#remember(id, file);
    let searched = 0;
    for (const path of this.#paths()) {
      searched += 1;
      if (searched % SLICE === 0) await setImmediate();
      if (this.#isClosed) return;
      const shared = this.#shared(path);
      const names = shared && files.get(shared.id)?.names.add(path);
      if (shared === undefined || names === undefined) continue;
      this.#searched.changed(path);
      if (names.size >= shared.count) files.delete(shared.id);
      if (files.size === 0) break;
    }
    this.#searching = undefined;
    this.#nextSearch = performance.now() + (performance.now() - begin) * PAUSES;
    this.#planSearch();
  }

  #remember(id: string, file: NamedFile): void {
    this.#known.delete(id);
    this.#known.set(id, file);
    if (this.#known.size > MOST_KNOWN) this.#known.delete(this.#known.keys().next().value!);
  }

  /** The folders too: a slice may consist of empty ones. */
  *#paths(): Generator<string> {
    for (const folder of this.#searched.folders()) {
      yield folder;
      for (const name of namesIn(join(this.#searched.root, folder))) yield folder === '' ? name : `${folder}/${name}`;
    }
  }

  /** Undefined for a file with one name, and for anything else. */
  #shared(path: string): SharedFile | undefined {
    try {
      const stats = lstatSync(`${this.#searched.root}/${path}`, { throwIfNoEntry: false });
      return stats?.isFile() && stats.nlink > 1 ? { id: idOf(stats), count: stats.nlink } : undefined;
    } catch {
      return undefined;
    }
  }
}

function idOf({ dev, ino }: Stats): string {
  return `${dev} ${ino}`;
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
