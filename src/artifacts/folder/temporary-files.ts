import { readlinkSync, type Stats } from 'node:fs';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { errorCode, isGone } from '../../lib/system-error.ts';

/** The folder of temporary files, on the same file system. No key begins with a dot. */
const FOLDER = '.unfinished';
/** Milliseconds without a write after which a file counts as abandoned, on any machine. */
const LONG = 24 * 60 * 60 * 1000;
/** The namespace of the process id, the id, and a random text. */
const NAME = /^(.*)\.(\d+)\.[0-9a-f-]{36}$/;

/**
 * Files that are being written. Those of killed processes are deleted by the next process that writes, and by a
 * job.
 */
export class TemporaryFiles {
  readonly #folder: string;
  #ready: Promise<void> | undefined;

  constructor(root: string) {
    this.#folder = join(root, FOLDER);
  }

  /** Returns the path of a new file or folder, which does not exist yet. */
  async newPath(): Promise<string> {
    this.#ready ??= this.#prepare();
    await this.#ready.catch((error: unknown) => {
      this.#ready = undefined;
      throw error;
    });
    return join(this.#folder, `${pidNamespace()}.${process.pid}.${crypto.randomUUID()}`);
  }

  /** Creates a new folder. */
  async newFolder(): Promise<string> {
    const path = await this.newPath();
    await mkdir(path);
    return path;
  }

  /** Deletes files and folders that no process has written to, or moved here, since a time. Returns their number. */
  async removeOld(before: number): Promise<number> {
    const names = await readdir(this.#folder).catch((error: unknown) => {
      if (isGone(error)) return [];
      throw error;
    });
    const removed = await Promise.all(names.map((name) => this.#removeWhere(name, ({ ctimeMs }) => ctimeMs < before)));
    return removed.filter(Boolean).length;
  }

  async #prepare(): Promise<void> {
    await mkdir(this.#folder, { recursive: true });
    const names = await readdir(this.#folder);
    const long = Date.now() - LONG;
    await Promise.all(names.map((name) => this.#removeWhere(name, ({ mtimeMs }) => isDead(name) ?? mtimeMs < long)));
  }

  async #removeWhere(name: string, isLeft: (stats: Stats) => boolean): Promise<boolean> {
    const path = join(this.#folder, name);
    try {
      if (!isLeft(await stat(path))) return false;
      await rm(path, { recursive: true, force: true });
      return true;
    } catch (error) {
      if (isGone(error)) return false;
      throw error;
    }
  }
}

/**
 * The part of a name that says where the process id is valid: containers may have one host name, and process ids of
 * their own. Earlier versions wrote the host name alone.
 */
function pidNamespace(): string {
  try {
    return `${hostname()}.${readlinkSync('/proc/self/ns/pid').replaceAll(/\D/g, '')}`;
  } catch {
    return hostname();
  }
}

/**
 * Whether the process that wrote a file has ended; undefined if that is unknown, because it is on another machine, in
 * another container, or of an earlier version.
 */
function isDead(name: string): boolean | undefined {
  const [, namespace, pid] = NAME.exec(name) ?? [];
  if (namespace !== pidNamespace()) return undefined;
  try {
    process.kill(Number(pid), 0);
    return undefined;
  } catch (error) {
    return errorCode(error) === 'ESRCH';
  }
}
