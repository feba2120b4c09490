import assert from 'node:assert/strict';
import type { ObjectRange } from '../../../src/artifacts/artifact-store.ts';
import { openArtifacts } from '../../../src/artifacts/open-artifacts.ts';
import { readVersions } from '../../../src/publish/dumps/read-versions.ts';
import type { StoredBytes } from '../../../src/publish/versions/stored-version.ts';
import { useTempFolder } from '../../support/temp-folder.ts';

const PACK = 'packs/a.zip';
const BYTES = Buffer.from(Array.from({ length: 200_000 }, (_, at) => at % 251));

describe('Reading versions for a Change Dump', () => {
  const folder = useTempFolder();

  /** The bytes of each version, or undefined, and how often the store was read. */
  async function read(versions: readonly StoredBytes[]) {
    const store = openArtifacts({ kind: 'folder', folder: folder.at('artifacts') });
    await store.put(PACK, [BYTES], { restores: true });
    await store.put('alone', [BYTES.subarray(0, 10)], { restores: true });
    let reads = 0;
    const readSmall = (key: string, range?: ObjectRange) => {
      reads += 1;
      return store.readSmall(key, range);
    };
    try {
      const found = await readVersions(versions, { readSmall });
      return { found: versions.map((version) => found.get(version)), reads };
    } finally {
      await store.close();
    }
  }

  const inPack = (start: number, length: number): StoredBytes => ({ key: PACK, range: { start, length } });

  function assertEqual(found: readonly (Uint8Array | undefined)[], expected: readonly Buffer[]): void {
    assert.equal(found.length, expected.length);
    for (const [at, bytes] of expected.entries()) assert.ok(found[at] && bytes.equals(found[at]), `${at}`);
  }

  it('takes one read for those that are near each other in a pack, in any order', async () => {
    const { found, reads } = await read([inPack(5_000, 20), inPack(100, 50), inPack(100, 50), inPack(60_000, 1)]);
    const [a, b, c] = [BYTES.subarray(5_000, 5_020), BYTES.subarray(100, 150), BYTES.subarray(60_000, 60_001)];
    assertEqual(found, [a, b, b, c]);
    assert.equal(reads, 1);
  });

  it('leaves out what is far between them', async () => {
    const { found, reads } = await read([inPack(0, 10), inPack(190_000, 10)]);
    assertEqual(found, [BYTES.subarray(0, 10), BYTES.subarray(190_000, 190_010)]);
    assert.equal(reads, 2);
  });

  it('reads versions that are stored alone, too', async () => {
    const { found } = await read([inPack(0, 10), { key: 'alone' }]);
    assertEqual(found, [BYTES.subarray(0, 10), BYTES.subarray(0, 10)]);
  });

  it('leaves out versions that are not there, or not whole', async () => {
    const { found } = await read([inPack(199_990, 10), inPack(199_995, 10), { key: 'missing' }, inPack(300_000, 10)]);
    assertEqual(found.slice(0, 1), [BYTES.subarray(199_990)]);
    assert.deepEqual(found.slice(1), [undefined, undefined, undefined]);
  });
});
