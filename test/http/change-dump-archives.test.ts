import assert from 'node:assert/strict';
import { ask } from '../support/ask.ts';
import { readChangeDump } from '../support/change-dump-reader.ts';
import { entriesOf, linkOf, mdOf } from '../support/document-parts.ts';
import { SQLITE } from '../support/each-store.ts';
import { parseDocument } from '../support/parse-document.ts';
import { closeApps, type StartedApp, startApp } from '../support/start-app.ts';
import { VersionedSet } from '../support/versioned-set.ts';

describe('The archive of a Change Dump', () => {
  let started: StartedApp;
  /** A set of its own for each test. */
  let maps: VersionedSet;
  let tests = 0;
  before(async () => {
    started = await startApp(SQLITE);
  });
  after(closeApps);
  beforeEach(() => {
    maps = new VersionedSet(started, `maps${++tests}`);
  });

  const addSet = (settings: object = {}) => maps.add({ windowChanges: 3, ...settings });
  const build = async () => (await started.app.publishing.dumps.build(maps.slug, {})).changes;

  /** The documents that its archive lists. */
  async function readArchive() {
    const { status, root } = await read(`${maps.home}/changedump-archive.xml`);
    if (status !== 200) return undefined;
    assert.deepEqual(mdOf(root), { capability: 'changedump-archive' });
    assert.equal(linkOf(root, 'up'), `${maps.home}/capabilitylist.xml`);
    return entriesOf(root);
  }

  async function read(uri: string) {
    const { status, text } = await ask(uri);
    return { status, root: parseDocument(uri, text).root };
  }

  it('lists the dump of each window, which is finished', async () => {
    await addSet({ dumpPackageBytes: 200, dumpCompression: 'none' });
    for (const content of ['1', '2', '3', '4', '5', '6']) await maps.put('a', content.repeat(150));
    assert.equal((await build())!.made, 3);
    const [first, ...none] = (await readArchive())!;
    assert.deepEqual(none, []);
    assert.equal(first!.loc, `${maps.home}/changedump-of-1-00000001.xml`);
    const before = (await ask(first!.loc)).text;
    await maps.put('a', '7');
    assert.equal((await build())!.made, 3);

    const { packages } = (await readChangeDump(maps.home))!;
    const entries = (await readArchive())!;
    assert.deepEqual(
      entries.map(({ loc }) => loc),
      [1, 2].map((number) => `${maps.home}/changedump-of-1-0000000${number}.xml`),
    );
    const named = [];
    for (const { loc, md } of entries) {
      const { root } = await read(loc);
      assert.deepEqual(mdOf(root), { capability: 'changedump', ...md });
      assert.equal(linkOf(root, 'up'), `${maps.home}/capabilitylist.xml`);
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

  it('is linked by the dump and the Capability List, where there is one', async () => {
    await addSet();
    const uri = `${maps.home}/changedump-archive.xml`;
    const named = async () => entriesOf((await read(`${maps.home}/capabilitylist.xml`)).root).map(({ loc }) => loc);
    for (const content of ['1', '2', '3']) await maps.put('a', content);
    await build();
    assert.equal((await ask(uri)).status, 404);
    assert.ok(!(await named()).includes(uri));
    await maps.put('a', '4');
    await build();
    assert.ok((await named()).includes(uri));
    assert.equal(linkOf((await read(`${maps.home}/changedump.xml`)).root, 'archives'), uri);
    const { text } = await ask(uri, { headers: { Accept: 'text/html' } });
    for (const shown of ['Change Dump Archive', 'changedump-of-1-00000001.xml', 'Until']) {
      assert.ok(text.includes(shown), shown);
    }
    for (const name of ['of-1-00000002', 'of-1', 'of-x', '00002', '1', 'archive-00002']) {
      assert.equal((await ask(`${maps.home}/changedump-${name}.xml`)).status, 404, name);
    }
  });
});
