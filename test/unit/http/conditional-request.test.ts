import assert from 'node:assert/strict';
import {
  type Precondition,
  rangeHolds,
  type Validators,
  weighConditions,
} from '../../../src/http/response/conditional-request.ts';

/** Sun, 06 Nov 1994 08:49:37 GMT */
const MODIFIED = 784_111_777;
const BEFORE = 'Sun, 06 Nov 1994 08:49:36 GMT';
const AT = 'Sun, 06 Nov 1994 08:49:37 GMT';
const AFTER = 'Sun, 06 Nov 1994 08:49:38 GMT';

const VALIDATORS: Validators = {
  etag: '"a-gzip"',
  otherEtags: ['"a"'],
  lastModified: MODIFIED,
  dateTellsVersions: true,
};

type Case = readonly [header: string, expected: Precondition];

describe('The conditions of a request', () => {
  const weigh = (headers: Record<string, string>, more: Partial<Validators> = {}) =>
    weighConditions(headers, { ...VALIDATORS, ...more });

  it('are none without a header', () => {
    assert.equal(weigh({}), 'proceed');
  });

  for (const [header, expected] of [
    ['"a-gzip"', 'proceed'],
    ['*', 'proceed'],
    [' * ', 'proceed'],
    ['"x", "a-gzip"', 'proceed'],
    ['W/"a-gzip"', 'failed'],
    ['"a"', 'failed'],
    ['"x"', 'failed'],
    ['a-gzip', 'failed'],
    ['""', 'failed'],
    ['', 'failed'],
  ] satisfies Case[]) {
    it(`let If-Match: ${header} ${expected}`, () => assert.equal(weigh({ 'if-match': header }), expected));
  }

  for (const [header, expected] of [
    ['"a-gzip"', 'not-modified'],
    ['"a"', 'not-modified'],
    ['W/"a"', 'not-modified'],
    ['W/"a-gzip"', 'not-modified'],
    ['"x","a"', 'not-modified'],
    ['"x" , W/"y", "a-gzip"', 'not-modified'],
    ['*', 'not-modified'],
    ['"x"', 'proceed'],
    ['"x", "y"', 'proceed'],
    ['a', 'proceed'],
    ['', 'proceed'],
  ] satisfies Case[]) {
    it(`let If-None-Match: ${header} ${expected}`, () => assert.equal(weigh({ 'if-none-match': header }), expected));
  }

  it('know the tag of one encoding alone where there is no other', () => {
    const alone: Validators = { etag: '"a"', lastModified: undefined, dateTellsVersions: true };
    assert.equal(weighConditions({ 'if-none-match': '"b", "a"' }, alone), 'not-modified');
    assert.equal(weighConditions({ 'if-none-match': '"b"' }, alone), 'proceed');
  });

  for (const [header, expected] of [
    [BEFORE, 'proceed'],
    [AT, 'not-modified'],
    [AFTER, 'not-modified'],
    ['never', 'proceed'],
    ['', 'proceed'],
  ] satisfies Case[]) {
    it(`let If-Modified-Since: ${header} ${expected}`, () => {
      assert.equal(weigh({ 'if-modified-since': header }), expected);
      assert.equal(weigh({ 'if-modified-since': header }, { dateTellsVersions: false }), 'proceed');
      assert.equal(weigh({ 'if-modified-since': header }, { lastModified: undefined }), 'proceed');
    });
  }

  for (const [header, expected] of [
    [BEFORE, 'failed'],
    [AT, 'proceed'],
    [AFTER, 'proceed'],
    ['never', 'proceed'],
  ] satisfies Case[]) {
    it(`let If-Unmodified-Since: ${header} ${expected}`, () => {
      assert.equal(weigh({ 'if-unmodified-since': header }), expected);
      assert.equal(weigh({ 'if-unmodified-since': header }, { lastModified: undefined }), 'proceed');
    });
  }

  it('are weighed in the order of RFC 9110, 13.2.2', () => {
    assert.equal(weigh({ 'if-match': '"a-gzip"', 'if-unmodified-since': BEFORE }), 'proceed');
    assert.equal(weigh({ 'if-match': '"x"', 'if-none-match': '"a"' }), 'failed');
    assert.equal(weigh({ 'if-match': '*', 'if-none-match': '"a"' }), 'not-modified');
    assert.equal(weigh({ 'if-unmodified-since': BEFORE, 'if-none-match': '"a"' }), 'failed');
    assert.equal(weigh({ 'if-none-match': '"x"', 'if-modified-since': AT }), 'proceed');
  });

  for (const date of ['Sunday, 06-Nov-94 08:49:37 GMT', 'Sun Nov  6 08:49:37 1994', 'Sun Nov 06 08:49:37 1994']) {
    it(`know the obsolete form of a date: ${date}`, () => {
      assert.equal(weigh({ 'if-modified-since': date }), 'not-modified');
      assert.equal(weigh({ 'if-modified-since': date }, { lastModified: MODIFIED + 1 }), 'proceed');
      assert.equal(weigh({ 'if-unmodified-since': date }, { lastModified: MODIFIED + 1 }), 'failed');
    });
  }

  for (const text of [
    '2099',
    'x 2099',
    '2099-01-01T00:00:00Z',
    'Sun, 06 Nov 2099 08:49:37',
    'Sun, 06 Nov 2099 08:49:37 PST',
  ]) {
    it(`ignore what is not an HTTP date: ${text}`, () => {
      assert.equal(weigh({ 'if-modified-since': text }), 'proceed');
      assert.equal(weigh({ 'if-unmodified-since': text.replace('2099', '1980') }), 'proceed');
    });
  }
});

describe('A range of a resource', () => {
  const holds = (ifRange: unknown, more: Partial<Validators> = {}) =>
    rangeHolds({ ...(ifRange !== undefined && { 'if-range': ifRange as string }) }, { ...VALIDATORS, ...more });

  it('is sent without If-Range, or with the strong tag of this version', () => {
    assert.equal(holds(undefined), true);
    assert.equal(holds('"a-gzip"'), true);
    assert.equal(holds(' "a-gzip" '), true);
  });

  it('is not sent with another tag, a weak one, or several', () => {
    for (const ifRange of ['"a"', '"x"', 'W/"a-gzip"', '"x", "a-gzip"', ['"a-gzip"']])
      assert.equal(holds(ifRange), false);
  });

  it('is sent with the very date of this version, when a date is enough to know it by', () => {
    assert.equal(holds(AT), true);
    assert.equal(holds(BEFORE), false);
    assert.equal(holds(AFTER), false);
    assert.equal(holds(AT, { dateTellsVersions: false }), false);
    assert.equal(holds(AT, { lastModified: undefined }), false);
  });

  it('is not sent with what is not a date, also of a resource without one', () => {
    assert.equal(holds('never'), false);
    assert.equal(holds('never', { lastModified: undefined }), false);
  });
});
