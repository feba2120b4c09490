import { type FSWatcher, lstatSync, type Stats, statSync, watch } from 'node:fs';
import { join } from 'node:path';
import { TidemarkError } from '../../core/errors.ts';
import {
  type Exclusions,
  IGNORE_FILE,
  internalFiles,
  type RootPatterns,
  readExclusions,
} from '../../lib/glob/exclusions.ts';
import { errorCode, isGone, reasonOf } from '../../lib/system-error.ts';
import { LinkTargets } from './link-targets.ts';
import { readFolder } from './read-folder-names.ts';
import { fileTag } from './version-tag.ts';
import type { IsInternal } from './within.ts';

interface WatchedFolder {
  readonly path: string;
  /** Undefined when the folder cannot be watched (any more). */
  watcher: FSWatcher | undefined;
  readonly folders: Map<string, WatchedFolder>;
}

interface WatchListener {
  /** Called for each event of the system, before anything else. */
  event(): void;
  changed(path: string): void;
  problem(path: string, problem: string): void;
}

/**
 * Watches each folder separately: a recursive watch takes three times the memory, and misses files in new folders. For
 * a folder that is moved, only its own name is reported, in its old and its new parent folder.
 */
export class WatchTree {
  readonly #root: string;
  readonly #patterns: RootPatterns;
  readonly #listener: WatchListener;
  #links: LinkTargets;
  #excludes: Exclusions;
  readonly #isInternal: IsInternal;
  /** Tag of the `.tidemarkignore` that the exclusions were read from. */
  #ignoreTag = '';
  #top: WatchedFolder;
  readonly #toldLimits = new Set<string>();

  constructor(root: string, patterns: RootPatterns, listener: WatchListener) {
    this.#root = root;
    this.#patterns = patterns;
    this.#listener = listener;
    this.#links = new LinkTargets(root);
    this.#isInternal = internalFiles(patterns);
    this.#excludes = this.#readExclusions();
    this.#top = this.#add('');
  }

  close(): void {
    unwatch(this.#top);
  }

  /**
   * Starts anew when `.tidemarkignore` has changed. Call this about every second: no event reports a change of a file
   * outside of the root that it leads to.
   */
  checkExclusions(): void {
    if (ignoreTagOf(this.#root) !== this.#ignoreTag) this.startAnew();
  }

  /** Requests a new list of everything, and watches the current folders that are not hidden. */
  startAnew(): void {
    const former = this.#top;
    try {
      this.#excludes = this.#readExclusions();
      this.#links = new LinkTargets(this.#root);
      this.#top = this.#add('');
      unwatch(former);
    } catch {
      // The former watches stay. Listing reports the cause.
    }
    this.#listener.changed('');
  }

  #readExclusions(): Exclusions {
    // The tag first: a file that changes between the two calls is read again.
    this.#ignoreTag = ignoreTagOf(this.#root);
    return readExclusions(this.#root, this.#patterns);
  }

  /** Watches a folder before searching it for folders: a folder created meanwhile is found either way. */
  #add(path: string): WatchedFolder {
    const folder: WatchedFolder = { path, watcher: undefined, folders: new Map() };
    try {
      folder.watcher = watch(join(this.#root, path), (event, name) => this.#happened(folder, event, name));
      folder.watcher.on('error', () => folder.watcher?.close());
      for (const { name, dirent, problem } of readFolder(join(this.#root, path))) {
        const below = inFolder(path, name);
        if (dirent.isSymbolicLink()) this.#links.learn(below);
        if (!dirent.isDirectory() || problem !== undefined || this.#excludes(below, true)) continue;
        folder.folders.set(name, this.#add(below));
      }
    } catch (error) {
      if (path === '') unwatch(folder);
      this.#failed(path, error);
    }
    return folder;
  }

  #happened(folder: WatchedFolder, event: string, name: string | null): void {
    this.#listener.event();
    const path = inFolder(folder.path, name ?? '');
    const known = folder.folders.get(name ?? '');
    if (name === null) this.#listener.changed(folder.path);
    else if (path === IGNORE_FILE) this.startAnew();
    // By far the most frequent: a change of the bytes or attributes of a file. The other cases are renames, and changed
    // permissions of a folder.
    else if (event === 'change' && known === undefined) this.#report(path, false);
    else {
      if (known !== undefined) unwatch(known);
      folder.folders.delete(name);
      this.#inspect(folder, name);
      this.#report(path, true);
    }
  }

  #inspect(folder: WatchedFolder, name: string): void {
    const path = inFolder(folder.path, name);
    const stats = this.#lstat(path);
    if (stats?.isSymbolicLink()) this.#links.learn(path);
    if (stats?.isDirectory() && !this.#excludes(path, true)) folder.folders.set(name, this.#add(path));
  }

  #lstat(path: string): Stats | undefined {
    try {
      return lstatSync(join(this.#root, path), { throwIfNoEntry: false });
    } catch {
      // Listing reports the cause.
      return undefined;
    }
  }

  #report(path: string, below: boolean): void {
    const links = this.#links.of(path, below);
    if (links.has(IGNORE_FILE)) this.startAnew();
    if (!this.#excludes(path, false)) this.#listener.changed(path);
    // Nothing is published of these, and a scan changes the store itself.
    if (this.#isInternal(path) && !below) return;
    for (const link of links) this.#listener.changed(link);
  }

  #failed(path: string, error: unknown): void {
    const code = errorCode(error) ?? '';
    const limit = limitOf(code);
    const problem = `cannot be watched: ${limit ?? reasonOf(error)}`;
    if (path === '') throw new TidemarkError('unavailable', `the root ${this.#root} ${problem}`, {}, error);
    if (isGone(error) || (limit !== undefined && this.#toldLimits.has(code))) return;
    this.#toldLimits.add(code);
    this.#listener.problem(path, problem);
  }
}

/** Differs for different files that `.tidemarkignore` is or leads to; empty without one. */
function ignoreTagOf(root: string): string {
  const file = join(root, IGNORE_FILE);
  try {
    const stats = statSync(file, { bigint: true, throwIfNoEntry: false });
    return stats?.isFile() ? fileTag(stats, file) : '';
  } catch (error) {
    return errorCode(error) ?? 'unknown';
  }
}

function limitOf(code: string): string | undefined {
  if (code === 'ENOSPC') {
    return 'the system allows no more watches. Raise fs.inotify.max_user_watches, one for each folder, and start again';
  }
  if (code === 'EMFILE') {
    return 'the system allows no more watchers. Raise fs.inotify.max_user_instances and start again';
  }
  return undefined;
}

function inFolder(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`;
}

function unwatch(folder: WatchedFolder): void {
  folder.watcher?.close();
  for (const below of folder.folders.values()) unwatch(below);
}
