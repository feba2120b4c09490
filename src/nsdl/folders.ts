import { access, constants, mkdir, open, readdir, rename, stat, utimes } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { TidemarkError } from '../core/errors.ts';
import { syncFolderOf } from '../lib/files/disk-sync.ts';
import { errorCode, reasonOf } from '../lib/system-error.ts';

/** The folders of NSDL, below that of the setting: docs/nsdl.md says what is in each. */
const PLACES = {
  triggers: 'watched_folders/ToBeProcessed',
  takenTriggers: 'watched_folders/Processed',
  failedTriggers: 'watched_folders/Failed',
  newPieces: 'ingest/ToBeProcessed',
  readyPieces: 'ingest/Ready',
  donePieces: 'ingest/Done',
  failedPieces: 'ingest/Failed',
  handles: 'ingest/handles',
} as const;
export type NsdlPlace = keyof typeof PLACES;

export const NSDL_PLACES = Object.keys(PLACES) as readonly NsdlPlace[];
/** Names of files that other programs have not written to their ends: those of SFTP clients, rsync and editors. */
const UNFINISHED = /^\.|\.(?:tmp|part|filepart|swp)$|~$/i;

/** Characters. */
const WRITTEN_AT_ONCE = 1_000_000;

export interface FoundFile {
  readonly name: string;
  readonly path: string;
  /** When it was changed last, in milliseconds since 1970. */
  readonly modified: number;
  /** Bytes. */
  readonly length: number;
}

/** The files of NSDL's folders. All processes of a store that run jobs have the same folder. */
export class NsdlFolders {
  readonly root: string;

  constructor(root: string) {
    this.root = root;
  }

  path(place: NsdlPlace, name = ''): string {
    return join(this.root, PLACES[place], name);
  }

  /** @throws TidemarkError `unavailable` when they cannot be made, or written into */
  async make(): Promise<void> {
    try {
      for (const place of NSDL_PLACES) {
        await mkdir(this.path(place), { recursive: true });
        await access(this.path(place), constants.R_OK | constants.W_OK);
      }
    } catch (error) {
      const message = `the folder of NSDL ${this.root} cannot be used: ${reasonOf(error)}`;
      throw new TidemarkError('unavailable', message, { folder: this.root }, error);
    }
  }

  /** The names of files that are written to their ends, ascending; none while there is no such folder. */
  async names(place: NsdlPlace): Promise<readonly string[]> {
    const entries = (await ifThere(readdir(this.path(place), { withFileTypes: true }))) ?? [];
    const files = entries.filter((entry) => entry.isFile() && !UNFINISHED.test(entry.name));
    return files.map(({ name }) => name).sort();
  }

  /** The same with what the system knows of them. */
  async list(place: NsdlPlace): Promise<readonly FoundFile[]> {
    const found: FoundFile[] = [];
    for (const name of await this.names(place)) {
      const path = this.path(place, name);
      const stats = await ifThere(stat(path));
      if (stats !== undefined) found.push({ name, path, modified: stats.mtimeMs, length: stats.size });
    }
    return found;
  }

  /** Whether there is a file. */
  async has(place: NsdlPlace, name: string): Promise<boolean> {
    return (await ifThere(stat(this.path(place, name)))) !== undefined;
  }

  /**
   * Moves a file to another folder, where it replaces one of the same name. Its time of change becomes that of the
   * move, since done files are kept for a while. Returns false when it is not there (any more).
   */
  async move({ path, name }: Pick<FoundFile, 'path' | 'name'>, to: NsdlPlace, newName = name): Promise<boolean> {
    const target = this.path(to, newName);
    const now = new Date();
    // Only the owner of a file may set its time: another program's file is kept for a week after it was written.
    await utimes(path, now, now).catch(() => {});
    if ((await ifThere(rename(path, target).then(() => true))) === undefined) return false;
    await syncFolderOf(target);
    return true;
  }

  /** Writes a file: no program sees less than all of it, and then it is durable. */
  async write(place: NsdlPlace, name: string, texts: Iterable<string> | AsyncIterable<string>): Promise<void> {
    const path = this.path(place, name);
    const unfinished = join(dirname(path), `.${basename(path)}.${process.pid}.tmp`);
    const file = await open(unfinished, 'w');
    try {
      let waiting = '';
      for await (const text of texts) {
        waiting += text;
        if (waiting.length < WRITTEN_AT_ONCE) continue;
        await file.appendFile(waiting);
        waiting = '';
      }
      await file.appendFile(waiting);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(unfinished, path);
    await syncFolderOf(path);
  }
}

/** Undefined when the file does not exist (any more). */
export async function ifThere<Result>(work: Promise<Result>): Promise<Result | undefined> {
  try {
    return await work;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}
