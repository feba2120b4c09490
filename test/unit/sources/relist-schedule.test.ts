import assert from 'node:assert/strict';
import { ClockGaps, RelistSchedule } from '../../../src/sources/folder/relist-schedule.ts';

describe('when a watched folder is listed again', () => {
  let clocks: { monotonic: number; wall: number };
  let gaps: ClockGaps;
  let schedule: RelistSchedule;

  beforeEach(() => {
    clocks = { monotonic: 1_000, wall: 1_700_000_000_000 };
    gaps = new ClockGaps(() => ({ ...clocks }));
    schedule = new RelistSchedule(60_000, gaps, () => clocks.monotonic);
  });

  function pass(monotonic: number, wall = monotonic): void {
    clocks = { monotonic: clocks.monotonic + monotonic, wall: clocks.wall + wall };
  }

  function isDueAfter(monotonic: number, wall = monotonic): boolean {
    pass(monotonic, wall);
    gaps.tick();
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

  it('is not when only its own check was rare, or the thread worked for long', () => {
    for (let second = 0; second < 10; second++) {
      pass(1_000);
      gaps.tick();
    }
    assert.equal(schedule.isDue(), false);
    pass(10_000);
    gaps.worked();
    assert.equal(isDueAfter(1_000), false);
  });

  it('is when the machine slept while the thread worked', () => {
    pass(1_000, 3_600_000);
    gaps.worked();
    assert.equal(isDueAfter(1_000), true);
  });

  it('is not put off by a wall clock that is set back', () => {
    assert.equal(isDueAfter(1_000, -3_600_000), false);
    const due = Array.from({ length: 60 }, () => isDueAfter(1_000));
    assert.equal(due.filter(Boolean).length, 1);
  });
});
