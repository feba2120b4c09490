import assert from 'node:assert/strict';
import fc from 'fast-check';
import { TidemarkError } from '../../../src/core/errors.ts';
import { parseLinkRule } from '../../../src/core/link-rule.ts';

const XML = { before: '/', after: '.xml' };
const TIF = { before: '/', after: '.tif' };

describe('a link rule', () => {
  it('about metadata makes a link in each direction', () => {
    const describes = { kind: 'neighbour', rel: 'describes', from: XML, to: TIF };
    const describedBy = { kind: 'neighbour', rel: 'describedby', from: TIF, to: XML };
    assert.deepEqual(parseLinkRule('*.xml describes *.tif'), [describes, describedBy]);
    assert.deepEqual(parseLinkRule('  *.tif   describedby  *.xml '), [describedBy, describes]);
  });

  it('names folders, and characters as in a URI or as they are', () => {
    const [rule] = parseLinkRule('meta/é%20&*.xml describes images%2Fx/*');
    assert.deepEqual(rule, {
      kind: 'neighbour',
      rel: 'describes',
      from: { before: '/meta/%C3%A9%20&', after: '.xml' },
      to: { before: '/images%2Fx/', after: '' },
    });
  });

  it('leads to an address that is made of the path, with a type and a priority', () => {
    assert.deepEqual(parseLinkRule('duplicate https://mirror.example.org/{path} pri=1'), [
      { kind: 'address', rel: 'duplicate', from: undefined, template: 'https://mirror.example.org/{path}', pri: 1 },
    ]);
    assert.deepEqual(parseLinkRule('*.tif alternate https://example.org/{stem}.jpg pri=999999 type=image/jpeg'), [
      {
        kind: 'address',
        rel: 'alternate',
        from: TIF,
        template: 'https://example.org/{stem}.jpg',
        pri: 999_999,
        mime: 'image/jpeg',
      },
    ]);
    assert.equal(parseLinkRule('collection urn:example:all').length, 1);
  });

  const WRONG: readonly (readonly [rule: string, at: number, message: RegExp])[] = [
    ['', 1, /a pattern such as \*\.tif, or a relation is missing/],
    ['*.xml', 6, /a relation is missing/],
    ['*.xml describes', 16, /the target is missing/],
    ['*.xml explains *.tif', 7, /"explains" is not a relation: relations are describes, /],
    ['a.xml describes *.tif', 1, /"a.xml" is not a pattern such as \*\.tif, or a relation/],
    ['describes *.tif', 1, /before it, there has to be a pattern/],
    ['*.xml describes a.tif', 17, /exactly one \*/],
    ['*/*.xml describes *.tif', 1, /exactly one \*/],
    ['/*.xml describes *.tif', 1, /must not begin with \//],
    ['%ff*.xml describes *.tif', 1, /are not UTF-8/],
    ['*.xml describes https://example.org/{stem}', 17, /both have to be in it/],
    ['duplicate *.tif', 11, /is an absolute URI/],
    ['via https://example.org/{name}', 25, /only \{path\} and \{stem\}/],
    ['via https://example.org/{stem}', 25, /\{stem\} needs a pattern/],
    ['via https://', 5, /the target/],
    ['via https://user:secret@example.org/', 5, /the target/],
    ['via https://example.org/../{path}', 5, /"\.\."/],
    ['via https://example.org/ pri=0', 26, /1 to 999999/],
    ['via https://example.org/ type=x', 26, /not a media type/],
    ['via https://example.org/ colour=red', 26, /use type=… or pri=…/],
    ['*.xml describes *.tif type=a/b', 23, /use pri=…/],
  ];
  for (const [rule, at, message] of WRONG) {
    it(`is refused at character ${at}: ${rule}`, () => {
      assert.throws(
        () => parseLinkRule(rule),
        (error: TidemarkError) => {
          assert.equal(error.code, 'invalid');
          assert.ok(error.message.startsWith(`link rule "${rule}", character ${at}: `), error.message);
          assert.match(error.message, message);
          return true;
        },
      );
    });
  }

  it('is parsed or refused, whatever it is @long', () => {
    const word = fc.constantFrom(
      '*.xml',
      'describes',
      'via',
      'https://a.org/{path}',
      'pri=1',
      '{',
      '*',
      '%',
      'é',
      '..',
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(word, fc.string({ unit: 'binary' })), { maxLength: 5 }), (words) => {
        try {
          assert.ok(parseLinkRule(words.join(' ')).length > 0);
        } catch (error) {
          assert.ok(error instanceof TidemarkError, String(error));
        }
      }),
      { numRuns: 2_000 },
    );
  });
});
