import assert from 'node:assert/strict';
import { describeFault } from '../../../../../src/records/forms/marc/faults/describe-fault.ts';
import { doubleEncodedIn } from '../../../../../src/records/forms/marc/faults/double-encoded.ts';
import { encodeSample } from '../../../../support/marc-records.ts';

const BYTES = encodeSample({
  leader: '00000nam a2200000 a 4500',
  fields: [
    { tag: '001', value: 'id' },
    { tag: '008', value: '<control' },
    { tag: '650', indicators: '10', subfields: [{ code: 'a', value: 'one' }] },
    {
      tag: '650',
      indicators: '10',
      subfields: [
        { code: 'a', value: 'żwo' },
        { code: 'x', value: '{text}' },
      ],
    },
  ],
});

/** The place of a byte, in words. */
function placeOf(text: string) {
  const { fault } = describeFault(BYTES, { kind: 'not-utf-8', what: 'is wrong', at: BYTES.indexOf(text) });
  return [fault.field, fault.occurrence, fault.subfield, fault.position, fault.fault];
}

describe('The place of a wrong byte in a record (132)', () => {
  it('is a field, its occurrence, a subfield and a character, all from 1', () => {
    assert.deepEqual(placeOf('<'), ['008', 1, undefined, 1, '<']);
    assert.deepEqual(placeOf('control'), ['008', 1, undefined, 2, 'c']);
    assert.deepEqual(placeOf('one'), ['650', 1, 'a', 1, 'o']);
    assert.deepEqual(placeOf('wo'), ['650', 2, 'a', 2, 'w']);
    assert.deepEqual(placeOf('{'), ['650', 2, 'x', 1, '{']);
    assert.deepEqual(placeOf('}'), ['650', 2, 'x', 6, '}']);
  });

  it('is in the field at its first byte and at its end', () => {
    assert.deepEqual(placeOf('id').slice(0, 2), ['001', 1]);
    const end = BYTES.indexOf('one') + 3;
    const { fault } = describeFault(BYTES, { kind: 'not-utf-8', what: 'is wrong', at: end });
    assert.deepEqual([fault.field, fault.occurrence], ['650', 1]);
  });

  it('has both characters of a letter that was converted twice', () => {
    const bytes = encodeSample({
      leader: '00000nam a2200000 a 4500',
      fields: [{ tag: '245', indicators: '10', subfields: [{ code: 'a', value: 'caf\u00c3\u00a9' }] }],
    });
    assert.equal(doubleEncodedIn(bytes)?.fault.fault, '\u00c3\u00a9');
  });
});
