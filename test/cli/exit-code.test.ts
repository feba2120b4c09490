import assert from 'node:assert/strict';
import { failureOf, Stopped } from '../../src/cli/exit-code.ts';
import { type ErrorCode, TidemarkError } from '../../src/core/errors.ts';

describe('the exit code', () => {
  const EXPECTED: readonly (readonly [ErrorCode, number])[] = [
    ['invalid', 2],
    ['not-found', 2],
    ['conflict', 2],
    ['gone', 2],
    ['forbidden', 2],
    ['not-ready', 1],
    ['unavailable', 3],
    ['incompatible', 3],
  ];
  for (const [code, exitCode] of EXPECTED) {
    it(`is ${exitCode} for an error that is ${code}`, () => {
      const failure = failureOf(new TidemarkError(code, 'what is wrong', { field: 'x' }));

      assert.deepEqual(failure, { exitCode, code, message: 'what is wrong', details: { field: 'x' } });
    });
  }

  it('is 1 for work that a signal stopped', () => {
    assert.equal(failureOf(new Stopped('stopped')).exitCode, 1);
  });

  it('is 1 for a fault of the program, which is reported with its place', () => {
    const { exitCode, message } = failureOf(new TypeError('x is not a function'));

    assert.equal(exitCode, 1);
    assert.match(message, /please report this(.|\n)*TypeError: x is not a function\n +at /);
  });
});
