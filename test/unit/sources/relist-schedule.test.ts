import assert from 'node:assert/strict';
import { RelistSchedule } from '../../../src/sources/folder/relist-schedule.ts';

describe('when a watched folder is listed again', () => {
  let clocks: { monotonic: number; wall: number };
  let schedule: RelistSchedule;

  beforeEach(() => {
    clocks = { monotonic: 1_000, wall: 1_700_000_000_000 };
    schedule = new RelistSchedule(60_000, () => ({ ...clocks }));
  });

  function isDueAfter(monotonic: number, wall = monotonic): boolean {
    clocks = { monotonic: clocks.monotonic + monotonic, wall: clocks.wall + wall };
    return schedule.isDue();
  }

  it('is once in each interval', () => {
    const due = Array.from({ length: 121 }, () => isDueAfter(1_000));
    assert.deepEqual(
      due.flatMap((isDue, at) => (isDue ? at + 1 : [])),
      [60, 120],
    );
  });

  it('is after the process was stopped', () => {
    assert.equal(isDueAfter(4_000), false);
    assert.equal(isDueAfter(6_000), true);
    assert.equal(isDueAfter(1_000), false);
  });

  it('is after the machine slept, when only the wall clock went on', () => {
    assert.equal(isDueAfter(1_000, 3_600_000), true);
  });

  it('is not put off by a wall clock that is set back', () => {
    assert.equal(isDueAfter(1_000, -3_600_000), false);
    const due = Array.from({ length: 60 }, () => isDueAfter(1_000));
    assert.equal(due.filter(Boolean).length, 1);
  });
});
