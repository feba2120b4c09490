import assert from 'node:assert/strict';
import { lastKeyOf } from '../../../src/stores/sqlite/wire.ts';

describe('batches of states', () => {
  it('end with the last key of the last one', () => {
    const states = '{}\n{}';
    assert.equal(
      lastKeyOf([
        { keys: '/a\n/b', states },
        { keys: '/c\n/de', states },
      ]),
      '/de',
    );
    assert.equal(lastKeyOf([{ keys: '/a', states: '{}' }]), '/a');
    assert.equal(lastKeyOf([]), undefined);
  });
});
