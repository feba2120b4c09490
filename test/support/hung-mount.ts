import { execFileSync, spawnSync } from 'node:child_process';
import { closeSync, existsSync, mkdtempSync, openSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { itNeeding } from './it-needing.ts';

/** A file system of FUSE whose program never answers: every call that reaches it waits until `release`. */
export class HungMount {
  readonly folder: string;
  #device: number | undefined;

  constructor() {
    this.folder = mkdtempSync(join(tmpdir(), 'tidemark-hung-'));
    this.#device = openSync('/dev/fuse', 'r+');
    const options = 'fd=3,rootmode=40000,user_id=0,group_id=0';
    const { status, stderr } = spawnSync('mount', ['-i', '-t', 'fuse', '-o', options, 'tidemark-test', this.folder], {
      stdio: ['ignore', 'ignore', 'pipe', this.#device],
      encoding: 'utf8',
    });
    if (status === 0) return;
    closeSync(this.#device);
    rmdirSync(this.folder);
    throw new Error(`needs the right to mount file systems of FUSE: ${stderr}`);
  }

  /** Ends every call that waits, with an error, and removes the mount. */
  release(): void {
    if (this.#device === undefined) return;
    closeSync(this.#device);
    this.#device = undefined;
    execFileSync('umount', [this.folder]);
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
