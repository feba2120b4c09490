import assert from 'node:assert/strict';
import { appendFileSync, chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Context } from 'mocha';
import { scratchRoot } from './scratch-root.ts';

// Every temporary folder of the tests and of the processes that they start is in here.
const folder = mkdtempSync(join(scratchRoot(), 'tidemark-test-'));
// Some tests, run by root, read as another user.
chmodSync(folder, 0o755);
process.env.TMPDIR = folder;
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));

/** Milliseconds until an open handle counts as forgotten: handles are closed shortly after their owners say so. */
const TIMEOUT_MS = 30_000;

const closers: (() => Promise<void>)[] = [];
let before: readonly string[] = [];
/** Those of servers that all files share, when files run one after the other in this process. */
let shared: readonly string[] = [];
/** When the file of tests began. */
let begun = 0;

/** Closes what the tests share, after the last of them. */
export function atEndOfRun(close: () => Promise<void>): void {
  closers.push(close);
}

/**
 * A file of tests that leaves a folder or a handle behind fails. (When files run side by side, these hooks run for each
 * of them.)
 */
export const mochaHooks = {
  beforeAll() {
    begun = performance.now();
    before = process.getActiveResourcesInfo();
    shared = readdirSync(folder);
  },

  async afterAll(this: Context) {
    keepDuration(this.test?.parent?.suites[0]?.file);
    for (const close of closers.splice(0).toReversed()) await close();
    const left = readdirSync(folder).filter((name) => !shared.includes(name));
    const files = left.flatMap((name) => [name, ...readdirSync(join(folder, name), { recursive: true })].slice(0, 9));
    // The next file of tests is not to be blamed for them.
    for (const name of left) rmSync(join(folder, name), { recursive: true, force: true });
    assert.deepEqual(files, [], 'temporary folders are left behind');
    assert.deepEqual(await leftOpen(), [], 'the tests are over, but something is still open');
  },
};

/** Adds a line to the file of `TEST_DURATIONS`, when there is one: scripts/tests/run.ts reads it. */
function keepDuration(file: string | undefined): void {
  const { TEST_DURATIONS: list } = process.env;
  if (list === undefined || file === undefined) return;
  appendFileSync(list, `${relative('.', file)}\t${((performance.now() - begun) / 1000).toFixed(1)}\n`);
}

/** What is open now and was not before the first test. */
async function leftOpen(): Promise<readonly string[]> {
  // One timer is mocha's, for the hook that waits here.
  const expected = [...before, 'Timeout'];
  const deadline = performance.now() + TIMEOUT_MS;
  for (;;) {
    const known = [...expected];
    const left = process.getActiveResourcesInfo().filter((resource) => {
      const at = known.indexOf(resource);
      if (at >= 0) known.splice(at, 1);
      return at < 0;
    });
    if (left.length === 0 || performance.now() > deadline) return left;
    await wait(50, undefined, { ref: false });
  }
}
