import assert from 'node:assert/strict';
import fc from 'fast-check';
import { decodePosition, encodePosition, type ListPosition } from '../../../src/oai/resumption-token.ts';

const count = fc.nat({ max: Number.MAX_SAFE_INTEGER });
const orNone = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined });
const position: fc.Arbitrary<ListPosition> = fc.record(
  {
    verb: fc.constantFrom('ListIdentifiers', 'ListRecords'),
    set: count,
    metadataPrefix: fc.stringMatching(/^[A-Za-z0-9_.-]{1,20}$/),
    spec: orNone(fc.string({ unit: 'grapheme', maxLength: 100 })),
    after: count,
    until: orNone(count),
    cursor: count,
    size: orNone(count),
  },
  { noNullPrototype: true },
);

describe('A resumption token', () => {
  it('is a position with its arguments', () => {
    fc.assert(
      fc.property(position, (given) => {
        const token = encodePosition(given);
        assert.match(token, /^[A-Za-z0-9_-]+$/);
        assert.deepEqual(decodePosition(token), given);
      }),
    );
  });

  it('is refused when it is anything else', () => {
    const good = [1, 'ListRecords', 1, 'oai_dc', null, 0, null, 0, null];
    const changed = (at: number, value: unknown) => good.map((part, index) => (index === at ? value : part));
    const bad: unknown[] = [
      {},
      null,
      [],
      [...good, 1],
      changed(0, 2),
      changed(1, 'Identify'),
      changed(2, 1.5),
      changed(3, 'a b'),
      changed(3, 1),
      changed(4, '\ud800'),
      changed(5, -1),
      changed(5, null),
      changed(6, 'x'),
      changed(7, 2 ** 60),
      changed(8, []),
    ];
    const tokenOf = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
    assert.notEqual(decodePosition(tokenOf(good)), undefined);
    for (const value of bad) assert.equal(decodePosition(tokenOf(value)), undefined, JSON.stringify(value));
    fc.assert(fc.property(fc.stringMatching(/^[A-Za-z0-9_-]{0,40}$/), (text) => decodePosition(text) === undefined));
    assert.equal(
      decodePosition(encodePosition({ ...decodePosition(tokenOf(good))!, spec: 'a'.repeat(20_000) })),
      undefined,
    );
  });
});
