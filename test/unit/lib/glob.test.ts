import assert from 'node:assert/strict';
import { compileGlob } from '../../../src/lib/glob/glob.ts';

describe('a glob', () => {
  it('whose groups are nested too deep matches itself only', () => {
    const deep = `${'{a,b'.repeat(1_500)}c${'}'.repeat(1_500)}`;
    const matches = compileGlob(deep);
    assert.deepEqual([deep, 'a', 'b', ''].map(matches), [true, false, false, false]);
  });
});
