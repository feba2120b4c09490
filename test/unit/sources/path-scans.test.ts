import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { isTidemarkError } from '../../../src/core/errors.ts';
import type { ResourceSet } from '../../../src/core/resource-set.ts';
import { PathScans } from '../../../src/sources/sync/path-scans.ts';

const SET = { id: 1 } as ResourceSet;

describe('scans of reported paths', () => {
  it('refuse more paths than may wait, and begin nothing for them', async () => {
    let begun = 0;
    const scans = new PathScans(() => {
      begun += 1;
      throw new Error('the root does not answer');
    });
    const paths = Array.from({ length: 20_001 }, (_, at) => String(at));
    await assert.rejects(scans.scan(SET, paths), (error) => isTidemarkError(error, 'not-ready'));
    await setImmediate();
    assert.equal(begun, 0);
    await assert.rejects(scans.scan(SET, ['a']), /the root does not answer/);
  });
});
