import assert from 'node:assert/strict';
import { ReasonCounts } from '../../../../src/records/errata/reason-counts.ts';

describe('Errata', () => {
  it('are counted by reason, the most frequent first, also when reasons differ in texts and numbers', () => {
    const counts = new ReasonCounts();
    counts.add({ reason: 'it has no leader' });
    counts.add({ reason: 'field 245 has the subfield code "ü": expected one character' });
    counts.add({ reason: 'field 245 has the subfield code "\\"": expected one character' });
    counts.add({ reason: 'field 500 has the subfield code "ab": expected one character' });
    counts.add({ reason: 'field 245 has the subfield code "x": expected one character' });
    counts.add({ reason: 'it breaks off: it ends early, at byte 602 of the tar' });
    counts.add({ reason: 'it breaks off: it ends early, at byte 1,000 of the tar' });
    assert.deepEqual(counts.list(), [
      { reason: 'field 245 has the subfield code …: expected one character', count: 3 },
      { reason: 'it breaks off: it ends early, at byte … of the tar', count: 2 },
      { reason: 'it has no leader', count: 1 },
      { reason: 'field 500 has the subfield code …: expected one character', count: 1 },
    ]);
  });

  it('are counted by their kind, if they have one; warnings for themselves', () => {
    const counts = new ReasonCounts();
    counts.add({ kind: 'no-id', reason: 'it has no id' });
    counts.add({ kind: 'no-id', reason: 'its id is 3: an id is a text' });
    counts.add({ kind: 'no-id', reason: 'its id was left out', warning: true });
    assert.deepEqual(counts.list(), [
      { reason: 'no-id', count: 2 },
      { reason: 'no-id', count: 1, warning: true },
    ]);
    assert.equal(counts.errors, 2);
  });

  it('of rare reasons are counted together, so that the list is never long', () => {
    const counts = new ReasonCounts();
    for (let letter = 0; letter < 2_000; letter++)
      counts.add({ reason: `reason ${letter.toString(2).replaceAll('0', 'a').replaceAll('1', 'b')}` });
    assert.equal(counts.list().length, 1_001);
    const listed = counts.list(20);
    assert.deepEqual([listed.length, listed.at(-1)!.reason], [21, 'other reasons']);
    assert.equal(
      listed.reduce((sum, { count }) => sum + count, 0),
      2_000,
    );
  });
});
