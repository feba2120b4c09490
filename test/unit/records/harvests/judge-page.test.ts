import assert from 'node:assert/strict';
import { EndlessList } from '../../../../src/records/arrivals/oai-harvest/endless-list.ts';
import type { HarvestedList } from '../../../../src/records/arrivals/oai-harvest/harvested-list.ts';
import { judgePage, placeOf } from '../../../../src/records/arrivals/oai-harvest/judge-page.ts';
import { nextFrom } from '../../../../src/records/arrivals/oai-harvest/next-from.ts';
import { SeenIdentifiers } from '../../../../src/records/arrivals/oai-harvest/seen-identifiers.ts';
import type { ScannedPage } from '../../../../src/records/forms/oai/page-scan.ts';

const DATE = '2026-11-29T04:00:00Z';
const PAGE: ScannedPage = {
  responseDate: DATE,
  errors: [],
  records: 10,
  lastIdentifier: 'oai:a:10',
  token: undefined,
  completeListSize: undefined,
  isStatic: false,
};
const BEGUN: HarvestedList = { pages: 0, records: 0 };
const SECOND: HarvestedList = { pages: 1, records: 10, token: 't1', responseDate: DATE };

const errors = (...codes: string[]) => codes.map((code) => ({ code, text: 'why' }));

describe('judgePage', () => {
  it('completes a list at an empty token or none, when no fewer records came than it said', () => {
    const complete = { pages: 1, records: 10, responseDate: DATE, lastIdentifier: 'oai:a:10', isComplete: true };
    assert.deepEqual(judgePage(BEGUN, PAGE), { list: complete });
    assert.deepEqual(judgePage(BEGUN, { ...PAGE, token: '' }), { list: complete });
    assert.deepEqual(judgePage(SECOND, { ...PAGE, token: '', completeListSize: 20, responseDate: 'later' }), {
      list: { ...complete, pages: 2, records: 20, completeListSize: 20 },
    });
    // An empty last page is harmless: all records came before.
    assert.ok('list' in judgePage(SECOND, { ...PAGE, records: 0, lastIdentifier: undefined, token: '' }));
  });

  it('goes on with a token, which may be that of an empty page', () => {
    const verdict = judgePage(SECOND, { ...PAGE, records: 0, token: 't2' });
    assert.ok('list' in verdict && verdict.list.token === 't2' && !verdict.list.isComplete);
  });

  it('takes every doubt for a problem', () => {
    for (const [list, page, problem] of [
      [BEGUN, { records: 0 }, /neither records nor a token/],
      [BEGUN, { records: 0, token: '' }, /neither records nor a token/],
      [SECOND, { records: 0 }, /neither records nor a token/],
      [SECOND, { completeListSize: 21 }, /ends after 20 records, and was said to have 21/],
      [BEGUN, { responseDate: undefined }, /no responseDate/],
      [BEGUN, { responseDate: '2026-11-29 04:00' }, /no responseDate in UTC/],
      [BEGUN, { responseDate: '2026-13-29T04:00:00Z' }, /no responseDate in UTC/],
      [BEGUN, { errors: errors('badVerb') }, /error beside records/],
      [
        BEGUN,
        { records: 0, errors: errors('badArgument', 'noRecordsMatch') },
        /answers badArgument: why; noRecordsMatch/,
      ],
      [BEGUN, { records: 0, errors: errors('badResumptionToken') }, /answers badResumptionToken/],
      [SECOND, { records: 0, errors: errors('noRecordsMatch') }, /answers noRecordsMatch/],
      [{ ...BEGUN, hasBegunAgain: true }, { records: 0, errors: errors('noRecordsMatch') }, /answers noRecordsMatch/],
    ] as const) {
      const verdict = judgePage(list, { ...PAGE, ...page });
      assert.match('problem' in verdict ? verdict.problem : '', problem);
    }
  });

  it('begins a list with an expired token again, once', () => {
    const expired = { ...PAGE, records: 0, errors: errors('badResumptionToken') };
    const list = { ...SECOND, set: 'a', from: '2020-01-01' };
    assert.deepEqual(judgePage(list, expired), {
      begunAgain: { set: 'a', from: '2020-01-01', pages: 0, records: 0, hasBegunAgain: true },
    });
    assert.ok('problem' in judgePage({ ...list, hasBegunAgain: true }, expired));
  });

  it('completes an empty list by noRecordsMatch', () => {
    const verdict = judgePage(BEGUN, { ...PAGE, records: 0, errors: errors('noRecordsMatch') });
    assert.deepEqual(verdict, { list: { pages: 0, records: 0, responseDate: DATE, isComplete: true } });
  });

  it('asks for all records when the clock of the repository is behind what is asked for', () => {
    const asked = { ...BEGUN, set: 'a', from: '2099-01-01T00:00:00Z' };
    const begunAgain = { set: 'a', pages: 0, records: 0 };
    assert.deepEqual(judgePage(asked, PAGE), { begunAgain });
    for (const code of ['noRecordsMatch', 'badArgument']) {
      assert.deepEqual(judgePage(asked, { ...PAGE, records: 0, errors: errors(code) }), { begunAgain });
    }
    assert.deepEqual(judgePage({ ...asked, from: '2099-01-01' }, PAGE), { begunAgain });
    for (const from of ['2026-11-29', DATE]) assert.ok('list' in judgePage({ ...asked, from }, PAGE));
  });

  it('says where a list has come to, with a long token shortened', () => {
    const place = placeOf({ ...SECOND, set: 'a "b"', token: 't'.repeat(1_000), lastIdentifier: 'oai:a:10' });
    assert.equal(place, `set "a \\"b\\"", page 2, token "${'t'.repeat(100)}…", last identifier "oai:a:10"`);
  });
});

