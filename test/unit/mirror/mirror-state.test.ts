import assert from 'node:assert/strict';
import { type About, encodeAbout } from '../../../src/client/mirror/lists/wanted-resource.ts';
import { MirrorState } from '../../../src/client/mirror/state/mirror-state.ts';
import { useTempFolder } from '../../support/temp-folder.ts';

describe('The state of a mirror', () => {
  const folder = useTempFolder();
  const pathsOf = (state: MirrorState, ...names: readonly string[]) =>
    names.map((name) => state.name(`http://example.org/${name}`).path);

  it('keeps the names of a new copy where they are different files, and counts others', () => {
    const state = new MirrorState(folder.at('state.db'));
    try {
      state.beginNames(true);
      const expected = ['a', 'A', 'x%3F'].map((name) => `example.org/${name}`);
      assert.deepEqual(pathsOf(state, 'a', 'A', 'x?'), expected);
      assert.equal(state.renamed(), 1);
      state.remove(state.resource('http://example.org/x?')!.id);
      assert.equal(state.renamed(), 0);
    } finally {
      state.close();
    }
  });

  it('gives a copy of an earlier version names that are different on each file system', () => {
    const state = new MirrorState(folder.at('state.db'));
    try {
      pathsOf(state, 'a', 'A');
      assert.equal(state.renamed(), 0);
      state.beginNames(true);
      pathsOf(state, 'b', 'B');
      assert.equal(state.renamed(), 2);
    } finally {
      state.close();
    }
  });

  it('compares what an earlier version recorded as what this one records', () => {
    const state = new MirrorState(folder.at('state.db'));
    try {
      const [mime, href] = ['text/plain', 'https://original.example.org/a'];
      const copied = { length: 1, hash: `md5:${'0'.repeat(32)}`, lastmod: undefined, stamp: undefined };
      for (const [name, via] of [['a', href] as const, ['b', 'no-uri'] as const]) {
        const { id } = state.name(`http://example.org/${name}`);
        state.setCopied(id, { ...copied, about: { mime, via } as About }, undefined);
      }
      const compared = state.resourcesFrom('', 2).map(({ about }) => about);
      assert.deepEqual(compared, [encodeAbout({ mime, links: [{ rel: 'via', href }] }), encodeAbout({ mime })]);
    } finally {
      state.close();
    }
  });
});
