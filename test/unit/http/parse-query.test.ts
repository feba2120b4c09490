import assert from 'node:assert/strict';
import { parse } from 'node:querystring';
import * as z from 'zod';
import { TidemarkError } from '../../../src/core/errors.ts';
import { parseQuery } from '../../../src/http/request/parse-query.ts';
import { choice, limit, text, time } from '../../../src/http/request/query-parameters.ts';

const SHAPE = {
  limit: limit({ usual: 100, most: 1000 }),
  after: text('Where to go on.'),
  from: time('The first time.'),
  results: choice(['failed', 'all'], 'Which.'),
};
const STRICT = z.strictObject(SHAPE);

describe('The parameters of a query', () => {
  const parsed = (query: string) => parseQuery(STRICT, parse(query));

  function refusal(query: string): TidemarkError {
    try {
      parsed(query);
    } catch (error) {
      if (error instanceof TidemarkError) return error;
      throw error;
    }
    throw new Error(`${query} was not refused`);
  }

  it('are what their schema makes of them', () => {
    assert.deepEqual(parsed(''), { limit: 100, results: 'failed' });
    assert.equal(parsed('limit=1000').limit, 1000);
    assert.deepEqual(parsed('limit=7&after=%2Fa%20b&from=2026-01-01T00:00:00.5%2B01:00&results=all'), {
      limit: 7,
      after: '/a b',
      from: Date.parse('2025-12-31T23:00:00.5Z') * 1000,
      results: 'all',
    });
  });

  it('may have a plus sign that was not encoded in a time', () => {
    assert.equal(parsed('from=2026-01-01T00:00:00+01:00').from, Date.parse('2025-12-31T23:00:00Z') * 1000);
  });

  for (const [query, field, message] of [
    ['limit=0', 'limit', /^limit is a whole number from 1 to 1000$/],
    ['limit=1e2', 'limit', /whole number/],
    ['limit=', 'limit', /whole number/],
    ['limit=99999999999999999999', 'limit', /whole number/],
    ['limit=1&limit=2', 'limit', /^limit is given several times$/],
    ['from=2026', 'from', /^from is a date without a time: write it as/],
    ['from=2026-01-01T00:00', 'from', /^from is a datetime without a time zone: write it as/],
    ['from=2026-02-30T00:00:00Z', 'from', /^from is not a day or time that exists/],
    ['results=some', 'results', /^results is failed or all$/],
    ['limti=5', 'limti', /^there is no parameter "limti" here: did you mean "limit"\?$/],
    ['unheard-of=5', 'unheard-of', /^there is no parameter "unheard-of" here: there are limit, after, from, results$/],
    ['__proto__=5', '__proto__', /^there is no parameter "__proto__"/],
    ['constructor=5&toString=6', 'constructor', /^there is no parameter "constructor"/],
  ] as const) {
    it(`are refused as ${query}`, () => {
      const { code, message: text, details } = refusal(query);
      assert.deepEqual([code, details.field], ['invalid', field]);
      assert.match(text, message);
    });
  }

  it('say of a time without a zone by its own code that it has none', () => {
    assert.equal(refusal('from=2026').details.code, 'datetime-without-zone');
    assert.equal(refusal('from=2026-02-30T00:00:00Z').details.code, 'bad-datetime');
    assert.equal(refusal('limit=0').details.code, 'bad-query');
  });

  it('that are unknown are named, as far as they are short, where there are none', () => {
    assert.throws(() => parseQuery(z.strictObject({}), { ['a'.repeat(90)]: 'x' }), {
      message: `there is no parameter "${'a'.repeat(80)}" here: there are none`,
    });
  });

  it('have an example where one helps', () => {
    assert.deepEqual(text('Where to go on.', '/a').meta(), { description: 'Where to go on.', examples: ['/a'] });
    assert.deepEqual(text('Where to go on.').meta(), { description: 'Where to go on.' });
  });

  it('that are missing are called so', () => {
    const unit = z.enum(['day', 'hour']);
    assert.throws(() => parseQuery(z.object({ unit }), { unit: 'x' }), { message: /^unit (?!is missing)/ });
    assert.throws(() => parseQuery(z.object({ unit }), {}), { message: 'unit is missing' });
  });

  it('are ignored where other programs may add some, however often they are given', () => {
    const ignoring = z.object(SHAPE);
    const query = 'limit=3&utm_source=x&utm_source=y&__proto__=z';
    assert.deepEqual(parseQuery(ignoring, parse(query)), { limit: 3, results: 'failed' });
  });
});
