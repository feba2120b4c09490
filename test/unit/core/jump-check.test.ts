import assert from 'node:assert/strict';
import { uptime } from 'node:os';
import { isAhead } from '../../../src/core/accepted-clock.ts';
import { ACCEPTED_CLOCK, JumpCheck, readAcceptedClock, startOfMachine } from '../../../src/stores/store-clock.ts';
import { PublishedSets } from '../../support/published-sets.ts';
import { until } from '../../support/until.ts';

const HOUR = 3_600_000;

describe('a store whose last change is ahead of the clock', () => {
  it('is refused when it is more than a minute, and more than a minute above what was accepted', () => {
    const minute = 60_000_000;
    assert.equal(isAhead(7_000 + minute, undefined, 7), false);
    assert.equal(isAhead(7_000 + minute + 2, undefined, 7), true);
    assert.equal(isAhead(9_000 + minute, { through: 9_000 }, 7), false);
    assert.equal(isAhead(9_000 + minute + 2, { through: 9_000 }, 7), true);
    assert.equal(isAhead(7_000 + minute, { through: 2_000 }, 7), false);
  });

  it('reads from its catalog up to where that was accepted', async () => {
    const stores = await PublishedSets.open();
    const { catalog } = stores;
    assert.equal(await readAcceptedClock(catalog), undefined);
    const { kind, id } = ACCEPTED_CLOCK;
    await catalog.put(kind, id, { through: 9_001 }, undefined);
    assert.deepEqual(await readAcceptedClock(catalog), { through: 9_001 });
    await stores.close();
  });
});

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

  it('doubts a clock anew that jumps once more', async () => {
    const check = new JumpCheck(startOfMachine(), 100);
    const began = performance.now();
    assert.ok(refuses(check, Date.now() + HOUR));
    await until('the first jump would be trusted', async () => performance.now() - began > 101);
    assert.throws(() => check.require(Date.now() + 2 * HOUR), /jumped 7200 seconds forwards/);
  });

  it('knows when the machine started', () => {
    assert.ok(Math.abs(startOfMachine(HOUR) - (HOUR - uptime() * 1000)) < 1_000);
  });

  it('follows a clock that is set by small steps', () => {
    const check = new JumpCheck(startOfMachine());
    for (let step = 0; step < 100; step++) check.require(Date.now() + step * 50_000);
  });
});
