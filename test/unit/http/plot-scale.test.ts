import assert from 'node:assert/strict';
import fc from 'fast-check';
import { scaleOf } from '../../../src/http/pages/parts/plot-scale.ts';

describe('The scale of a plot', () => {
  it('ends at the greatest numbers, with a few marks that people count in', () => {
    const most = fc.integer({ min: 0, max: 10_000_000 });
    fc.assert(
      fc.property(most, most, (above, below) => {
        const scale = scaleOf(above, below, 150);
        if (above + below > 0) assert.deepEqual([scale.above, scale.below], [above, below]);
        assert.ok(Math.abs((scale.above + scale.below) * scale.perChange - 150) < 1e-6);
        assert.ok(scale.marks.includes(0) && scale.marks.length >= 2 && scale.marks.length <= 6, `${scale.marks}`);
        const [first = 0, second = 0] = scale.marks;
        assert.match(String(second - first), /^(?:1|2|5)0*$/);
      }),
    );
  });

  it('is there when there is nothing to show', () => {
    assert.deepEqual(scaleOf(0, 0, 100), { above: 1, below: 0, perChange: 100, marks: [0, 1] });
  });
});
