import assert from 'node:assert/strict';
import { instantOf } from '../../../src/client/validate/rules/times.ts';

describe('the times that the validator compares', () => {
  const { TZ } = process.env;

  afterEach(() => {
    if (TZ === undefined) delete process.env.TZ;
    else process.env.TZ = TZ;
  });

  for (const zone of ['UTC', 'Asia/Tokyo', 'America/Los_Angeles']) {
    it(`are the same on a machine in the zone ${zone}`, () => {
      process.env.TZ = zone;
      for (const [text, time] of [
        ['2026-01-01T02:00:00', '2026-01-01T02:00:00Z'],
        ['2026-01-01T02:00:00.25', '2026-01-01T02:00:00.25Z'],
        ['2026-01-01T02:00:00+02:00', '2026-01-01T00:00:00Z'],
        ['2026-03-04', '2026-03-04T00:00:00Z'],
        ['2026-03', '2026-03-01T00:00:00Z'],
        ['2026', '2026-01-01T00:00:00Z'],
      ] as const) {
        assert.equal(instantOf(text), Date.parse(time) * 1000, text);
      }
      for (const text of ['Jan 1, 2026', '2026-02-31', '2026-13', 'yesterday', '', undefined]) {
        assert.equal(instantOf(text), Number.NaN, text);
      }
    });
  }
});
