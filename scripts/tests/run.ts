import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { addFailure } from './failures.ts';
import { type Durations, filesOf, GROUPS, type Group, longestFirst } from './test-files.ts';

const USAGE = `usage: node scripts/tests/run.ts [--check] [--keep-durations] ${Object.keys(GROUPS).join('|')} [FILE...]`;
const DURATIONS = 'test/durations.json';
/** Each file of tests adds a line to it: its path, a tab, its seconds. */
const MEASURED = 'node_modules/.cache/test-durations.tsv';
/** Files at a time. Most of the short ones wait for most of their time, for intervals and leases. */
const JOBS: Readonly<Record<Group, number>> = { short: 6, long: 4 };

/**
 * Runs a group of tests, the longest files first, so that none of them is left alone at the end; or only the files that
 * are named. `--check` runs `npm run check` beside them, and prints its output after theirs. `--keep-durations` records
 * how long each file took.
 *
 * @returns the exit code
 */
async function run(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { check: { type: 'boolean' }, 'keep-durations': { type: 'boolean' } },
  });
  const [group = '', ...named] = positionals;
  if (!Object.hasOwn(GROUPS, group)) throw new Error(USAGE);
  const durations: Durations = JSON.parse(readFileSync(DURATIONS, 'utf8'));
  const checking = values.check ? runCheck() : undefined;
  const files = named.length > 0 ? named : longestFirst(filesOf(group as Group), durations);
  const environment = values['keep-durations'] ? { ...process.env, TEST_DURATIONS: MEASURED } : process.env;
  rmSync(MEASURED, { force: true });
  const jobs = ['--jobs', String(JOBS[group as Group])];
  const mocha = spawn('mocha', ['--config', '.mocharc.all.json', ...jobs, ...files], {
    env: environment,
    stdio: 'inherit',
  });
  const [failed] = await once(mocha, 'exit');
  if (values['keep-durations']) keepDurations(durations);
  const check = await checking;
  if (check !== undefined) process.stdout.write(check.output);
  if (check !== undefined && check.status !== 0) addFailure({ title: 'npm run check', message: check.output });
  return failed || (check?.status ?? 0);
}

async function runCheck(): Promise<{ readonly status: number; readonly output: string }> {
  const check = spawn('npm', ['run', '--silent', 'check'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [output, [status]] = await Promise.all([text(check.stdout), once(check, 'exit')]);
  return { output, status: status ?? 1 };
}

function keepDurations(known: Durations): void {
  const lines = readFileSync(MEASURED, 'utf8').trim().split('\n');
  const measured = lines.map((line) => line.split('\t')).map(([path, seconds]) => [path!, Number(seconds)] as const);
  const there = new Set(Object.keys(GROUPS).flatMap((group) => filesOf(group as Group)));
  const all = Object.entries({ ...known, ...Object.fromEntries(measured) }).filter(([path]) => there.has(path));
  writeFileSync(DURATIONS, `${JSON.stringify(Object.fromEntries(all.sort()), null, 2)}\n`);
}

process.exitCode = await run();
