import assert from 'node:assert/strict';
import { exactBytes } from '../../../../src/datasets/platforms/signposted/content-size.ts';

const URL_OF_FILE = 'https://data.example.org/a.csv';

describe('Sizes of schema.org', () => {
  const value = (size: number | string, unit: object) => ({ '@type': 'QuantitativeValue', value: size, ...unit });
  const exact: readonly (readonly [unknown, number])[] = [
    [1205, 1205],
    ['1205', 1205],
    ['1205b', 1205],
    ['1,205 Bytes', 1205],
    ['1 205 000', 1_205_000],
    ['0', 0],
    [value('1205', { unitCode: 'AD' }), 1205],
    [value(1205, { unitText: 'bytes' }), 1205],
  ];
  for (const [stated, bytes] of exact) {
    it(`are exact as ${JSON.stringify(stated)} (d18)`, () => assert.equal(exactBytes(stated, URL_OF_FILE), bytes));
  }

  const rounded = [
    '1.2 MB',
    '12 kB',
    value('12', { unitCode: '2P' }),
    'about 3',
    '',
    null,
    undefined,
    {},
    ['1'],
    '1.205,5',
  ];
  for (const stated of rounded) {
    it(`are not compared as ${JSON.stringify(stated)} (d18)`, () =>
      assert.equal(exactBytes(stated, URL_OF_FILE), undefined));
  }

  for (const stated of [-1, '-5 bytes', 1.5, '0.5 b', '9007199254740993', '1.2.3']) {
    it(`are refused as ${JSON.stringify(stated)} (d18)`, () =>
      assert.throws(() => exactBytes(stated, URL_OF_FILE), /a\.csv: contentSize is /));
  }
});
