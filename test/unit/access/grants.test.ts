import assert from 'node:assert/strict';
import fc from 'fast-check';
import { grantedToken, maySeeToken } from '../../../src/access/grants.ts';
import { type Action, type Guarded, may } from '../../../src/access/may.ts';
import { ADMINISTRATOR, ANONYMOUS, type Principal, type TokenBearer } from '../../../src/access/principal.ts';
import type { Scope } from '../../../src/access/scope.ts';
import { isTidemarkError } from '../../../src/core/errors.ts';
import { readersOf } from '../../../src/records/organization-readers.ts';

const VERBS = ['post', 'read', 'upload', 'download', 'manage', 'group'] as const;
const NAMES = ['lane', 'sul', 'consortium', '*'];
const scope: fc.Arbitrary<Scope> = fc.oneof(
  { weight: 1, arbitrary: fc.constantFrom<Scope>('metrics', 'administer') },
  {
    weight: 12,
    arbitrary: fc.tuple(fc.constantFrom(...VERBS), fc.constantFrom(...NAMES)).map(([verb, name]): Scope => {
      return `${verb}:${verb === 'group' && name === '*' ? 'consortium' : name}`;
    }),
  },
);
const scopes = fc.uniqueArray(scope, { minLength: 1, maxLength: 3 });
const expiry = fc.option(fc.integer({ min: 1_000, max: 9_000 }), { nil: undefined });

const ACTIONS: readonly Action[] = [
  'read-documents',
  'read-resource',
  'read-state',
  'post-changes',
  'read-postings',
  'read-organization',
  'upload-files',
  'manage-organization',
  'manage-any',
  'administer',
  'read-metrics',
];
const OBJECTS: readonly (Guarded | undefined)[] = [
  undefined,
  { slug: 'lane' },
  { slug: 'sul', private: true },
  ...['lane', 'sul', 'new'].map((id) =>
    readersOf({ id, contacts: [], streams: [], created: 0, private: true, readers: ['consortium'] }),
  ),
];

function bearer(given: readonly Scope[], expires?: number): TokenBearer {
  return { kind: 'token', id: '0'.repeat(12), name: 'of a test', scopes: given, limits: {}, expires };
}

function rightsOf(principal: Principal): readonly string[] {
  return OBJECTS.flatMap((about, at) =>
    ACTIONS.filter((one) => may(principal, one, about)).map((one) => `${one} ${at}`),
  );
}

/** What a token of these scopes is that a maker makes; undefined when it may not. */
function madeBy(maker: Principal, given: readonly Scope[], expires: number | undefined): TokenBearer | undefined {
  try {
    const made = grantedToken(maker, { name: 'a', scopes: given, expires }, []);
    return bearer(made.scopes, made.expires);
  } catch (error) {
    assert.ok(isTidemarkError(error, 'forbidden') || isTidemarkError(error, 'invalid'), String(error));
    return undefined;
  }
}

describe('What a token gives to others (134)', () => {
  it('is never a right that it does not have, nor for longer, also over several tokens', () => {
    let made = 0;
    fc.assert(
      fc.property(scopes, expiry, fc.array(fc.tuple(scopes, expiry), { maxLength: 4 }), (own, until, chain) => {
        fc.pre(!own.includes('administer'));
        const first = bearer(own, until);
        let maker = first;
        for (const [given, expires] of chain) {
          const next = madeBy(maker, given, expires);
          if (next === undefined) continue;
          made++;
          for (const right of rightsOf(next)) assert.ok(rightsOf(first).includes(right), right);
          assert.ok(until === undefined || (next.expires !== undefined && next.expires <= until));
          maker = next;
        }
      }),
      { numRuns: 5_000 },
    );
    assert.ok(made > 50, `only ${made} tokens were made`);
  });

  it('is upload, download and manage of the organizations that it manages', () => {
    const lane = bearer(['manage:lane', 'read:sul']);
    for (const good of ['upload:lane', 'download:lane', 'manage:lane'] as const)
      assert.ok(madeBy(lane, [good], undefined));
    for (const wrong of [
      'upload:*',
      'manage:*',
      'upload:sul',
      'read:sul',
      'metrics',
      'administer',
      'group:lane',
    ] as const) {
      assert.equal(madeBy(lane, ['upload:lane', wrong], undefined), undefined, wrong);
    }
    assert.ok(madeBy(bearer(['manage:*']), ['manage:*', 'upload:sul'], undefined));
    assert.equal(madeBy(bearer(['upload:lane']), ['upload:lane'], undefined), undefined);
    assert.deepEqual(grantedToken(ADMINISTRATOR, { name: 'a', scopes: ['administer'] }, []).scopes, ['administer']);
  });

  it('shows a token to those who could have made it alone', () => {
    const lane = bearer(['manage:lane']);
    assert.ok(maySeeToken(lane, { scopes: ['upload:lane', 'manage:lane'] }));
    assert.equal(maySeeToken(lane, { scopes: ['upload:lane', 'upload:sul'] }), false);
    assert.equal(maySeeToken(ANONYMOUS, { scopes: ['upload:lane'] }), false);
  });

  it('is no more when there are 200 valid ones of what its maker manages', () => {
    const lane = bearer(['manage:lane']);
    const record = { id: 'a', digest: 'a', name: 'a', created: 0, limits: {} };
    const many = (given: readonly Scope[], more: object = {}) =>
      Array.from({ length: 200 }, () => ({ ...record, scopes: given, ...more }));
    const make = (all: Parameters<typeof grantedToken>[2]) =>
      grantedToken(lane, { name: 'a', scopes: ['upload:lane'] }, all);
    assert.throws(() => make(many(['upload:lane'])), /there are 200 valid tokens already/);
    for (const others of [
      many(['upload:sul']),
      many(['upload:lane'], { revoked: 1 }),
      many(['upload:lane']).slice(1),
    ]) {
      assert.ok(make(others));
    }
  });

  it('has the limits of its maker', () => {
    const maker = { ...bearer(['manage:lane']), limits: { requestsPerMinute: 5 } };
    assert.deepEqual(grantedToken(maker, { name: 'a', scopes: ['upload:lane'] }, []).limits, { requestsPerMinute: 5 });
    assert.throws(() =>
      grantedToken(maker, { name: 'a', scopes: ['upload:lane'], limits: { requestsPerMinute: null } }, []),
    );
  });
});
