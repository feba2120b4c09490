import assert from 'node:assert/strict';
import { openArtifacts } from '../../../src/artifacts/open-artifacts.ts';
import { PackBuilder, readPack } from '../../../src/artifacts/version-pack.ts';
import { ArtifactComparer } from '../../../src/backup/verify/compare-artifact.ts';
import { RateLimit } from '../../../src/backup/verify/rate-limit.ts';
import { isTidemarkError } from '../../../src/core/errors.ts';
import { sha256 } from '../../support/kept-versions.ts';
import { useTempFolder } from '../../support/temp-folder.ts';

const KEY = '_versions/7/packs/1f/1f2e3d4c5b6a7988-0.zip';

describe('A pack of versions', () => {
  const folder = useTempFolder();
  const store = () => openArtifacts({ kind: 'folder', folder: folder.at('artifacts') });

  /** @param contents one for each version */
  function pack(builder: PackBuilder, contents: readonly string[]) {
    const places = contents.map((content) => {
      const bytes = Buffer.from(content);
      const digest = sha256(bytes);
      return { digest, offset: builder.add({ digest, modified: 1_700_000_000 }, bytes), length: bytes.length };
    });
    return { places, bytes: Buffer.from(builder.finish()) };
  }

  for (const versions of [1, 3, 400, 2_000]) {
    it(`lists its ${versions} versions, with the place of each`, async () => {
      const contents = Array.from({ length: versions }, (_, at) => `version ${at} `.repeat(at % 7 || 1));
      const { places, bytes } = pack(new PackBuilder(), contents);
      const artifacts = store();
      await artifacts.put(KEY, [bytes]);
      assert.deepEqual(await readPack(artifacts, { key: KEY, length: bytes.length }), places);
      for (const [at, { offset, length }] of places.entries()) {
        assert.equal(bytes.toString('utf8', offset, offset + length), contents[at]);
      }
      await artifacts.close();
    });
  }

  it('has equal bytes once, and nothing of the pack that its builder made before', () => {
    const builder = new PackBuilder();
    pack(builder, ['first', 'equal']);
    const { places, bytes } = pack(builder, ['equal', 'other', 'equal']);
    assert.equal(places[0]!.offset, places[2]!.offset);
    const alone = pack(new PackBuilder(), ['equal', 'other']);
    assert.ok(alone.bytes.equals(bytes));
  });

  it('is made of bytes that outgrow the first buffer', () => {
    const contents = ['a', 'b', 'c'].map((letter) => letter.repeat(400_000));
    const { places, bytes } = pack(new PackBuilder(), contents);
    for (const [at, { offset, length }] of places.entries()) {
      assert.ok(bytes.subarray(offset, offset + length).equals(Buffer.from(contents[at]!)));
    }
  });

  it('cannot be listed when it is none, and the message says which object is damaged', async () => {
    const { bytes } = pack(new PackBuilder(), ['one', 'two']);
    const artifacts = store();
    const torn = Buffer.from(bytes).fill(0, 0, bytes.length - 22);
    const damaged = { empty: Buffer.alloc(0), nothing: Buffer.from('x'), cut: bytes.subarray(0, -30), torn };
    for (const [name, content] of Object.entries(damaged)) {
      const key = KEY.replace('-0', `-${content.length}`);
      await artifacts.put(key, [content]);
      await assert.rejects(
        readPack(artifacts, { key, length: content.length }),
        (error) => isTidemarkError(error, 'invalid') && error.message.startsWith(`${key} is not a pack of versions`),
        name,
      );
    }
    await artifacts.close();
  });

  it('whose directory has a wrong length has no fault in the versions beside', async () => {
    const { places, bytes } = pack(new PackBuilder(), ['one', 'two', 'three']);
    // The length of the first entry of the directory.
    bytes.writeUInt32LE(300, bytes.indexOf('PK\x01\x02') + 24);
    bytes.write('T', places[2]!.offset);
    await store().put(KEY, [bytes]);
    const rate = new RateLimit(Number.POSITIVE_INFINITY);
    const comparer = new ArtifactComparer({ artifacts: store(), rate, signal: undefined });
    const faults = await comparer.faultsOf({ key: KEY, expected: 'pack', what: '', remedy: '' });
    assert.deepEqual(
      faults.map(({ range, isDiffering }) => ({ range, isDiffering })),
      [
        { range: undefined, isDiffering: false },
        { range: { start: places[2]!.offset, length: 5 }, isDiffering: true },
      ],
    );
  });
});
