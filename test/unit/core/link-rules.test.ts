import assert from 'node:assert/strict';
import fc from 'fast-check';
import { NAVIGATION_RELATIONS, PATCH_RELATION } from '../../../src/core/link-relations.ts';
import { linkProblem, withoutRepeats } from '../../../src/core/link-rules.ts';
import type { Link, ResourceState } from '../../../src/core/resource.ts';
import { resourceEntries } from '../../../src/publish/render/documents/resource-list.ts';
import { documentHead, URLSET_END } from '../../../src/publish/render/documents/sitemap.ts';
import { parseDocument } from '../../support/parse-document.ts';

const RELATIONS = [
  ...['duplicate', 'alternate', 'canonical', PATCH_RELATION, 'describedby', 'describes', 'profile', 'memento'],
  ...['timegate', 'timemap', 'collection', 'via', 'up', 'item', 'https://example.org/related'],
];
const ELSEWHERE = ['duplicate', 'alternate', 'canonical', 'collection', 'via', PATCH_RELATION];
const KEY = '/a.tif';

const digest = fc.constantFrom('0'.repeat(32), '1'.repeat(32));
const representation = fc.record(
  {
    mime: fc.constantFrom('image/tiff', 'text/plain', 'text/plain; charset=utf-8'),
    length: fc.constantFrom(0, 5, 6),
    hashes: fc.record({ md5: digest }),
  },
  { requiredKeys: [] },
);
const link: fc.Arbitrary<Link> = fc
  .tuple(
    fc.constantFrom(...RELATIONS),
    fc.constantFrom(KEY, '/a.xml', 'https://mirror.example.org/a.tif'),
    fc.record({ pri: fc.integer({ min: 1, max: 999_999 }), modified: fc.nat(2_000_000_000) }, { requiredKeys: [] }),
    representation,
  )
  .map(([rel, href, own, about]) => ({ rel, href, ...about, ...own }));
const links = fc.array(link, { maxLength: 5 });

/** What the page of the rules says of links, once more and in the simplest way. */
function isRight(all: readonly Link[], state: ResourceState): boolean {
  const several = (rel: string) => all.filter((one) => one.rel === rel).length > 1;
  if (several('canonical') || several('via') || several('timegate')) return false;
  return all.every(({ rel, href, mime, modified, length, hashes }) => {
    if (NAVIGATION_RELATIONS.has(rel)) return false;
    if (ELSEWHERE.includes(rel) && href === KEY) return false;
    if (rel === PATCH_RELATION) return mime !== undefined;
    if (rel === 'memento') return modified !== undefined;
    if (rel !== 'duplicate') return true;
    const isSame = (one: unknown, other: unknown) => one === undefined || other === undefined || one === other;
    const kind = (type?: string) => type?.split(';')[0];
    return (
      isSame(length, state.length) && isSame(hashes?.md5, state.hashes?.md5) && isSame(kind(mime), kind(state.mime))
    );
  });
}

describe('the rules of links', () => {
  it('find a problem where there is one, and nowhere else', () => {
    fc.assert(
      fc.property(links, representation, (all, state) => {
        const problem = linkProblem(all, { key: KEY, state });
        assert.equal(problem === undefined, isRight(all, state), JSON.stringify(problem));
        if (problem === undefined) return;
        assert.ok(all[problem.at] !== undefined);
        assert.match(problem.message, /\(ResourceSync 1\.1, \d+\.\d\)$/);
      }),
      { numRuns: 2_000 },
    );
  });

  it('leave out nothing but what is repeated, so that what is left says the same', () => {
    fc.assert(
      fc.property(links, representation, (all, state) => {
        fc.pre(isRight(all, state));
        const kept = all.map((one) => withoutRepeats(one, state));
        assert.deepEqual(
          kept,
          kept.map((one) => withoutRepeats(one, state)),
        );
        assert.equal(linkProblem(kept, { key: KEY, state }), undefined);
        for (const [at, one] of all.entries()) {
          const { rel, href, pri, modified } = kept[at]!;
          assert.deepEqual([rel, href], [one.rel, one.href]);
          if (rel !== 'timegate') assert.deepEqual([pri, modified], [one.pri, one.modified]);
          // What a duplicate has lost, the resource has.
          if (rel === 'duplicate') assert.equal(kept[at]!.length ?? state.length, one.length ?? state.length);
          else if (rel !== 'timegate') assert.deepEqual(kept[at], one);
        }
      }),
    );
  });

  it('let nothing through that a Resource List must not have', () => {
    fc.assert(
      fc.property(links, representation, (all, state) => {
        fc.pre(isRight(all, state));
        const published = all.map((one) => withoutRepeats(one, state));
        const entries = resourceEntries([{ key: KEY, state: { ...state, links: published } }], {
          urlPrefix: 'https://example.org/',
          publishHashes: [],
        });
        const head = documentHead({ root: 'urlset', links: {}, md: { capability: 'resourcelist' } });
        const { root } = parseDocument('list', head + entries + URLSET_END);
        const elements = root.children
          .find(({ name }) => name === 'url')!
          .children.filter(({ name }) => name === 'rs:ln');
        assert.equal(elements.length, all.filter(({ rel }) => rel !== PATCH_RELATION).length);
        for (const { attributes } of elements) {
          if (attributes.rel === 'timegate') assert.deepEqual(Object.keys(attributes), ['rel', 'href']);
          if (attributes.rel === 'memento') assert.match(attributes.modified!, /^\d{4}-.*Z$/);
        }
      }),
    );
  });
});
