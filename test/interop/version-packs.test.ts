import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { SQLITE } from '../support/each-store.ts';
import { sha256 } from '../support/kept-versions.ts';
import { Workplace } from '../support/workplace.ts';
import { readWithJava, readWithPython, testWithUnzip } from '../support/zip-programs.ts';

const FILES = 200;

describe('A pack of versions, as other programs read it', () => {
  let place: Workplace;
  before(async () => {
    place = await Workplace.make(SQLITE);
  });
  after(() => place.close());

  it('is a ZIP file that names each version by its digest', async () => {
    const contents = Array.from({ length: FILES }, (_, at) => Buffer.from(`the file ${at}\n`.repeat(at + 1)));
    mkdirSync(join(place.folder, 'files'));
    for (const [at, content] of contents.entries()) writeFileSync(join(place.folder, 'files', `${at}`), content);
    for (const words of ['sets add maps --root files --keep-versions', 'scan maps']) {
      const { exitCode, stderr } = await place.run(words.split(' '));
      assert.equal(exitCode, 0, stderr);
    }
    const folder = join(place.folder, 'data/artifacts/_versions/1/packs');
    const packs = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.zip'));
    const found = [];
    for (const pack of packs) {
      await testWithUnzip(join(folder, pack));
      const read = await readWithPython(join(folder, pack));
      const streamed = await readWithJava(join(folder, pack));
      assert.deepEqual(
        streamed.map(({ modified: _, ...entry }) => entry),
        read,
      );
      found.push(...read);
    }
    const byName = (one: { readonly name: string }, other: { readonly name: string }) =>
      one.name < other.name ? -1 : 1;
    const expected = contents.map((bytes) => ({ crc: crc32(bytes), length: bytes.length, name: sha256(bytes) }));
    assert.deepEqual(found.sort(byName), expected.sort(byName));
  });
});
