import assert from 'node:assert/strict';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { ask } from '../support/ask.ts';
import { SQLITE } from '../support/each-store.ts';
import { parseDocument } from '../support/parse-document.ts';
import { closeApps, type StartedApp, startApp } from '../support/start-app.ts';
import { VersionedSet } from '../support/versioned-set.ts';
import { readWithJava, readWithPython, testWithUnzip } from '../support/zip-programs.ts';
import { ODD_NAMES, writeOddFiles } from './odd-names.ts';

/** Nothing that compresses, and more than is read at once. */
const LARGE = Buffer.from(Array.from({ length: 300_000 }, (_, at) => (at * at * 31 + (at >> 5)) & 0xff));

describe('Packages of a Change Dump, as other programs read them', () => {
  let started: StartedApp;
  let maps: VersionedSet;
  beforeEach(async () => {
    started = await startApp(SQLITE);
    maps = new VersionedSet(started);
  });
  afterEach(closeApps);

  for (const dumpCompression of ['by-type', 'none'] as const) {
    it(`have every name, length and byte (compression: ${dumpCompression})`, async () => {
      await maps.add({ windowChanges: ODD_NAMES.length, dumpCompression });
      const files = join(started.folder, 'files');
      await writeOddFiles(files);
      await maps.scan();
      // Equal bytes, an empty file, much that is compressed, and nothing that is.
      const contents = {
        'plain.txt': '',
        'copy.txt': 'a space.txt',
        'text.xml': '<a/>'.repeat(90_000),
        'b.bin': LARGE,
      };
      await mkdir(files, { recursive: true });
      for (const [name, content] of Object.entries(contents)) await writeFile(join(files, name), content);
      await maps.scan();
      await rm(join(files, 'copy.txt'));
      for (const name of ODD_NAMES) await writeFile(join(files, name), `${name} once more`);
      await maps.scan();
      const { changes } = await started.app.publishing.dumps.build('maps', {});
      assert.equal(changes!.packages.length, 2);

      const found: { readonly name: string; readonly content: string }[] = [];
      for (const { name } of changes!.packages) {
        const [zip, manifest] = await Promise.all(
          ['zip', 'xml'].map((type) => ask(`${maps.home}/changedumps/${name}.${type}`)),
        );
        const file = join(started.folder, 'package.zip');
        await writeFile(file, zip!.bytes);
        await testWithUnzip(file);
        const entries = await readWithPython(file);
        const streamed = await readWithJava(file);
        assert.deepEqual(
          streamed.map(({ modified: _, ...entry }) => entry),
          entries,
        );
        // In the order of the changes, with the manifest behind them.
        const { root } = parseDocument(name, manifest!.text);
        const packed = root.children.filter(({ name }) => name === 'url').map(({ children }) => children);
        const paths = packed.map((children) => children.find(({ name }) => name === 'rs:md')!.attributes);
        assert.deepEqual(
          entries.map((entry) => [`/${entry.name}`, String(entry.length)]),
          [
            ...paths.filter(({ path }) => path !== undefined).map(({ path, length }) => [path, length]),
            ['/manifest.xml', String(manifest!.bytes.length)],
          ],
        );
        assert.equal(entries.at(-1)!.crc, crc32(manifest!.bytes));
        for (const entry of entries.slice(0, -1)) {
          found.push({ name: entry.name.replace(/^[^/]*\/resources\//, ''), content: `${entry.crc} ${entry.length}` });
        }
      }
      const digest = (content: string | Buffer) => `${crc32(content)} ${Buffer.byteLength(content)}`;
      const first = found.slice(0, ODD_NAMES.length).map(({ content }) => content);
      assert.deepEqual(first.toSorted(), ODD_NAMES.map(digest).toSorted());
      for (const [name, content] of Object.entries(contents)) {
        assert.ok(
          found.some((entry) => entry.name === name && entry.content === digest(content)),
          name,
        );
      }
    });
  }
});
