import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname } from 'node:path';
import { mochaGlobalSetup, mochaGlobalTeardown } from '../../test/support/shared-services.ts';
import { type Failure, readFailures } from './failures.ts';
import { judge, readOccasions } from './judge.ts';

const OCCASIONS = 'test/unsteady.tsv';

/**
 * Runs what failed once more, by itself, and prints one line for each test: `unsteady: …` for those that pass now,
 * `failed: …` for the others. Its argument is the list that `TEST_FAILURES` named.
 *
 * @returns how many are still failed
 */
async function runAgain(list: string): Promise<number> {
  const failures = readFailures(readFileSync(list, 'utf8'));
  const occasions = readOccasions(readFileSync(OCCASIONS, 'utf8'));
  const verdicts = failures.map((failure) => ({ failure, verdict: judge(failure, failures, occasions) }));
  // One server of each kind for all of them.
  if (verdicts.some(({ verdict }) => 'passes' in verdict || verdict.seed !== undefined)) await mochaGlobalSetup();
  let failed = 0;
  for (const { failure, verdict } of verdicts) {
    const { title } = failure;
    if ('passes' in verdict && passes(failure, verdict.passes)) {
      console.log(`unsteady: ${title}`);
      console.log(`add to ${OCCASIONS}: ${new Date().toISOString().slice(0, 10)}\t${title}`);
      continue;
    }
    failed += 1;
    if ('seed' in verdict) passes(failure, 1, verdict.seed);
    console.log(`failed: ${title}: ${'passes' in verdict ? 'it failed by itself, too' : verdict.failedBecause}`);
  }
  await mochaGlobalTeardown();
  return failed;
}

/** @param seed of properties */
function passes({ file, title }: Failure, times: number, seed = ''): boolean {
  // A hook has no title that mocha finds: all tests of its file are run.
  const only = /"(before|after) (all|each)" hook/.test(title) ? [] : ['--fgrep', title];
  // With one job mocha loads files by require(), which refuses an await outside of functions.
  const command = ['--config', '.mocharc.all.json', '--jobs', '2', ...only, file!];
  // The folder of this process is one too deep: paths of the sockets of browsers have at most 107 characters.
  const environment = { ...process.env, TMPDIR: dirname(tmpdir()), TEST_FAILURES: '' };
  if (seed !== '') {
    Object.assign(environment, { PROPERTY_SEED: seed, NODE_OPTIONS: '--import=./test/support/property-seed.ts' });
  }
  for (let time = 1; time <= times; time += 1) {
    console.log(`once more, by itself (${time} of ${times}): ${title}`);
    if (spawnSync('mocha', command, { env: environment, stdio: 'inherit' }).status !== 0) return false;
  }
  return true;
}

process.exitCode = Math.min(await runAgain(process.argv[2]!), 100);
