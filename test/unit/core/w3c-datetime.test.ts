import assert from 'node:assert/strict';
import fc from 'fast-check';
import { codeOfProblem, formatSeconds, parseDatetime } from '../../../src/core/w3c-datetime.ts';

describe('W3C datetimes', () => {
  it('are written as Date writes them, of any year that four digits hold', () => {
    const seconds = fc.integer({ min: Date.UTC(0, 0, 1) / 1000 - 60_000_000_000, max: Date.UTC(9999, 11, 31) / 1000 });
    fc.assert(
      fc.property(seconds, (at) => {
        assert.equal(formatSeconds(at), `${new Date(at * 1000).toISOString().replace(/\.000Z$/, '')}Z`);
      }),
    );
  });

  it('are read with every kind of zone and fraction', () => {
    const second = Date.UTC(2017, 1, 3, 12, 25, 0) * 1000;
    const same = [
      '2017-02-03T12:25:00Z',
      '2017-02-03T12:25Z',
      '2017-02-03T12:25:00+0000',
      '2017-02-03T13:55:00+01:30',
      '2017-02-03T11:25:00-01:00',
    ];
    for (const text of same) assert.equal(parseDatetime(text), second, text);
    assert.equal(parseDatetime('2017-02-03T12:25:00.1234567Z'), second + 123_456);
    assert.equal(parseDatetime('1969-12-31T23:59:59.5Z'), -500_000);
  });

  it('are read as Date reads them', () => {
    const fields = fc.record({
      at: fc.integer({ min: Date.UTC(1000, 0, 1) / 1000, max: Date.UTC(9998, 0, 1) / 1000 }),
      micros: fc.option(fc.nat({ max: 999_999 }), { nil: undefined }),
      zone: fc.integer({ min: -14 * 60 + 1, max: 14 * 60 + 59 }),
      colon: fc.constantFrom('', ':'),
    });
    fc.assert(
      fc.property(fields, ({ at, micros, zone, colon }) => {
        const fraction = micros === undefined ? '' : `.${String(micros).padStart(6, '0')}`;
        const [hours, minutes] = [Math.trunc(Math.abs(zone) / 60), Math.abs(zone) % 60];
        const offset = `${zone < 0 ? '-' : '+'}${twoDigits(hours)}${colon}${twoDigits(minutes)}`;
        const local = new Date((at + zone * 60) * 1000).toISOString().slice(0, 19);
        assert.equal(parseDatetime(`${local}${fraction}${offset}`), at * 1_000_000 + (micros ?? 0));
      }),
    );
  });

  it('are read up to the last day of a month and the last second of a day', () => {
    for (const text of [
      '0100-01-01T00:00:00Z',
      '2016-02-29T23:59:59Z',
      '2016-01-31T00:00:00Z',
      '2000-02-29T00:00:00Z',
      '2017-12-31T23:59:59Z',
    ]) {
      assert.equal(parseDatetime(text), Date.parse(text) * 1000, text);
    }
  });

  it('have one code when only their time or zone is missing', () => {
    assert.equal(codeOfProblem('a date without a time'), 'datetime-without-zone');
    assert.equal(codeOfProblem('a datetime without a time zone'), 'datetime-without-zone');
    assert.equal(codeOfProblem('not a W3C datetime'), 'bad-datetime');
    assert.equal(codeOfProblem('not a day or time that exists'), 'bad-datetime');
  });

  it('are refused with what is wrong', () => {
    assert.equal(parseDatetime('yesterday'), 'not a W3C datetime');
    assert.equal(parseDatetime('2017-02-03T12:25:00+25:00'), 'not a W3C datetime');
    assert.equal(parseDatetime('2017-02-03'), 'a date without a time');
    assert.equal(parseDatetime('2017-02-03T12:25:00'), 'a datetime without a time zone');
    for (const text of [
      '2017-02-30T00:00:00Z',
      '2017-13-01T00:00:00Z',
      '2017-01-01T25:00:00Z',
      '2017-01-01T00:61:00Z',
      '0050-01-01T00:00:00Z',
      '0099-01-01T00:00:00Z',
      '2017-00-01T00:00:00Z',
      '2017-01-00T00:00:00Z',
      '2017-01-32T00:00:00Z',
      '2017-04-31T00:00:00Z',
      '2017-02-29T00:00:00Z',
      '2016-02-30T00:00:00Z',
      '1900-02-29T00:00:00Z',
      '2017-01-01T24:00:00Z',
      '2017-01-01T00:60:00Z',
      '2017-01-01T00:00:60Z',
    ]) {
      assert.equal(parseDatetime(text), 'not a day or time that exists', text);
    }
  });
});

function twoDigits(number: number): string {
  return String(number).padStart(2, '0');
}
