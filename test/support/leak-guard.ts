import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

// Every temporary folder of the tests and of the processes that they start lies in here.
const folder = mkdtempSync(join(tmpdir(), 'tidemark-test-'));
process.env.TMPDIR = folder;

/** Milliseconds until an open handle counts as forgotten: handles are closed a moment after their owners say so. */
const PATIENCE = 10_000;

const closers: (() => Promise<void>)[] = [];

/** Closes what the tests share, after the last of them. */
export function atEndOfRun(close: () => Promise<void>): void {
  closers.push(close);
}

/** A test that leaves a folder or a handle behind fails the run. */
export const mochaHooks = {
  async afterAll() {
    for (const close of closers.toReversed()) await close();
    const left = readdirSync(folder);
    rmSync(folder, { recursive: true });
    assert.deepEqual(left, [], 'temporary folders are left behind');
    setTimeout(() => {
      console.error(
        `\nThe tests are over, but something is still open: ${process.getActiveResourcesInfo().join(', ')}`,
      );
      process.exit(1);
    }, PATIENCE).unref();
  },
};
