import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { closeSync, existsSync, mkdtempSync, openSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { itNeeding } from './it-needing.ts';

/** Seconds after which a mount answers with errors by itself: no test may hang for ever, with its process. */
const MOST_SECONDS = 40;

/** A file system of FUSE whose program never answers: every call that reaches it waits until `release`. */
export class HungMount {
  readonly folder: string;
  readonly #program: ChildProcess;
  #isReleased = false;

  constructor() {
    this.folder = mkdtempSync(join(tmpdir(), 'tidemark-hung-'));
    const device = openSync('/dev/fuse', 'r+');
    try {
      const options = 'fd=3,rootmode=40000,user_id=0,group_id=0';
      const { status, stderr } = spawnSync('mount', ['-i', '-t', 'fuse', '-o', options, 'tidemark-test', this.folder], {
        stdio: ['ignore', 'ignore', 'pipe', device],
        encoding: 'utf8',
      });
      if (status !== 0) {
        rmdirSync(this.folder);
        throw new Error(`needs the right to mount file systems of FUSE: ${stderr}`);
      }
      // The last process that has the device open keeps the mount alive.
      this.#program = spawn('sleep', [`${MOST_SECONDS}`], { stdio: ['ignore', 'ignore', 'ignore', device] });
      this.#program.unref();
    } finally {
      closeSync(device);
    }
  }

  /** Ends every call that waits, with an error, and removes the mount. */
  release(): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.#program.kill('SIGKILL');
    execFileSync('umount', ['--lazy', this.folder]);
    rmdirSync(this.folder);
  }
}

/** A test with a mount that hangs, which this process must be allowed to make. */
export function itWithHungMount(title: string, test: (mount: HungMount) => Promise<void>): void {
  itNeeding({ name: 'fuse', missing: whyNot() }, title, async () => {
    const mount = new HungMount();
    try {
      await test(mount);
    } finally {
      mount.release();
    }
  });
}

function whyNot(): string | undefined {
  if (!existsSync('/dev/fuse')) return 'needs FUSE';
  try {
    new HungMount().release();
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}
