import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { errorCode, isGone } from '../../lib/system-error.ts';

/** Beside what is stored, on the same file system: no key begins with a dot. */
const FOLDER = '.unfinished';
/** Milliseconds without a byte after which no process writes any more, on any machine. */
const LONG = 24 * 60 * 60 * 1000;
const NAME = /^(.*)\.(\d+)\.[0-9a-f-]{36}$/;

/**
 * Files that are being written. Those that a process left behind which was killed are removed by the next that writes.
 */
export class TemporaryFiles {
  readonly #folder: string;
  #ready: Promise<void> | undefined;

  constructor(root: string) {
    this.#folder = join(root, FOLDER);
  }

  /** The path of a new file or folder, which is not there yet. */
  async newPath(): Promise<string> {
    this.#ready ??= this.#prepare();
    await this.#ready.catch((error: unknown) => {
      this.#ready = undefined;
      throw error;
    });
    return join(this.#folder, `${hostname()}.${process.pid}.${crypto.randomUUID()}`);
  }

  async #prepare(): Promise<void> {
    await mkdir(this.#folder, { recursive: true });
    const names = await readdir(this.#folder);
    await Promise.all(names.map((name) => this.#removeDead(name)));
  }

  async #removeDead(name: string): Promise<void> {
    const path = join(this.#folder, name);
    try {
      if ((await this.#isDead(name)) ?? (await stat(path)).mtimeMs < Date.now() - LONG)
        await rm(path, { recursive: true, force: true });
    } catch (error) {
      if (!isGone(error)) throw error;
    }
  }

  /** Undefined where we cannot know. */
  async #isDead(name: string): Promise<boolean | undefined> {
    const [, host, pid] = NAME.exec(name) ?? [];
    if (host !== hostname()) return undefined;
    try {
      process.kill(Number(pid), 0);
      return undefined;
    } catch (error) {
      return errorCode(error) === 'ESRCH';
    }
  }
}
