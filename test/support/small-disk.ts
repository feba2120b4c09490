import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, rmdirSync } from 'node:fs';
import { mkdtemp, open, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { closeFaultSources } from './fault-source.ts';
import { itNeeding } from './it-needing.ts';

const run = promisify(execFile);

/** A file system of its own, of a few megabytes, that can be full or read-only. */
export class SmallDisk {
  readonly folder: string;
  readonly #ballast: string;

  private constructor(folder: string) {
    this.folder = folder;
    this.#ballast = join(folder, 'ballast');
  }

  static async mount(megabytes: number): Promise<SmallDisk> {
    const folder = await mkdtemp(join(tmpdir(), 'tidemark-disk-'));
    await run('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tidemark-test', folder]);
    return new SmallDisk(folder);
  }

  /** Takes all space but so many bytes. */
  async fill(left = 0): Promise<void> {
    const { bavail, bsize } = await statfs(this.folder);
    const block = Buffer.alloc(bsize);
    const file = await open(this.#ballast, 'a');
    try {
      for (let taken = 0; taken + bsize <= bavail * bsize - left; taken += bsize) await file.write(block);
    } catch (error) {
      // Another process took some of it meanwhile.
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    } finally {
      await file.close();
    }
  }

  /** Gives back what `fill` took. */
  async empty(): Promise<void> {
    await rm(this.#ballast, { force: true });
  }

  async makeReadOnly(): Promise<void> {
    await run('mount', ['-o', 'remount,ro', this.folder]);
  }

  async resize(megabytes: number): Promise<void> {
    await run('mount', ['-o', `remount,size=${megabytes}m`, this.folder]);
  }

  async unmount(): Promise<void> {
    await run('umount', [this.folder]);
    await rm(this.folder, { recursive: true });
  }
}

/** A test on a small disk of its own, which this process must be allowed to mount. */
export function itOnSmallDisk(title: string, megabytes: number, test: (disk: SmallDisk) => Promise<void>): void {
  itNeeding({ name: 'mount', missing: whyNoMounts() }, title, async () => {
    const disk = await SmallDisk.mount(megabytes);
    try {
      await test(disk);
    } finally {
      // A disk that is in use stays.
      await closeFaultSources();
      await disk.unmount();
    }
  });
}

/** Tried once, when the first test asks. */
const whyNoMounts = once((): string | undefined => {
  const folder = mkdtempSync(join(tmpdir(), 'tidemark-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tidemark-test', folder], { stdio: 'pipe' });
    execFileSync('umount', [folder], { stdio: 'pipe' });
    return undefined;
  } catch (error) {
    return `needs the right to mount a small disk: ${(error as Error).message.trim().split('\n').at(-1)}`;
  } finally {
    rmdirSync(folder);
  }
});

function once<Value>(find: () => Value): () => Value {
  let found: { readonly value: Value } | undefined;
  return () => {
    found ??= { value: find() };
    return found.value;
  };
}
