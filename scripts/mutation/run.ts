import { mkdtempSync, rmSync } from 'node:fs';
import { setPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PartialStrykerOptions } from '@stryker-mutator/api/core';
import { Stryker } from '@stryker-mutator/core';
import { GROUPS } from './groups.ts';

/**
 * Mutates the files of a group one place at a time, and lists the mutants that its tests do not notice; see
 * test/README.md.
 */
const [name = '', ...only] = process.argv.slice(2);
const group = GROUPS[name];
if (group === undefined) {
  console.error(
    `usage: npm run mutation -- GROUP [FILE[:LINE-LINE] ...], GROUP one of ${Object.keys(GROUPS).join(', ')}`,
  );
  process.exit(2);
}

if (group.needsElasticsearch !== true) await import('../../test/support/without-services.ts');
// Mutants leave temporary files behind.
const temporary = mkdtempSync(join(tmpdir(), 'tidemark-mutation-'));
process.once('exit', () => rmSync(temporary, { recursive: true, force: true }));
process.env.TMPDIR = temporary;
setPriority(10);

const options = {
  mutate: only.length > 0 ? only : [...group.mutate],
  specs: [...group.specs],
  plugins: ['mocha-runner.ts', 'ignore-messages.ts'].map((file) => join(import.meta.dirname, file)),
  testRunner: 'mocha',
  // A server that is busy must not make a mutant count as one that never ends.
  timeoutMS: group.needsElasticsearch === true ? 20_000 : 5_000,
  ignorers: ['messages'],
  // A mutant that fills the memory must not take the machine's.
  testRunnerNodeArgs: ['--max-old-space-size=1500'],
  coverageAnalysis: 'perTest',
  // A module's constants are computed once for each process: a mutant of them would take a process of its own.
  ignoreStatic: true,
  disableTypeChecks: false,
  // Stryker would read it with a TypeScript API that version 7 does not have.
  tsconfigFile: 'none',
  concurrency: 1,
  reporters: ['clear-text', 'json'],
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
  jsonReporter: { fileName: `.mutation/${name}.json` },
  tempDirName: '.mutation/sandbox',
  ignorePatterns: ['.services', '.bench', '.mutation', 'dist', 'data', 'docs'],
} satisfies PartialStrykerOptions;

await new Stryker(options).runMutationTest();
