import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';

/**
 * Above this number of paths, the whole file system is synced: for thousands of paths, that takes a tenth of the
 * time.
 */
const SYNCED_ALONE = 16;
/**
 * Runs `sync` for each input line and prints its exit code. The shell ignores SIGINT, because the program that gets it
 * still has files to sync.
 */
const SYNC_EACH_LINE = 'trap "" INT; while read -r line; do sync -f "$0"; echo $?; done';

/**
 * Makes files or folders of one file system durable. A long-lived shell starts all `sync` commands, because a process
 * started by Node costs 10 ms: Node's page tables are copied.
 */
export class DiskSync {
  readonly #root: string;
  #shell: Shell | undefined;

  constructor(root: string) {
    this.#root = root;
  }

  /** @throws the error of the system, also when a path does not exist, unless there are many paths */
  async sync(paths: readonly string[]): Promise<void> {
    if (paths.length > SYNCED_ALONE && (await this.#syncAll())) return;
    for (const path of paths) await syncOne(path);
  }

  async close(): Promise<void> {
    await this.#shell?.close();
  }

  /** Syncs the whole file system. Returns false if that fails, such as on a system without the command. */
  async #syncAll(): Promise<boolean> {
    this.#shell ??= new Shell(this.#root);
    const code = await this.#shell.run();
    // The shell has ended: the next call starts a new one.
    if (code === undefined) this.#shell = undefined;
    return code === '0';
  }
}

/** Makes the name of a file durable. */
export function syncFolderOf(file: string): Promise<void> {
  return syncOne(dirname(file));
}

async function syncOne(path: string): Promise<void> {
  const opened = await open(path, 'r');
  try {
    await opened.sync();
  } finally {
    await opened.close();
  }
}

class Shell {
  readonly #process: ChildProcess;
  readonly #codes: AsyncIterator<string> | null;
  readonly #closed: Promise<unknown>;

  constructor(root: string) {
    this.#process = spawn('sh', ['-c', SYNC_EACH_LINE, root], { stdio: ['pipe', 'pipe', 'ignore'] });
    // If the shell cannot be started, or has ended, `run` returns no exit code. Without free file descriptors it has no
    // streams.
    this.#process.on('error', () => {});
    this.#process.stdin?.on('error', () => {});
    this.#codes = this.#process.stdout && createInterface({ input: this.#process.stdout })[Symbol.asyncIterator]();
    this.#closed = once(this.#process, 'close').catch(() => {});
  }

  /** Returns the exit code of a sync; undefined when the shell has ended. */
  async run(): Promise<string | undefined> {
    this.#process.stdin?.write('\n');
    return (await this.#codes?.next())?.value;
  }

  async close(): Promise<void> {
    this.#process.stdin?.end();
    await this.#closed;
  }
}
