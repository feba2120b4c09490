import assert from 'node:assert/strict';
import { type Failure, readFailures } from '../../../scripts/tests/failures.ts';
import { judge, readOccasions } from '../../../scripts/tests/judge.ts';
import { filesOf, longestFirst } from '../../../scripts/tests/test-files.ts';

const FAILURE: Failure = { file: 'test/http/posting.test.ts', title: 'posting answers', message: 'no answer' };

describe('A test that failed in a run of CI', () => {
  it('is forgiven when it passes once by itself', () => {
    assert.deepEqual(judge(FAILURE, [FAILURE], []), { passes: 1 });
  });

  for (const folder of ['contract', 'fault', 'jobs', 'unit/jobs']) {
    it(`has to pass ten times by itself in test/${folder}, which is about races`, () => {
      const failure = { ...FAILURE, file: `test/${folder}/a.test.ts` };
      assert.deepEqual(judge(failure, [failure], []), { passes: 10 });
    });
  }

  it('is not forgiven when its property has a counterexample, and is run again with its seed', () => {
    const failure = { ...FAILURE, message: 'Property failed after 3 tests\n{ seed: -1804, path: "2:1" }' };
    const verdict = judge(failure, [failure], []);
    assert.equal('seed' in verdict && verdict.seed, '-1804');
  });

  it('is not forgiven a third time', () => {
    const twice = readOccasions(
      '# date, tab, title\n2026-01-02\tposting answers\n2026-01-03\tanother\n2026-01-04\tposting answers\n',
    );
    const verdict = judge(FAILURE, [FAILURE], twice);
    assert.match('failedBecause' in verdict ? verdict.failedBecause : '', /2026-01-02 and 2026-01-04/);
    assert.deepEqual(judge(FAILURE, [FAILURE], twice.slice(1)), { passes: 1 });
  });

  it('is not forgiven among four, or when it is in no file', () => {
    assert.ok('failedBecause' in judge(FAILURE, Array(4).fill(FAILURE), []));
    assert.deepEqual(judge(FAILURE, Array(3).fill(FAILURE), []), { passes: 1 });
    const [check] = readFailures('{"title":"npm run check","message":"lint"}\n');
    assert.ok('failedBecause' in judge(check!, [check!], []));
  });
});

describe('The files of a group of tests', () => {
  it('are all files of tests, in one of the groups', () => {
    const [short, long] = [filesOf('short'), filesOf('long')];
    assert.ok(short.includes('test/unit/project/judge.test.ts'));
    assert.ok(long.includes('test/fault/full-disk.test.ts'));
    assert.equal(new Set([...short, ...long]).size, short.length + long.length);
  });

  it('begin with those that no run has measured, and with the longest', () => {
    assert.deepEqual(longestFirst(['a', 'b', 'c', 'd'], { a: 1, b: 3 }), ['c', 'd', 'b', 'a']);
  });
});
