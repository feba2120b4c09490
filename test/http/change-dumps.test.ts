import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdir, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inflateRawSync } from 'node:zlib';
import { originOfRoot } from '../../src/core/stored-set.ts';
import { sync } from '../../src/sources/sync/sync.ts';
import { ask } from '../support/ask.ts';
import { describeOnEachStore } from '../support/each-store.ts';
import { parseDocument, type XmlElement } from '../support/parse-document.ts';
import { closeApps, type StartedApp, startApp } from '../support/start-app.ts';
import { LONG_AGO } from '../support/temp-folder.ts';
import { readWithPython, testWithUnzip } from '../support/zip-programs.ts';

describeOnEachStore('A Change Dump', (store, itOnce) => {
  let started: StartedApp;
  let home: string;

  beforeEach(async () => {
    started = await startApp(store);
    home = `${started.url}/sets/maps`;
    await mkdir(join(started.folder, 'files'));
  });
  afterEach(closeApps);

  async function put(name: string, content: string): Promise<void> {
    const file = join(started.folder, 'files', name);
    await writeFile(file, content);
    await utimes(file, LONG_AGO, LONG_AGO);
    await scan();
  }

  async function remove(name: string): Promise<void> {
    await rm(join(started.folder, 'files', name));
    await scan({ attended: true });
  }

  async function scan(options: { readonly attended?: boolean } = {}): Promise<void> {
    const { app } = started;
    const set = await app.sets.bySlug('maps');
    await sync({ set, source: app.sourceOf(set), updater: app.updater, ...options });
    await app.sets.markReady('maps');
  }

  async function addSet(settings: object = { keepVersions: true }): Promise<void> {
    const origin = originOfRoot(join(started.folder, 'files'));
    await started.app.sets.add({ slug: 'maps', origin, windowChanges: 3, ...settings });
  }

  const build = async () => (await started.app.dumps.build('maps', {})).changes;

  /** What the manifest of each package says of each change, with the bytes; the package is checked. */
  async function readDump() {
    const { status, text } = await ask(`${home}/changedump.xml`);
    if (status !== 200) return undefined;
    const from = /capability="changedump" from="([^"]*)"\/>/.exec(text)![1]!;
    const packages = [];
    const entry =
      /<loc>([^<]*)<\/loc><rs:md from="([^"]*)" until="([^"]*)" hash="sha-256:([0-9a-f]*)" length="(\d+)" type="application\/zip"\/><rs:ln rel="contents" href="([^"]*)"/g;
    for (const [, uri = '', begins = '', until = '', hash, length, contents = ''] of text.matchAll(entry)) {
      const { bytes, headers } = await ask(uri);
      assert.equal(createHash('sha256').update(bytes).digest('hex'), hash);
      assert.equal(String(bytes.length), length);
      assert.match(headers['cache-control']!, /immutable/);
      const files = unpack(bytes);
      const manifest = (await ask(contents)).text;
      assert.equal(files.get('manifest.xml')!.toString(), manifest);
      assert.match(manifest, new RegExp(`capability="changedump-manifest" from="${begins}" until="${until}"`));
      assert.ok(manifest.includes(`<rs:ln rel="up" href="${home}/capabilitylist.xml"/>`));
      packages.push({ uri, bytes, from: begins, until, changes: changesOf(manifest, files), names: files.size });
    }
    return { from, packages };
  }

  function changesOf(manifest: string, files: ReadonlyMap<string, Buffer>) {
    const change =
      /<url><loc>([^<]*)<\/loc>(?:<lastmod>[^<]*<\/lastmod>)?<rs:md change="([a-z]*)" datetime="([^"]*)"(?: hash="sha-256:([0-9a-f]*)" length="(\d+)" type="([^"]*)" path="([^"]*)")?\/>/g;
    return [...manifest.matchAll(change)].map(([, loc = '', kind, datetime = '', hash, length, , path]) => {
      const name = loc.slice(`${home}/resources/`.length);
      if (path === undefined) return { name, kind, datetime };
      assert.match(path, /^\/[^/]/);
      const bytes = files.get(path.slice(1))!;
      assert.equal(createHash('sha256').update(bytes).digest('hex'), hash);
      assert.equal(String(bytes.length), length);
      return { name, kind, datetime, content: bytes.toString() };
    });
  }

  it('has every version of every change of the windows that are closed', async () => {
    await addSet();
    for (const content of ['first', 'second', 'third']) await put('a b.txt', content);
    assert.equal((await build())!.packages.length, 0);
    assert.equal((await ask(`${home}/changedump.xml`)).status, 404);
    assert.doesNotMatch((await ask(`${home}/capabilitylist.xml`)).text, /changedump/);
    await remove('a b.txt');
    await put('a b.txt', 'again');
    assert.deepEqual((await build())!.made, 1);
    for (const content of ['1', '2']) await put('c', content);
    assert.deepEqual((await build())!.made, 1);
    assert.deepEqual((await build())!.made, 0);
    assert.match(
      (await ask(`${home}/capabilitylist.xml`)).text,
      /changedump\.xml<\/loc>\s*<rs:md capability="changedump"/,
    );

    const { from, packages } = (await readDump())!;
    assert.deepEqual(
      packages.map(({ changes }) => changes.map(({ name, kind, content }) => [name, kind, content])),
      [
        [
          ['a%20b.txt', 'created', 'first'],
          ['a%20b.txt', 'updated', 'second'],
          ['a%20b.txt', 'updated', 'third'],
        ],
        [
          ['a%20b.txt', 'deleted', undefined],
          ['a%20b.txt', 'created', 'again'],
          ['c', 'created', '1'],
        ],
      ],
    );
    assert.deepEqual(
      packages.map(({ names }) => names),
      [4, 3],
    );
    assert.equal(packages[0]!.from, from);
    assert.equal(packages[1]!.from, packages[0]!.until);
    for (const { from: begins, until, changes } of packages) {
      for (const { datetime } of changes) assert.ok(begins < datetime && datetime < until);
    }
    // It says the same as the Change List.
    const list = await ask(`${home}/changelist-1-00000001.xml`);
    for (const { datetime } of packages[0]!.changes) assert.ok(list.text.includes(`datetime="${datetime}"`));
  });

  itOnce('can be unpacked by other programs', async () => {
    await addSet();
    for (const content of ['', 'second', 'third', 'fourth']) await put('a b ü.txt', content);
    await build();
    const { bytes } = (await readDump())!.packages[0]!;
    const file = join(started.folder, 'package.zip');
    await writeFile(file, bytes);
    await testWithUnzip(file);
    assert.ok(Object.keys(await readWithPython(file)).length > 0);
  });

  itOnce('packs a window into several packages when it is too large', async () => {
    await addSet({ keepVersions: true, dumpPackageBytes: 200, dumpCompression: 'none' });
    for (const content of ['1', '2', '3', '4']) await put('a', content.repeat(150));
    assert.equal((await build())!.made, 3);
    const { packages } = (await readDump())!;
    assert.deepEqual(
      packages.map(({ changes }) => changes.length),
      [1, 1, 1],
    );
    for (const at of [1, 2]) assert.equal(packages[at]!.from, packages[at - 1]!.until);
  });

  it('begins where every version is kept, and begins anew behind one that is lost', async () => {
    await addSet({});
    for (const content of ['1', '2', '3', '4']) await put('a', content);
    assert.equal(await build(), undefined);
    await started.app.sets.change('maps', { keepVersions: true });
    await scan();
    for (const content of ['5', '6', '7']) await put('a', content);
    await build();
    const contents = async () =>
      (await readDump())!.packages.flatMap(({ changes }) => changes.map(({ content }) => content));
    // The second window has the changes 4 to 6; 4 was made before.
    assert.deepEqual(await contents(), ['5', '6']);

    const digest = createHash('sha256').update('8').digest('hex');
    await put('a', '8');
    await started.app.artifacts.delete(`_versions/1/${digest.slice(0, 2)}/${digest}`);
    for (const content of ['9', '10', '11', '12', '13']) await put('a', content);
    await build();
    assert.deepEqual(await contents(), ['10', '11', '12']);
  });

  /** The documents that its archive lists. */
  async function readArchive() {
    const { status, root } = await read(`${home}/changedump-archive.xml`);
    if (status !== 200) return undefined;
    assert.deepEqual(mdOf(root), { capability: 'changedump-archive' });
    assert.equal(linkOf(root, 'up'), `${home}/capabilitylist.xml`);
    return entriesOf(root);
  }

  async function read(uri: string) {
    const { status, text } = await ask(uri);
    return { status, root: parseDocument(uri, text).root };
  }

  it('has an archive that lists the dump of each window, which is finished', async () => {
    await addSet({ keepVersions: true, dumpPackageBytes: 200, dumpCompression: 'none' });
    for (const content of ['1', '2', '3', '4', '5', '6']) await put('a', content.repeat(150));
    assert.equal((await build())!.made, 3);
    const [first, ...none] = (await readArchive())!;
    assert.deepEqual(none, []);
    assert.equal(first!.loc, `${home}/changedump-of-1-00000001.xml`);
    const before = (await ask(first!.loc)).text;
    await put('a', '7');
    assert.equal((await build())!.made, 3);

    const { packages } = (await readDump())!;
    const entries = (await readArchive())!;
    assert.deepEqual(
      entries.map(({ loc }) => loc),
      [1, 2].map((number) => `${home}/changedump-of-1-0000000${number}.xml`),
    );
    const named = [];
    for (const { loc, md } of entries) {
      const { root } = await read(loc);
      assert.deepEqual(mdOf(root), { capability: 'changedump', ...md });
      assert.equal(linkOf(root, 'up'), `${home}/capabilitylist.xml`);
      const listed = entriesOf(root);
      assert.deepEqual([listed[0]!.md.from, listed.at(-1)!.md.until], [md.from, md.until]);
      named.push(...listed.map((entry) => entry.loc));
    }
    assert.deepEqual(
      named,
      packages.map(({ uri }) => uri),
    );
    assert.equal((await ask(first!.loc)).text, before);
  });

  it('leads to its archive, as the Capability List does, where there is one', async () => {
    await addSet();
    const uri = `${home}/changedump-archive.xml`;
    const named = async () => entriesOf((await read(`${home}/capabilitylist.xml`)).root).map(({ loc }) => loc);
    for (const content of ['1', '2', '3']) await put('a', content);
    await build();
    assert.equal((await ask(uri)).status, 404);
    assert.ok(!(await named()).includes(uri));
    await put('a', '4');
    await build();
    assert.ok((await named()).includes(uri));
    assert.equal(linkOf((await read(`${home}/changedump.xml`)).root, 'archives'), uri);
    const { text } = await ask(uri, { headers: { Accept: 'text/html' } });
    for (const shown of ['Change Dump Archive', 'changedump-of-1-00000001.xml', 'Until']) {
      assert.ok(text.includes(shown), shown);
    }
    for (const name of ['of-1-00000002', 'of-1', 'of-x', '00002', '1', 'archive-00002']) {
      assert.equal((await ask(`${home}/changedump-${name}.xml`)).status, 404, name);
    }
  });

  it('goes with the dumps of its set', async () => {
    await addSet();
    for (const content of ['1', '2', '3', '4']) await put('a', content);
    await build();
    const { uri } = (await readDump())!.packages[0]!;
    await started.app.dumps.remove('maps');
    assert.equal(await readDump(), undefined);
    assert.equal((await ask(uri)).status, 404);
    for (const name of ['archive', 'of-1-00000001']) {
      assert.equal((await ask(`${home}/changedump-${name}.xml`)).status, 404, name);
    }
    // It can be built again: the versions are still there.
    assert.equal((await build())!.made, 1);
    const again = (await readDump())!.packages[0]!.uri;
    assert.notEqual(again, uri);
    assert.ok((await ask(`${home}/changedump-of-1-00000001.xml`)).text.includes(again));
  });
});

