import assert from 'node:assert/strict';
import { headText } from '../../../src/http/response/head-text.ts';

const OPTIONS = {
  requestId: 'id',
  common: new Map([
    ['X-Common', 'a'],
    ['X-Other', 'b'],
  ]),
  end: '\r\n',
};

describe('The text of a head', () => {
  const linesOf = (status: number, headers: Record<string, string | string[]>) =>
    headText({ status, headers }, OPTIONS)
      .split('\r\n')
      .filter((line) => !line.startsWith('Date: '));

  it('has the headers of every answer, unless the answer has its own', () => {
    const lines = ['HTTP/1.1 200 OK', 'X-Request-Id: id', 'X-Other: b', 'X-Common: own', '', ''];
    assert.deepEqual(linesOf(200, { 'X-Common': 'own' }), lines);
  });

  it('has no others when nothing has changed', () => {
    assert.deepEqual(linesOf(304, { ETag: '"a"' }), [
      'HTTP/1.1 304 Not Modified',
      'X-Request-Id: id',
      'ETag: "a"',
      '',
      '',
    ]);
  });

  it('has a line for each of several values', () => {
    assert.deepEqual(linesOf(304, { 'X-A': ['1', '2'] }).slice(2, 4), ['X-A: 1', 'X-A: 2']);
  });

  it('has the date, to the second', () => {
    const [, date = ''] = /\r\nDate: (.*)\r\n/.exec(headText({ status: 200, headers: {} }, OPTIONS)) ?? [];
    assert.ok(Math.abs(Date.parse(date) - Date.now()) < 60_000);
    assert.equal(new Date(date).toUTCString(), date);
  });

  for (const value of ['a\r\nb', 'a\nb', 'a\0', '\u0100']) {
    it(`never has ${JSON.stringify(value)} in a value`, () => {
      assert.throws(() => headText({ status: 200, headers: { 'X-A': value } }, OPTIONS), TypeError);
    });
  }
});
