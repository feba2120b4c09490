import type { AsyncFunc, Func, Test } from 'mocha';

export interface Need {
  /** As `CI_LACKS` names it. */
  readonly name: string;
  /** Why the test cannot run here; undefined where it can. */
  readonly missing: string | undefined;
}

/** What a machine that runs CI is known to lack; .ci/run sets and reports it. */
const LACKING = new Set((process.env.CI_LACKS ?? '').split(' '));

/**
 * A test that needs something beside the program. Where that is missing, the test is skipped with the reason; under CI
 * it fails.
 */
export function itNeeding({ name, missing }: Need, title: string, test: Func | AsyncFunc): Test {
  if (missing === undefined) return it(title, test);
  if (process.env.CI !== 'true' || LACKING.has(name)) return it.skip(`${title} (${missing})`);
  return it(title, () => {
    throw new Error(missing);
  });
}
