import { type BigIntStats, lstatSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import {
  type Exclusions,
  internalFiles,
  isHidden,
  type RootPatterns,
  readExclusions,
} from '../../lib/glob/exclusions.ts';
import { isGone, isLinkLoop, reasonOf } from '../../lib/system-error.ts';
import type { RootEntry, SkippedEntries } from '../content-root.ts';
import { rootNotThere } from '../file-errors.ts';
import { nameProblem } from '../name-problem.ts';
import { type FolderName, readFolder } from './read-folder-names.ts';
import { RootIdentity } from './root-identity.ts';
import { versionTag } from './version-tag.ts';
import { type IsInternal, leadsToShown } from './within.ts';

const BATCH = 500;

export interface WalkedFolder {
  readonly root: string;
  readonly patterns: RootPatterns;
}

export interface Walk extends WalkedFolder {
  /** A file or folder of the root; empty for the root itself. */
  readonly under: string;
}

export interface WalkBatch {
  readonly entries: readonly RootEntry[];
  /** Entries left out since the last batch. */
  readonly skipped: SkippedEntries;
}

/**
 * Lists files with synchronous calls, which cost a tenth of asynchronous ones: for a dedicated thread (walk.worker.ts).
 * Links to folders are not followed. A link to a file is listed as that file when its real path is in the root, and not
 * this program's own.
 */
export function* walk({ root, patterns, under }: Walk): Generator<WalkBatch> {
  const identity = new RootIdentity(root);
  const walker = new Walker(root, patterns);
  for (const _full of walker.list(under)) {
    identity.check();
    yield walker.take();
  }
  identity.check();
  yield walker.take();
}

class Walker {
  readonly #root: string;
  readonly #realRoot: string;
  readonly #excludes: Exclusions;
  readonly #isInternal: IsInternal;
  #batch: RootEntry[] = [];
  #skipped: SkippedEntries = { links: 0, special: 0 };

  constructor(root: string, patterns: RootPatterns) {
    this.#root = root;
    this.#realRoot = realpathSync.native(root);
    this.#excludes = readExclusions(root, patterns);
    this.#isInternal = internalFiles(patterns);
  }

  take(): WalkBatch {
    const batch = { entries: this.#batch, skipped: this.#skipped };
    this.#batch = [];
    this.#skipped = { links: 0, special: 0 };
    return batch;
  }

  /** Yields whenever a batch is full. */
  *list(under: string): Generator<void> {
    if (under === '') return yield* this.#folder('');
    if (isHidden(this.#excludes, under) || !this.#reaches(under)) return;
    const stats = this.#attempt(under, () => lstatSync(join(this.#root, under), { bigint: true }));
    if (stats === undefined) return this.#misnamed(under);
    if (this.#excludes(under, stats.isDirectory())) return;
    const problem = under
      .split('/')
      .map(nameProblem)
      .find((found) => found !== undefined);
    if (problem !== undefined) this.#batch.push({ path: under, problem });
    else if (stats.isDirectory()) yield* this.#folder(under);
    else if (stats.isSymbolicLink()) this.#link(under);
    else if (stats.isFile()) this.#file(under, stats);
    else this.#skip('special');
    const { links, special } = this.#skipped;
    if (!stats.isDirectory() && links + special > 0) this.#skipped = { links, special, path: under };
  }

  /** Reports a name that is not UTF-8, with U+FFFD in place of its bytes: no file has that name. */
  #misnamed(path: string): void {
    if (!path.includes('\ufffd') || this.#excludes(path, false)) return;
    const [folder, name] = [dirname(path), basename(path)];
    const found = this.#attempt(path, () => readFolder(join(this.#root, folder)))?.find((each) => each.name === name);
    if (found?.problem !== undefined) this.#batch.push({ path, problem: found.problem });
  }

  #skip(kind: 'links' | 'special'): void {
    this.#skipped = { ...this.#skipped, [kind]: this.#skipped[kind] + 1 };
  }

  /** Whether every folder above a path is a folder and no link: nothing below a link is listed. */
  #reaches(path: string): boolean {
    for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1)) {
      const stats = this.#attempt(path, () => lstatSync(join(this.#root, path.slice(0, at)), { bigint: true }));
      if (!stats?.isDirectory()) return false;
    }
    return true;
  }

  *#folder(path: string): Generator<void> {
    for (const found of this.#read(path)) {
      const below = path === '' ? found.name : `${path}/${found.name}`;
      const isFolder = found.dirent.isDirectory();
      if (this.#excludes(below, isFolder)) continue;
      if (found.problem !== undefined) this.#batch.push({ path: below, problem: found.problem });
      else if (isFolder) yield* this.#folder(below);
      else this.#entry(below, found);
      if (this.#batch.length >= BATCH) yield;
    }
  }

  #read(path: string): readonly FolderName[] {
    if (path !== '') return this.#attempt(path, () => readFolder(join(this.#root, path))) ?? [];
    try {
      return readFolder(this.#root);
    } catch (error) {
      throw rootNotThere(this.#root, error);
    }
  }

  #entry(path: string, { dirent }: FolderName): void {
    if (dirent.isSymbolicLink()) this.#link(path);
    else if (!dirent.isFile()) this.#skip('special');
    if (!dirent.isFile()) return;
    const stats = this.#attempt(path, () => lstatSync(`${this.#root}/${path}`, { bigint: true }));
    if (stats?.isFile()) this.#file(path, stats);
  }

  #link(path: string): void {
    const full = join(this.#root, path);
    const stats = this.#attempt(path, () => {
      const real = realpathSync.native(full);
      return leadsToShown(this.#realRoot, real, this.#isInternal) ? statSync(real, { bigint: true }) : undefined;
    });
    if (stats?.isFile()) this.#file(path, stats);
    else this.#skip('links');
  }

  #file(path: string, stats: BigIntStats): void {
    const { size, mtimeNs, ctimeNs } = stats;
    const tag = versionTag(stats, this.#realRoot);
    this.#batch.push({ path, length: Number(size), mtime: mtimeNs, tag, changed: ctimeNs });
  }

  /**
   * The result of a call. Undefined when the entry does not exist (any more); when that cannot be determined, a problem
   * is reported.
   */
  #attempt<Found>(path: string, call: () => Found): Found | undefined {
    try {
      return call();
    } catch (error) {
      if (!isGone(error) && !isLinkLoop(error))
        this.#batch.push({ path, problem: `cannot be read: ${reasonOf(error)}` });
      return undefined;
    }
  }
}