const elements = ({ children }: XmlElement, name: string) => children.filter((one) => one.name === name);
const mdOf = (element: XmlElement) => elements(element, 'rs:md')[0]!.attributes;
const entriesOf = (root: XmlElement) =>
  elements(root, 'url').map((entry) => ({ loc: elements(entry, 'loc')[0]!.text, md: mdOf(entry) }));
const linkOf = (root: XmlElement, rel: string) =>
  elements(root, 'rs:ln').find(({ attributes }) => attributes.rel === rel)?.attributes.href;

/** By the sizes of the local headers. */
function unpack(zip: Buffer): ReadonlyMap<string, Buffer> {
  const files = new Map<string, Buffer>();
  for (let at = 0; zip.readUInt32LE(at) === 0x04034b50; ) {
    const [method, packed] = [zip.readUInt16LE(at + 8), zip.readUInt32LE(at + 18)];
    const [nameLength, extraLength] = [zip.readUInt16LE(at + 26), zip.readUInt16LE(at + 28)];
    const start = at + 30 + nameLength + extraLength;
    const data = zip.subarray(start, start + packed);
    files.set(zip.toString('utf8', at + 30, at + 30 + nameLength), method === 8 ? inflateRawSync(data) : data);
    at = start + packed;
  }
  return files;
}
