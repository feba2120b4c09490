import {
  createReadStream,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { opendir } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { TidemarkError } from '../../../core/errors.ts';
import { DiskSync } from '../../../lib/files/disk-sync.ts';
import { errorCode, isGone, reasonOf } from '../../../lib/system-error.ts';
import { ThreadPool } from '../../../lib/workers/pool.ts';
import { startWorker } from '../../../lib/workers/rpc.ts';
import { OWN_PREFIX } from '../names/safe-name.ts';
import { CheckedFolders, whyNot } from './checked-folders.ts';
import { KeptBytes, LocalFile } from './folder-copy-file.ts';
import type { MirrorTarget, PublishedFile, RejectedPath, UnfinishedFile } from './mirror-target.ts';
import type { PublishFunctions } from './publish.worker.ts';
import { publishFiles, syncCopy } from './publish-files.ts';

const MOST_STAGED_BYTES = 512 * 1024 * 1024;
const READS_AT_ONCE = 4;
const WRITES_AT_ONCE = 2;
/** The folder for kept deleted files. */
const KEPT = `${OWN_PREFIX}-deleted`;
/** More files than these are written by a thread, while the next ones are fetched. */
const FEW_FILES = 16;
const READ_BYTES = 256 * 1024;

/**
 * Whether a folder does not exist, or has only the mirror's own files.
 * @throws TidemarkError `invalid`
 */
export function isEmptyFolder(folder: string): boolean {
  try {
    return readdirSync(folder).every((name) => name.startsWith(OWN_PREFIX));
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return true;
    throw new TidemarkError('invalid', `${folder} cannot be used: ${reasonOf(error)}`, { folder }, error);
  }
}

/** A folder of a file system. Only one process may use it at a time. */
export class FolderTarget implements MirrorTarget {
  readonly name: string;
  readonly mostStagedBytes = MOST_STAGED_BYTES;
  readonly readsAtOnce = READS_AT_ONCE;
  readonly writesAtOnce = WRITES_AT_ONCE;
  readonly keepsNames: boolean;
  readonly #root: string;
  /** The folder for incomplete files, on the same file system. */
  readonly #temporary: string;
  readonly #kept = new KeptBytes();
  readonly #disk: DiskSync;
  /** While one thread waits for the disk, the other creates files. */
  readonly #writers = new ThreadPool<PublishFunctions>(WRITES_AT_ONCE, {
    work: 'writing files',
    start: () => startWorker('./publish.worker', import.meta.url, { workerData: this.#root }),
  });
  #count = 0;

  /** @param own a folder below the root for this target alone; files that an earlier process left there are deleted */
  constructor(root: string, own: string) {
    this.name = root;
    this.#root = root;
    this.#disk = new DiskSync(root);
    this.#temporary = join(own, 'unfinished');
    rmSync(this.#temporary, { recursive: true, force: true });
    mkdirSync(this.#temporary, { recursive: true });
    this.keepsNames = keepsNames(this.#temporary);
  }

  /** The lock of the copy is in the folder itself, so that no other mirror can take it over. */
  async requireOwned(): Promise<void> {}

  begin(): UnfinishedFile {
    this.#count += 1;
    return new LocalFile(`${this.#temporary}${sep}${this.#count}`, { root: this.#root, kept: this.#kept });
  }

  async publish(files: readonly PublishedFile[]): Promise<readonly RejectedPath[]> {
    const kept = files.map(({ staged }) => this.#kept.take(staged));
    const bytes = joined(kept.filter((bytes) => bytes !== undefined));
    const task = {
      root: this.#root,
      bytes,
      files: files.map((file, at) => ({ ...file, length: kept[at]?.length })),
    };
    return files.length > FEW_FILES
      ? this.#writers.call('publishFiles', [task], undefined, [bytes.buffer])
      : publishFiles(task, this.#disk);
  }

  async remove(paths: readonly string[], keep: boolean): Promise<readonly RejectedPath[]> {
    const checked = new CheckedFolders(this.#root);
    const aside = new CheckedFolders(this.#root);
    try {
      return await this.#remove(paths, checked, keep ? aside : undefined);
    } finally {
      checked.close();
      aside.close();
    }
  }

  /** @param aside for the folders of kept files; undefined to delete the files */
  async #remove(
    paths: readonly string[],
    checked: CheckedFolders,
    aside: CheckedFolders | undefined,
  ): Promise<readonly RejectedPath[]> {
    const rejected: RejectedPath[] = [];
    const folders = new Set<string>();
    for (const path of paths) {
      try {
        // A path through a link leads outside of the copy, and a folder is not the file of a resource.
        if (!checked.has(dirname(path)) || isFolder(checked.pathOf(path))) continue;
        if (aside !== undefined) this.#keep(path, checked, aside);
        else rmSync(checked.pathOf(path), { force: true });
        folders.add(dirname(path));
      } catch (error) {
        if (!isGone(error)) rejected.push({ path, reason: whyNot(error) });
      }
    }
    const left = [...folders].map((folder) => this.#removeEmpty(folder, checked));
    // A folder that was left because it was not empty may have been removed later, once another one below it was.
    const there = left.filter((folder) => existsSync(folder));
    await syncCopy(this.#disk, this.#root, [...new Set([...there, ...(aside?.changed ?? [])])]);
    return rejected;
  }

  lengthOf(path: string): number | undefined {
    try {
      const found = lstatSync(join(this.#root, path), { throwIfNoEntry: false });
      return found?.isFile() ? found.size : undefined;
    } catch (error) {
      // A file has the path of one of its folders: publishing reports it.
      if (isGone(error)) return undefined;
      throw this.#cannotBeRead(path, error);
    }
  }

  async *read(path: string): AsyncGenerator<Buffer> {
    try {
      yield* createReadStream(join(this.#root, path), { highWaterMark: READ_BYTES });
    } catch (error) {
      if (isGone(error)) throw new TidemarkError('not-found', `${path} does not exist`);
      throw this.#cannotBeRead(path, error);
    }
  }

  async *paths(folder = ''): AsyncGenerator<string> {
    const opened = await opendir(join(this.#root, folder)).catch((error: unknown) => {
      throw this.#cannotBeRead(folder, error);
    });
    for await (const entry of opened) {
      if (folder === '' && entry.name.startsWith(OWN_PREFIX)) continue;
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory()) yield* this.paths(path);
      else yield path;
    }
  }

  async close(): Promise<void> {
    await this.#writers.close();
    await this.#disk.close();
    rmSync(this.#temporary, { recursive: true, force: true });
  }

  #cannotBeRead(path: string, error: unknown): TidemarkError {
    const file = join(this.#root, path);
    return new TidemarkError('unavailable', `${file} cannot be read: ${reasonOf(error)}`, { file }, error);
  }

  /** Moves a deleted file to the folder of kept files. */
  #keep(path: string, checked: CheckedFolders, aside: CheckedFolders): void {
    if (lstatSync(checked.pathOf(path), { throwIfNoEntry: false }) === undefined) return;
    const kept = this.#freePlace(path);
    aside.make(dirname(kept));
    renameSync(checked.pathOf(path), aside.pathOf(kept));
  }

  /**
   * Finds a free path for a kept file: one of the same path may have been kept before, or a kept file may have the path
   * of a folder that is needed now.
   */
  #freePlace(path: string): string {
    const parts = path.split('/');
    let place = KEPT;
    for (const [at, part] of parts.entries()) {
      const isFree = (name: string) => {
        const found = lstatSync(join(this.#root, place, name), { throwIfNoEntry: false });
        return found === undefined || (at < parts.length - 1 && found.isDirectory());
      };
      let name = part;
      for (let number = 2; !isFree(name); number++) name = `${part}~${number}`;
      place = join(place, name);
    }
    return place;
  }

  /** Removes a folder and its parents while they are empty. Returns the first one that is not. */
  #removeEmpty(folder: string, checked: CheckedFolders): string {
    for (let at = folder; ; at = dirname(at)) {
      if (at === '.') return this.#root;
      try {
        rmdirSync(checked.pathOf(at));
      } catch (error) {
        if (!isGone(error)) return join(this.#root, at);
      }
    }
  }
}

/** Finds out whether names in a folder are the same only if their bytes are. */
function keepsNames(folder: string): boolean {
  const [name, ...others] = ['name-\u00e9', 'NAME-\u00e9', 'name-\u00c9', 'name-e\u0301', 'na\u200bme-\u00e9'];
  const file = join(folder, name!);
  try {
    writeFileSync(file, '');
    return readdirSync(folder).includes(name!) && !others.some((other) => existsSync(join(folder, other)));
  } catch {
    // Names that are safe everywhere are safe here.
    return false;
  } finally {
    rmSync(file, { force: true });
  }
}

const isFolder = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

/** Joins parts in an ArrayBuffer of their own, which can be transferred to a thread. */
function joined(parts: readonly Buffer[]): Buffer<ArrayBuffer> {
  const bytes = Buffer.allocUnsafeSlow(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) at += part.copy(bytes, at);
  return bytes;
}
