import assert from 'node:assert/strict';
import { readCredentials } from '../../../src/access/credentials.ts';
import { parseScope } from '../../../src/access/scope.ts';
import { keyOfRequestPath, resolveLocation } from '../../../src/core/key.ts';
import { parseRelation } from '../../../src/core/link-relations.ts';
import { isMediaType } from '../../../src/core/media-type.ts';
import { parseSlug } from '../../../src/core/resource-set.ts';
import { parseDatetime } from '../../../src/core/w3c-datetime.ts';
import { prefersPage } from '../../../src/http/request/prefers-page.ts';
import { rangeHolds, weighConditions } from '../../../src/http/response/conditional-request.ts';
import { negotiateEncoding } from '../../../src/http/response/negotiate-encoding.ts';
import { postedHashes } from '../../../src/ingest/posted-hashes.ts';
import { escapeXml } from '../../../src/lib/escape-xml.ts';
import { parseExclusions } from '../../../src/lib/glob/exclusions.ts';

/** More than a head may have; a field of an event may have a megabyte. */
const HEADER = 16_384;
const FIELD = 30_000;
/** Milliseconds of the processor for one text: what explodes takes minutes. */
const MOST = 250;

const VALIDATORS = { etag: '"a"', lastModified: 1, dateTellsVersions: true };
const BASE = { urlPrefix: 'http://example.org/set/', resourceRootDir: '/root' };

/** Whatever takes a text from outside, with the most letters that it may have. */
const TAKERS: Readonly<Record<string, readonly [(text: string) => unknown, number]>> = {
  'Accept-Encoding': [negotiateEncoding, HEADER],
  Accept: [prefersPage, HEADER],
  'If-None-Match': [(text) => weighConditions({ 'if-none-match': text }, VALIDATORS), HEADER],
  'If-Match': [(text) => weighConditions({ 'if-match': text }, VALIDATORS), HEADER],
  'If-Modified-Since': [(text) => weighConditions({ 'if-modified-since': text }, VALIDATORS), HEADER],
  'If-Range': [(text) => rangeHolds({ 'if-range': text }, VALIDATORS), HEADER],
  Authorization: [
    (text) => [readCredentials(`Bearer ${text}`), readCredentials(`Basic ${text}`), readCredentials(text)],
    HEADER,
  ],
  'a path': [keyOfRequestPath, HEADER],
  'a slug': [parseSlug, HEADER],
  'a scope': [(text) => parseScope(`read:${text}` as never), HEADER],
  'a relative path': [(value) => resolveLocation({ value, type: 'rel_path' }, BASE), FIELD],
  'an absolute path': [(value) => resolveLocation({ value: `/root/${value}`, type: 'abs_path' }, BASE), FIELD],
  'a URL': [(value) => resolveLocation({ value: `http://example.org/set/${value}`, type: 'url' }, BASE), FIELD],
  'a URI': [(value) => resolveLocation({ value, type: 'url' }, BASE), FIELD],
  'a media type': [
    (text) => [isMediaType(text), isMediaType(`text/plain${text}`), isMediaType(`text/plain;a="${text}`)],
    FIELD,
  ],
  'a relation': [parseRelation, FIELD],
  'a date': [(text) => [parseDatetime(text), parseDatetime(`2026-01-31T12:00:00.${text}`)], FIELD],
  hashes: [(text) => postedHashes(text, [text, `sha-256:${text}`]), FIELD],
  'a text of a document': [escapeXml, FIELD],
  'a name of a file': [(name) => parseExclusions(['*.bak', '/a/**/b', '[a-z]*/x', '*a*'])(name, false), 4096],
  'a line of .tidemarkignore': [(line) => parseExclusions([line]), 8_192],
};

/**
 * What makes expressions try again and again: many of one, nearly fitting, and something at the end that does not fit.
 */
const PARTS = [
  'a',
  ' ',
  '\t',
  '"',
  '\\',
  '\\"',
  '%',
  '%2',
  '%25',
  '%2e',
  '.',
  '..',
  '../',
  '/',
  '//',
  ',',
  ';',
  ';q=',
  '; a=b',
  ';a="',
  'W/"',
  '"a" ',
  '-',
  '+',
  '0',
  '1:',
  '<',
  '&',
  ']]>',
  'é',
  '\u{1f5fa}',
  '*',
  '**/',
  '[',
  '{',
  '(',
  'sha-256:',
  '\n',
  '\r',
];
const ENDS = ['', '!', '\u0000', '"', ' x', '\n'];

describe('Hostile texts @long', () => {
  for (const [what, [take, most]] of Object.entries(TAKERS)) {
    it(`as ${what} are done with at once`, () => {
      for (const part of PARTS) {
        for (const end of ENDS) {
          const text = part.repeat(Math.floor(most / part.length)) + end;
          const began = process.threadCpuUsage();
          try {
            take(text);
          } catch {
            // Refusing is as good as taking.
          }
          const took = millisecondsSince(began);
          assert.ok(took < MOST, `${JSON.stringify(part)} … ${JSON.stringify(end)} took ${took} ms`);
        }
      }
    });
  }

  it('as patterns of files are done with at once', () => {
    const name = `${'a'.repeat(250)}!`;
    for (const pattern of [
      '{a,aa}+b',
      '[a]+'.repeat(6) + 'b',
      '\\\\(a|aa)+b',
      '*a*a*/*a*a*/*a*a*/b',
      '**/*a*a*/**/*a*a*/**/b',
      '*a'.repeat(20),
      '*'.repeat(50) + 'b',
      '**/'.repeat(20) + 'b',
      'a*'.repeat(30) + 'b',
      '?*'.repeat(20) + 'b',
      '[a-z]*'.repeat(20) + 'b',
      '{a,aa}'.repeat(15) + 'b',
      '{a*,*a}'.repeat(8) + 'b',
    ]) {
      const began = process.threadCpuUsage();
      const excludes = parseExclusions([pattern, `/${pattern}`]);
      for (const path of [
        name,
        `${'a'.repeat(80)}/`.repeat(12),
        `${'a/'.repeat(120)}${name}`,
        `${name}/${name}/${name}`,
      ])
        excludes(path, false);
      const took = millisecondsSince(began);
      assert.ok(took < MOST, `${pattern.slice(0, 60)} took ${took} ms`);
    }
  });
});

function millisecondsSince(began: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(began);
  return (user + system) / 1000;
}
