import assert from 'node:assert/strict';
import { JumpCheck, startOfMachine } from '../../src/stores/clock.ts';
import { until } from '../support/until.ts';

const HOUR = 3_600_000;

describe('a check for jumps of the clock', () => {
  const refuses = (check: JumpCheck, now: number) => {
    try {
      check.require(now);
      return false;
    } catch (error) {
      assert.match((error as Error).message, /jumped 3600 seconds (forwards|backwards)/);
      return true;
    }
  };

  for (const jump of [HOUR, -HOUR]) {
    it(`trusts a clock again that stays where it is after a jump of ${jump / 1000} seconds`, async () => {
      const check = new JumpCheck(startOfMachine(), 100);
      assert.ok(refuses(check, Date.now() + jump));
      await until('it is trusted', async () => !refuses(check, Date.now() + jump));
      assert.ok(refuses(check, Date.now()), 'the way back is a jump, too');
    });
  }

  it('forgets a jump that was taken back', () => {
    const check = new JumpCheck(startOfMachine(), 0);
    check.require(Date.now());
    const patient = new JumpCheck(startOfMachine());
    assert.ok(refuses(patient, Date.now() + HOUR));
    patient.require(Date.now());
    assert.ok(refuses(patient, Date.now() + HOUR));
  });

  it('follows a clock that is set by small steps', () => {
    const check = new JumpCheck(startOfMachine());
    for (let step = 0; step < 100; step++) check.require(Date.now() + step * 50_000);
  });
});
