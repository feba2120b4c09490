import { appendFileSync } from 'node:fs';

/** A test, hook or command that failed; without a file, it cannot be run again by itself. */
export interface Failure {
  /** Path in the repository. */
  readonly file?: string | undefined;
  /** Of a test: with the titles around it. */
  readonly title: string;
  readonly message: string;
}

/** Adds a line of JSON to the list of failures, which `TEST_FAILURES` names: .ci/run reads it. */
export function addFailure(failure: Failure): void {
  const list = process.env.TEST_FAILURES;
  if (list !== undefined && list !== '') appendFileSync(list, `${JSON.stringify(failure)}\n`);
}

/** @param list as {@link addFailure} writes it */
export function readFailures(list: string): readonly Failure[] {
  return list
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}
