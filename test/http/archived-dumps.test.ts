import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { originOfRoot } from '../../src/core/stored-set.ts';
import { sync } from '../../src/sources/sync/sync.ts';
import { ask } from '../support/ask.ts';
import { entriesOf, linkOf, mdOf } from '../support/document-parts.ts';
import { SQLITE } from '../support/each-store.ts';
import { parseDocument, type XmlElement } from '../support/parse-document.ts';
import { closeApps, type StartedApp, startApp } from '../support/start-app.ts';
import { LONG_AGO } from '../support/temp-folder.ts';

describe('Archived Resource Dumps', () => {
  let started: StartedApp;
  /** A set and a folder of its own for each test. */
  let slug: string;
  let home: string;
  let root: string;
  /** Where its packages are stored. */
  let packages: string;
  let tests = 0;

  before(async () => {
    started = await startApp(SQLITE);
  });
  after(closeApps);

  beforeEach(async () => {
    slug = `maps${++tests}`;
    home = `${started.url}/sets/${slug}`;
    root = join(started.folder, slug);
    await mkdir(root);
    const { id } = await started.app.sets.add({ slug, origin: originOfRoot(root), pageEntries: 2 });
    packages = join(started.folder, `artifacts/_dumps/${id}`);
    await write('a', 'b', 'c');
    await started.app.sets.markReady(slug);
  });

  let versions = 0;
  /** Gives files new content, and scans them. */
  async function write(...names: readonly string[]): Promise<void> {
    for (const name of names) await writeFile(join(root, name), `${name} ${++versions}`);
    const { app } = started;
    const set = await app.sets.bySlug(slug);
    await sync({ set, source: app.sources.sourceOf(set), updater: app.updater });
  }

  const build = () => started.app.publishing.dumps.build(slug, {});
  const keep = () => started.app.publishing.listArchives.keep(slug);

  async function read(uri: string): Promise<XmlElement> {
    const { status, text } = await ask(uri);
    assert.equal(status, 200, `${uri}: ${text.slice(0, 300)}`);
    return parseDocument(uri, text).root;
  }

  const archived = async () => entriesOf(await read(`${home}/resourcedump-archive.xml`));

  /** Fetches a dump with all packages and manifests, each as the dump says. Returns the hashes of the packages. */
  async function readDump(uri: string): Promise<readonly string[]> {
    const hashes = [];
    for (const { loc, md, contents } of entriesOf(await read(uri))) {
      const { bytes } = await ask(loc);
      const hash = `sha-256:${createHash('sha256').update(bytes).digest('hex')}`;
      assert.deepEqual([hash, String(bytes.length)], [md.hash, md.length]);
      assert.equal(mdOf(await read(contents!)).capability, 'resourcedump-manifest');
      hashes.push(hash);
    }
    return hashes;
  }

  /** As if a day had passed since the packages were made and superseded. */
  async function removeOldPackages(): Promise<void> {
    for (const name of await readdir(packages)) await utimes(join(packages, name), LONG_AGO, LONG_AGO);
    await started.app.publishing.dumps.removeUnused(new AbortController().signal);
  }

  it('are the dumps that there were when lists were kept, with all their packages', async () => {
    assert.equal((await keep()).dump, undefined);
    assert.equal((await ask(`${home}/resourcedump-archive.xml`)).status, 404);
    await build();
    const first = await readDump(`${home}/resourcedump.xml`);
    assert.notEqual((await keep()).dump, undefined);
    await write('c');
    await build();
    const second = await readDump(`${home}/resourcedump.xml`);
    await keep();
    assert.equal((await keep()).dump, undefined);

    const entries = await archived();
    assert.equal(entries.length, 2);
    assert.ok(entries[0]!.md.at! < entries[1]!.md.at! && entries[0]!.md.completed! >= entries[0]!.md.at!);
    // The dump has no other packages than those of its archive now.
    await started.app.publishing.dumps.remove(slug);
    assert.equal((await ask(`${home}/resourcedump.xml`)).status, 404);
    await removeOldPackages();
    assert.deepEqual(await readDump(entries[0]!.loc), first);
    assert.deepEqual(await readDump(entries[1]!.loc), second);
    assert.match((await ask(entries[0]!.loc)).headers['cache-control']!, /immutable/);
    assert.equal((await readdir(packages)).length, 3);
  });

  it('are not read for a package that does not exist', async () => {
    await build();
    await keep();
    const lists = packages.replace('_dumps', '_lists');
    const [archived, ...others] = (await readdir(lists)).filter((name) => name.endsWith('.dump.json'));
    assert.deepEqual(others, []);
    const list = await readFile(join(lists, archived!));
    // Reading it would fail.
    await writeFile(join(lists, archived!), 'damaged');
    const { loc } = entriesOf(await read(`${home}/resourcedump.xml`))[0]!;
    const forged = [
      loc.replace(/[0-9a-f]{8}(?=\.zip$)/, '00000000'),
      loc.replace(/\d+-\d+-\d+(?=-\w+\.zip$)/, '9-1-1'),
    ];
    for (const uri of [...forged, `${home}/dumps/x.zip`]) assert.equal((await ask(uri)).status, 404, uri);
    await writeFile(join(lists, archived!), list);
  });

  it('are found from the Capability List and from the live dump', async () => {
    await build();
    const uri = `${home}/resourcedump-archive.xml`;
    assert.equal(linkOf(await read(`${home}/resourcedump.xml`), 'archives'), undefined);
    await keep();
    assert.equal(linkOf(await read(`${home}/resourcedump.xml`), 'archives'), uri);
    const listed = entriesOf(await read(`${home}/capabilitylist.xml`));
    assert.equal(listed.find(({ md }) => md.capability === 'resourcedump-archive')?.loc, uri);
    const archive = await read(uri);
    assert.deepEqual(mdOf(archive), { capability: 'resourcedump-archive' });
    assert.equal(linkOf(archive, 'up'), `${home}/capabilitylist.xml`);
  });

  it('are removed with the lists, and then their packages are, too', async () => {
    await build();
    await keep();
    const [first] = await archived();
    await write('c');
    await build();
    await keep();
    const [, second] = await archived();
    await started.app.publishing.listArchives.prune(slug, Date.parse(second!.md.at!) * 1000);
    assert.deepEqual(await archived(), [second]);
    assert.equal((await ask(first!.loc)).status, 410);
    await started.app.publishing.dumps.remove(slug);
    assert.equal((await readdir(packages)).length, 2);
    await readDump(second!.loc);
    await started.app.sets.renew(slug);
    await removeOldPackages();
    assert.deepEqual(await readdir(packages), []);
    assert.notEqual((await ask(second!.loc)).status, 200);
  });
});
