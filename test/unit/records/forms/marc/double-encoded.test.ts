import assert from 'node:assert/strict';
import { doubleEncodedIn } from '../../../../../src/records/forms/marc/faults/double-encoded.ts';
import { encodeSample } from '../../../../support/marc-records.ts';

describe('A text that was converted to UTF-8 twice', () => {
  it('is found behind other text that has some of its bytes', () => {
    assert.deepEqual(doubleEncodedIn(record('слышу\u00a0вас', 'CafÃ© IRMÃ'))?.fault.field, '245');
  });

  it('is not seen in Cyrillic with no-break spaces, nor in Portuguese', () => {
    assert.equal(doubleEncodedIn(record('слышу\u00a0вас', 'IRMÃ')), undefined);
  });
});

function record(author: string, title: string): Buffer {
  const field = (tag: string, value: string) => ({ tag, indicators: '  ', subfields: [{ code: 'a', value }] });
  const fields = [{ tag: '001', value: 'r1' }, field('100', author), field('245', title)];
  return encodeSample({ leader: '00000nam a2200000 i 4500', fields });
}