describe('EndlessList', () => {
  const list = (token: string | undefined, more: Partial<HarvestedList> = {}): HarvestedList => ({
    ...{ pages: 1, records: 10 },
    ...(token !== undefined && { token }),
    ...more,
  });

  it('recognizes a token that was there before, not only in the page before', () => {
    const endless = new EndlessList();
    for (const token of ['a', 'b', 'c']) assert.equal(endless.problemAfter(list(token), [token]), undefined);
    assert.match(endless.problemAfter(list('a'), ['d'])!, /does not end: its token was there before/);
  });

  it('recognizes two pages without a new identifier, wherever those were', () => {
    const endless = new EndlessList();
    for (const [at, identifiers] of [['1', '2'], ['3'], ['1'], ['4', '1'], ['2']].entries()) {
      assert.equal(endless.problemAfter(list(`t${at}`), identifiers), undefined);
    }
    assert.match(endless.problemAfter(list('t9'), ['3', '1'])!, /two pages have no new identifier/);
  });

  it('recognizes at its end that a page came twice in place of another one', () => {
    const size = { records: 2, completeListSize: 4 };
    const repeated = (ids: readonly string[], more: object = size) => {
      const endless = new EndlessList();
      assert.equal(endless.problemAfter(list('a', more), ['1', '2']), undefined);
      return endless.problemAfter(list(undefined, { ...more, pages: 2 }), ids);
    };
    assert.match(repeated(['1', '2'])!, /a page came twice: the list has 2 different records, and was said to have 4/);
    for (const ids of [['3', '4'], ['2', '3'], ['1']]) assert.equal(repeated(ids), undefined);
    assert.equal(repeated(['1', '2'], { records: 2 }), undefined);
    // What came before a process was killed is not known.
    assert.equal(new EndlessList().problemAfter(list(undefined, { ...size, pages: 2 }), ['1', '1']), undefined);
  });

  it('recognizes a list that is one and a half times as long as it said', () => {
    const endless = new EndlessList();
    assert.equal(endless.problemAfter(list('a', { records: 15, completeListSize: 10 }), ['1']), undefined);
    assert.match(endless.problemAfter(list('b', { records: 16, completeListSize: 10 }), ['2'])!, /16 records already/);
  });
});

describe('SeenIdentifiers', () => {
  it('knows all of a hundred thousand identifiers, and takes nearly none for a known one', () => {
    const seen = new SeenIdentifiers();
    let wrong = 0;
    for (let at = 0; at < 100_000; at++) if (!seen.add(`oai:example.org:${at}`)) wrong += 1;
    assert.ok(wrong < 50, String(wrong));
    for (let at = 0; at < 100_000; at += 97) assert.equal(seen.add(`oai:example.org:${at}`), false);
  });
});

describe('nextFrom', () => {
  it('is one granule before the first answer, by the clock of the repository', () => {
    assert.equal(nextFrom('2026-03-01T00:00:00Z', 'second'), '2026-02-28T23:59:59Z');
    assert.equal(nextFrom('2026-03-01T00:00:00.5Z', 'second'), '2026-02-28T23:59:59Z');
    assert.equal(nextFrom('2026-03-01T23:00:00Z', 'day'), '2026-02-28');
  });
});
