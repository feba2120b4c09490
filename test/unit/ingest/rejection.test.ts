import assert from 'node:assert/strict';
import type { ResourceSet } from '../../../src/core/resource-set.ts';
import { isRejection, parsePostedEvent } from '../../../src/ingest/posted-event.ts';

const NOW = Date.UTC(2026, 5, 1);
const SET = {
  id: 7,
  slug: 'papers',
  urlPrefix: 'https://data.example.org/papers/',
  resourceRootDir: '/srv/papers',
} as ResourceSet;
const LOCATION = { value: 'a.pdf', type: 'rel_path' };
const LONG = 'x'.repeat(100);

const leavesOut = (path: string): boolean => path === 'hidden.pdf';
const parsed = (fields: object, set = SET) =>
  parsePostedEvent({ location: LOCATION, change: 'created', ...fields }, { set, leavesOut }, NOW);
const link = (fields: object) => parsed({ ln: [{ rel: 'describedby', href: LOCATION, ...fields }] });

describe('The rejection of a posted event', () => {
  const messages = (): readonly (readonly [event: unknown, message: string, field: string | undefined])[] => [
    [parsed({ colour: 1 }), 'there is no field "colour"', 'colour'],
    [parsed({ lenght: 1 }), 'there is no field "lenght"; did you mean "length"?', 'lenght'],
    [parsed({ [LONG]: 1 }), `there is no field "${LONG.slice(0, 80)}"`, LONG.slice(0, 80)],
    [link({ hreff: 1 }), 'there is no field "hreff" in ln[0]; did you mean "href"?', 'ln[0].hreff'],
    [
      parsed({ location: { ...LOCATION, valeu: 1 } }),
      'there is no field "valeu" in location; did you mean "value"?',
      'location.valeu',
    ],
    [
      link({ href: { ...LOCATION, tipe: 1 } }),
      'there is no field "tipe" in ln[0].href; did you mean "type"?',
      'ln[0].href.tipe',
    ],
    [parsed({ change: 'moved' }), 'change is "moved"; use one of created, updated, deleted', 'change'],
    [
      parsed({ location: { value: 'a', type: 'x' } }),
      'location.type is "x"; use one of url, abs_path, rel_path',
      'location.type',
    ],
    [parsed({ length: -1 }), 'length is -1; it is a whole number from 0 to 9007199254740991', 'length'],
    [parsed({ mime: null }), 'mime is null; leave out a field that is not known', 'mime'],
    [parsed({ resource_set: 'maps' }), 'resource_set is not "papers", the set that it was posted to', 'resource_set'],
    [
      parsed({ resource_set: 'maps' }, { ...SET, aliases: ['old', 'older'] }),
      'resource_set is not "papers" or "old" or "older", the set that it was posted to',
      'resource_set',
    ],
    [
      parsed({ lastmod: LONG }),
      `lastmod is "${LONG.slice(0, 80)}", not a W3C datetime: write 2026-01-31T12:00:00Z`,
      'lastmod',
    ],
    [
      link({ rel: LONG }),
      `ln[0].rel is "${LONG.slice(0, 80)}", neither a name registered at IANA nor an absolute URI`,
      'ln[0].rel',
    ],
    [parsed({ mime: LONG }), `mime is "${LONG.slice(0, 80)}", which is not a media type such as text/plain`, 'mime'],
    [parsed({ md5: LONG }), `md5 is "${LONG.slice(0, 79)}, but a md5 digest has 32 hexadecimal digits`, 'md5'],
    [parsed({ hash: 'crc32:x' }), 'hash names the algorithm "crc32"; known are sha-256, sha-1, md5', 'hash'],
    [
      link({ rel: 'http://www.openarchives.org/rs/terms/patch' }),
      'ln[0].mime is missing: a patch must have the media type that says how to apply it (ResourceSync 1.1, 14.4)',
      'ln[0].mime',
    ],
    [
      parsed({ location: { value: 'hidden.pdf', type: 'rel_path' } }),
      'location is left out of this set, by its exclusions or its .tidemarkignore',
      'location.value',
    ],
  ];

  it('says what is wrong, and with which field', () => {
    for (const [event, message, field] of messages()) {
      const { status, message: said, field: named } = event as Record<string, unknown>;
      assert.deepEqual([status, said, named], ['rejected', message, field]);
    }
  });

  it('has a code', () => {
    const codeOf = (event: ReturnType<typeof parsed>) => isRejection(event) && [event.status, event.code];
    assert.deepEqual(codeOf(parsed({ location: { value: 'hidden.pdf', type: 'rel_path' } })), ['rejected', 'left-out']);
    assert.deepEqual(codeOf(parsed({ mime: null })), ['rejected', 'wrong-type']);
    assert.deepEqual(codeOf(parsed({ length: -0.5 })), ['rejected', 'negative-length']);
    assert.deepEqual(codeOf(parsed({ hash: ':x' })), ['rejected', 'unknown-hash-algorithm']);
    assert.deepEqual(codeOf(parsePostedEvent([], { set: SET }, NOW)), ['rejected', 'not-an-object']);
    const links = Array.from({ length: 11 }, () => ({ rel: 'up' as string | undefined, href: LOCATION }));
    const last = links.map((each, at) => (at === 10 ? { href: LOCATION } : { ...each, rel: 'self' }));
    assert.deepEqual(codeOf(parsed({ ln: last })), ['rejected', 'link-without-rel']);
  });

  it('is none of an event of the set, by its id or an alias, nor of a deletion of what is left out', () => {
    assert.ok(!isRejection(parsed({ resource_set: 'papers' })));
    assert.ok(!isRejection(parsed({ resource_set: 'old' }, { ...SET, aliases: ['old'] })));
    assert.ok(!isRejection(parsed({ location: { value: 'hidden.pdf', type: 'rel_path' }, change: 'deleted' })));
    assert.ok(!isRejection(parsed({ location: { value: `${SET.urlPrefix}a?b`, type: 'url' } })));
    assert.ok(!isRejection(parsed({ lastmod: '2026-06-02T00:00:00Z' })), 'a day ahead');
    assert.ok(isRejection(parsed({ lastmod: '2026-06-02T00:00:01Z' })));
  });

  it('keeps a source without a position', () => {
    const event = parsed({ source: 's' });
    assert.ok(!isRejection(event) && event.source === 's' && !('position' in event));
  });
});
