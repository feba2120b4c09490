import assert from 'node:assert/strict';
import fc from 'fast-check';
import { type ClosedRange, lastPrune, type Prune, prunedBefore, withPrune } from '../../../src/core/version-prunes.ts';

describe('Prunes of versions', () => {
  it('count up to the last one', () => {
    assert.equal(prunedBefore({}), 0);
    const versionsPruned = [
      { before: 11, at: 21 },
      { before: 15, at: 31 },
    ];
    assert.equal(prunedBefore({ versionsPruned }), 15);
    assert.equal(lastPrune({ versionsPruned }, 31)?.before, 11);
    assert.equal(lastPrune({ versionsPruned }, 21), undefined);
  });

  it('are recorded without those that no closed list depends on', () => {
    let versionsPruned: readonly Prune[] = [];
    const closed = [{ from: 1, until: 41 }];
    for (const at of [21, 31, 51, 61]) {
      versionsPruned = withPrune({ versionsPruned }, { before: at - 10, at }, closed);
    }
    assert.deepEqual(
      versionsPruned.map(({ at }) => at),
      [31, 61],
    );
  });

  it('leave every closed list as it was when it was closed, however many there are', () => {
    const step = fc.record({ after: fc.integer({ min: 1, max: 5 }), closes: fc.boolean(), age: fc.nat(30) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        let now = 1;
        let before = 0;
        let from = 1;
        let all: readonly Prune[] = [];
        let versionsPruned: readonly Prune[] = [];
        const closed: ClosedRange[] = [];
        for (const { after, closes, age } of steps) {
          now += 2 * after;
          if (closes) {
            closed.push({ from, until: now });
            from = now;
          } else if (now - age > before) {
            before = Math.max(1, now - age);
            const prune = { before, at: now };
            all = [...all, prune];
            versionsPruned = withPrune({ versionsPruned }, prune, closed);
          }
        }
        assert.equal(prunedBefore({ versionsPruned }), prunedBefore({ versionsPruned: all }));
        for (const range of closed) {
          // A prune that ended before the list began changed nothing in it.
          const [few, many] = [versionsPruned, all].map((prunes) => {
            return Math.max(lastPrune({ versionsPruned: prunes }, range.until)?.before ?? 0, range.from);
          });
          assert.equal(few, many);
        }
        assert.ok(versionsPruned.length <= closed.length + 1);
      }),
    );
  });
});
