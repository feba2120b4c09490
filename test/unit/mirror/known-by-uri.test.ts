import assert from 'node:assert/strict';
import { KnownByUri } from '../../../src/client/mirror/state/known-by-uri.ts';
import { MirrorState } from '../../../src/client/mirror/state/mirror-state.ts';
import { shuffled } from '../../support/builders.ts';
import { useTempFolder } from '../../support/temp-folder.ts';

const uriOf = (number: number) => `https://example.org/${String(number).padStart(4, '0')}/ž`;
const NUMBERS = Array.from({ length: 1_500 }, (_, number) => number);

describe('Comparing the resources of a list with the state of a copy', () => {
  const folder = useTempFolder();
  let state: MirrorState;
  beforeEach(() => {
    state = new MirrorState(folder.at('state.db'));
    // Every seventh is unknown, and every tenth has no file.
    for (const number of shuffled(NUMBERS)) {
      if (number % 7 === 0) continue;
      const { id } = state.name(uriOf(number));
      const copied = { length: number, hash: 'md5:0', lastmod: `${number}`, stamp: number % 2 === 0 ? 1 : undefined };
      if (number % 10 !== 0) state.setCopied(id, copied, undefined);
    }
    state.commit();
  });
  afterEach(() => state.close());

  const lists: Readonly<Record<string, readonly number[]>> = {
    'in the order of the URIs': NUMBERS,
    'of known ones alone': NUMBERS.filter((number) => number % 7 !== 0),
    'that lacks nearly all': NUMBERS.filter((number) => number % 400 === 1),
    'in another order': shuffled(NUMBERS),
    'in the opposite order': NUMBERS.toReversed(),
    'with each resource twice': NUMBERS.flatMap((number) => [number, number]),
  };
  for (const [name, numbers] of Object.entries(lists)) {
    it(`finds what is known of a list ${name}`, () => {
      const known = new KnownByUri(state);
      for (const number of numbers) {
        const expected = state.resource(uriOf(number));
        const found = known.get(uriOf(number));
        assert.equal(found?.id, expected?.id, uriOf(number));
        const { about: _, ...copied } = expected?.copied ?? {};
        assert.deepEqual(found?.copied ?? {}, copied);
      }
    });
  }
});
