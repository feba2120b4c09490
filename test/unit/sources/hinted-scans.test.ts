import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { isTidemarkError } from '../../../src/core/errors.ts';
import { HintedScans } from '../../../src/sources/sync/hinted-scans.ts';

describe('scans of reported paths', () => {
  it('refuse more paths than may wait, and begin nothing for them', async () => {
    let begun = 0;
    const scans = new HintedScans(() => {
      begun += 1;
      throw new Error('the root does not answer');
    });
    const paths = Array.from({ length: 20_001 }, (_, at) => String(at));
    await assert.rejects(scans.scan(paths), (error) => isTidemarkError(error, 'not-ready'));
    await setImmediate();
    assert.equal(begun, 0);
    await assert.rejects(scans.scan(['a']), /the root does not answer/);
  });
});
