import assert from 'node:assert/strict';
import { around, placeText } from '../../../../src/records/errata/fault.ts';

describe('The place of a fault (132)', () => {
  it('has the end of the text before it, and the beginning of the text behind it', () => {
    const text = 'abcdefghij'.repeat(6);
    const { before = '', fault, after = '' } = around(`${text}!`, text, `?${text}`);
    assert.deepEqual([before.length, before.at(0), before.endsWith('hij!')], [51, '…', true]);
    assert.equal(fault, 'abcdefghijabcdefghij…');
    assert.deepEqual([after.length, after.at(-1), after.startsWith('?abc')], [51, '…', true]);
    assert.deepEqual(around('a', 'b', 'c'), { before: 'a', fault: 'b', after: 'c' });
  });

  it('counts fields as people do', () => {
    const text = (occurrence: number) => placeText({ field: '650', occurrence, subfield: 'x' });
    assert.equal(text(1), '650 $x');
    for (const [occurrence, ordinal] of [
      [2, '2nd'],
      [3, '3rd'],
      [4, '4th'],
      [11, '11th'],
      [13, '13th'],
      [21, '21st'],
    ] as const) {
      assert.equal(text(occurrence), `650 $x (${ordinal} 650)`);
    }
  });
});
