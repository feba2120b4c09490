import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { BlockHasher } from '../../../src/artifacts/hashing/block-hasher.ts';

const block = (text: string, at = 0) => ({ bytes: new Uint8Array(Buffer.from(text)), at, isOnly: false });
const hashesOf = (text: string) => ({
  md5: hash('md5', text),
  'sha-1': hash('sha1', text),
  'sha-256': hash('sha256', text),
});

describe('hashing the blocks of bodies', () => {
  it('in threads keeps bodies apart that are hashed at the same time, and after one that broke off', async () => {
    const bodies = ['a', 'b', 'c'].map((text) => ({ text, hasher: new BlockHasher() }));
    await Promise.all(bodies.map(({ text, hasher }) => hasher.update(block(text))));
    bodies[2]!.hasher.end();
    const later = new BlockHasher();
    await Promise.all([
      later.update(block('later')),
      ...bodies.slice(0, 2).map(({ hasher }) => hasher.update(block('!', 1))),
    ]);

    assert.deepEqual(await bodies[0]!.hasher.digest(), hashesOf('a!'));
    assert.deepEqual(await bodies[1]!.hasher.digest(), hashesOf('b!'));
    assert.deepEqual(await later.digest(), hashesOf('later'));
    for (const hasher of [bodies[0]!.hasher, bodies[1]!.hasher, later]) hasher.end();
  });
});
