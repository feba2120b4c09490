import { appendFileSync } from 'node:fs';
import { relative } from 'node:path';
import Mocha from 'mocha';

/** The file to which each failure adds a line: its file, a tab, its whole title. */
const list = process.env.TEST_FAILURES;

/** Prints as mocha’s spec does, and keeps a list of what failed for .ci/run. */
// biome-ignore lint/style/noDefaultExport: mocha takes a reporter from there
export default class Reporter extends Mocha.reporters.Spec {
  constructor(runner: Mocha.Runner, options?: Mocha.MochaOptions) {
    super(runner, options);
    if (list === undefined || list === '') return;
    runner.on('fail', (test) => {
      // A hook of a file that ran in another process does not say its file.
      const file = test.file ?? test.parent?.file;
      appendFileSync(list, `${file === undefined ? '' : relative('.', file)}\t${test.fullTitle()}\n`);
    });
  }
}
