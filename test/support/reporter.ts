import { relative } from 'node:path';
import Mocha from 'mocha';
import { addFailure } from '../../scripts/tests/failures.ts';

/** Prints as mocha’s spec does, and lists what failed for .ci/run. */
// biome-ignore lint/style/noDefaultExport: mocha takes a reporter from there
export default class Reporter extends Mocha.reporters.Spec {
  constructor(runner: Mocha.Runner, options?: Mocha.MochaOptions) {
    super(runner, options);
    runner.on('fail', (test, error) => {
      // A hook of a file that ran in another process does not say its file.
      const file = test.file ?? test.parent?.file;
      addFailure({
        file: file === undefined ? undefined : relative('.', file),
        title: test.fullTitle(),
        message: String((error as Error | undefined)?.message),
      });
    });
  }
}
