import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { mkdir, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { formatKey } from '../../src/artifacts/artifact-key.ts';
import { packagesFolder } from '../../src/artifacts/keys/set-keys.ts';
import { openArtifacts, parseArtifacts } from '../../src/artifacts/open-artifacts.ts';
import { originOfRoot } from '../../src/core/stored-set.ts';
import { formatS3Location, parseS3Location } from '../../src/lib/s3/s3-location.ts';
import type { BuiltDump } from '../../src/publish/dumps/build-resource-dump.ts';
import { sync } from '../../src/sources/sync/sync.ts';
import { ODD_NAMES, writeOddFiles } from '../interop/odd-names.ts';
import { ask, askJson } from '../support/ask.ts';
import { describeOnEachStore, SQLITE } from '../support/each-store.ts';
import { parseDocument, type XmlElement } from '../support/parse-document.ts';
import { putArtifact, record } from '../support/record-artifacts.ts';
import { rootOf, useBucket, useKeys, useS3 } from '../support/s3.ts';
import { closeApps, type StartedApp, startApp } from '../support/start-app.ts';
import { LONG_AGO } from '../support/temp-folder.ts';
import { until } from '../support/until.ts';
import { readWithPython, testWithUnzip } from '../support/zip-programs.ts';

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

describeOnEachStore('A Resource Dump', (store, itOnce) => {
  let started: StartedApp;
  /** A set and a folder of its own for each test. */
  let slug: string;
  let home: string;
  let root: string;
  let tests = 0;

  before(async () => {
    started = await startApp(store, {}, { packsAlone: true });
  });
  after(closeApps);

  beforeEach(async () => {
    slug = `maps${++tests}`;
    home = `${started.url}/sets/${slug}`;
    root = join(started.folder, slug);
    await mkdir(root);
  });

  async function put(name: string, content: string | Buffer, mtime = LONG_AGO): Promise<void> {
    await writeFile(join(root, name), content);
    await utimes(join(root, name), mtime, mtime);
  }

  async function addSet(settings: object = {}): Promise<void> {
    await started.app.sets.add({ slug, origin: originOfRoot(root), ...settings });
    await scan();
  }

  async function scan(): Promise<void> {
    const { app } = started;
    const set = await app.sets.bySlug(slug);
    await sync({ set, source: app.sources.sourceOf(set), updater: app.updater });
    await app.sets.markReady(slug);
  }

  const build = (): Promise<BuiltDump> => started.app.publishing.dumps.build(slug, {});

  async function read(uri: string) {
    const { status, text } = await ask(uri);
    assert.equal(status, 200, `${uri}: ${text.slice(0, 300)}`);
    return parseDocument(uri, text);
  }

  /** Fetches a dump with all packages, and compares everything that it says with what is there. */
  async function readPackages() {
    const dump = await read(`${home}/resourcedump.xml`);
    const packages = [];
    for (const entry of urls(dump.root)) {
      const { status, bytes, headers } = await ask(locOf(entry));
      assert.equal(status, 200);
      const md = child(entry, 'rs:md').attributes;
      assert.equal(headers['content-type'], 'application/zip');
      assert.deepEqual(
        { length: md.length, hash: md.hash, type: md.type },
        { length: String(bytes.length), hash: `sha-256:${sha256(bytes)}`, type: 'application/zip' },
      );
      const link = child(entry, 'rs:ln').attributes;
      assert.deepEqual([link.rel, link.type], ['contents', 'application/xml']);
      const contents = await ask(link.href!);
      packages.push({ uri: locOf(entry), md, bytes, manifest: contents });
    }
    return { dump, packages };
  }

  /** What a manifest names, with what the package has under that name. */
  async function readEntries({ bytes, manifest }: { bytes: Buffer; manifest: { bytes: Buffer; text: string } }) {
    const file = join(started.folder, `${crc32(bytes)}.zip`);
    await writeFile(file, bytes);
    await testWithUnzip(file);
    const packed = await readWithPython(file);
    const inside = packed.find(({ name }) => name === 'manifest.xml');
    assert.equal(inside?.crc, crc32(manifest.bytes), 'the manifest in the package is another one');
    const { root: top } = parseDocument('manifest', manifest.text);
    assert.equal(packed.length, urls(top).length + 1);
    return {
      top,
      entries: urls(top).map((entry) => {
        const { path = '', ...md } = child(entry, 'rs:md').attributes;
        assert.ok(path.startsWith('/'));
        const found = packed.find(({ name }) => `/${name}` === path);
        return { uri: locOf(entry), path, md, found };
      }),
    };
  }

  it('has every resource, with its bytes, type and hash, whatever it is called', async () => {
    await writeOddFiles(root);
    await put('empty', '');
    const large = Buffer.alloc(400_000, 'not all the same ');
    await put('large.bin', large);
    await addSet();
    const built = await build();
    assert.deepEqual([built.made, built.packages.length], [1, 1]);

    const { dump, packages } = await readPackages();
    const at = md(dump.root).at!;
    assert.deepEqual(
      { capability: md(dump.root).capability, up: upOf(dump.root) },
      { capability: 'resourcedump', up: `${home}/capabilitylist.xml` },
    );
    const { top, entries } = await readEntries(packages[0]!);
    assert.deepEqual(
      { ...md(top), up: upOf(top) },
      { capability: 'resourcedump-manifest', at, up: `${home}/capabilitylist.xml` },
    );
    const list = await read(`${home}/resourcelist.xml`);
    assert.deepEqual(
      entries.map(({ uri, md }) => ({ uri, md })),
      urls(list.root).map((entry) => ({ uri: locOf(entry), md: child(entry, 'rs:md').attributes })),
    );
    for (const { uri, path, found } of entries) {
      const { bytes } = await ask(uri);
      assert.deepEqual([found?.length, found?.crc], [bytes.length, crc32(bytes)], path);
    }
    assert.equal(entries.length, ODD_NAMES.length + 2);
  });

  itOnce('is listed in the Capability List, and in the API, when it is built, and not before', async () => {
    await put('a', 'a');
    await addSet();
    const listed = async () => [
      (await ask(`${home}/capabilitylist.xml`)).text.includes('capability="resourcedump"'),
      (await askJson(`${started.url}/api/sets/${slug}`)).body.documents.resourceDump,
    ];
    assert.deepEqual(await listed(), [false, undefined]);
    const before = await ask(`${home}/resourcedump.xml`);
    assert.equal(before.status, 404);
    assert.match(before.text, /tidemark dumps build maps\d/);

    await build();
    assert.deepEqual(await listed(), [true, `${home}/resourcedump.xml`]);
    await started.app.publishing.dumps.remove(slug);
    assert.deepEqual(await listed(), [false, undefined]);
    assert.equal((await ask(`${home}/resourcedump.xml`)).status, 404);
  });

  itOnce('packs again only the pages that have changed, and goes on serving what it has superseded', async () => {
    for (let at = 0; at < 10; at++) await put(`file${at}`, `${at}`);
    await addSet({ pageEntries: 3 });
    const first = await build();
    assert.equal(first.made, first.packages.length);
    assert.ok(first.packages.length > 3);

    const again = await build();
    assert.deepEqual([again.made, again.completed], [0, first.completed]);

    await put('file5', 'changed', LONG_AGO + 1);
    await scan();
    const second = await build();
    assert.equal(second.made, 1);
    assert.ok(second.at > first.at);
    const kept = second.packages.filter(({ name }) => first.packages.some((one) => one.name === name));
    assert.equal(kept.length, first.packages.length - 1);
    const { packages } = await readPackages();
    const all = (await Promise.all(packages.map(readEntries))).flatMap(({ entries }) => entries);
    assert.equal(all.find(({ uri }) => uri.endsWith('/file5'))?.found?.crc, crc32('changed'));
    for (const { name } of first.packages) assert.equal((await ask(`${home}/dumps/${name}.zip`)).status, 200);
  });

  itOnce('splits a page that is too large for a package', async () => {
    for (const name of ['a', 'b', 'c']) await put(name, Buffer.alloc(5_000, name));
    await addSet({ dumpPackageBytes: 13_000, dumpCompression: 'none' });
    await build();
    const { packages } = await readPackages();
    assert.equal(packages.length, 2);
    const all = (await Promise.all(packages.map(readEntries))).flatMap(({ entries }) => entries);
    assert.deepEqual(
      all.map(({ path }) => path),
      ['/resources/a', '/resources/b', '/resources/c'],
    );
  });

  itOnce(
    'counts manifest and directory: only a package with a single resource is larger than the setting',
    async () => {
      for (let at = 0; at < 300; at++) await put(`${at}`, `${at}`);
      await writeOddFiles(root);
      // The one is packed as a stream, the other with others.
      for (const length of [300_000, 15_000, 19_000]) await put(`random-${length}`, randomBytes(length));
      const most = 20_000;
      await addSet({ dumpPackageBytes: most });
      const { packages } = await build();
      const large = packages.filter(({ length }) => length > most);
      assert.deepEqual(
        large.map(({ resources }) => resources),
        [1],
      );
      assert.equal(
        packages.reduce((sum, { resources }) => sum + resources, 0),
        303 + ODD_NAMES.length,
      );
      // At least a third of each package is used, but of the last, and of those before large files.
      assert.ok(packages.filter(({ length }) => length < most / 3).length <= 4, JSON.stringify(packages));
      // A page that has not changed keeps its packages, however many it would have now.
      await started.app.sets.change(slug, { dumpPackageBytes: most / 2 });
      assert.equal((await build()).made, 0);
    },
  );

  itOnce('has each of many files once, also around those that cannot be packed with the others', async () => {
    // So many that both threads pack, and that packages end between files that are packed together.
    const names = Array.from({ length: 120 }, (_, at) => `${at}`.padStart(3, '0'));
    for (const name of names) await put(name, `${name} `.repeat(4_000));
    await put('020-large', Buffer.alloc(300_000, 'large '));
    await addSet({ dumpPackageBytes: 900_000, dumpCompression: 'none' });
    await put('090', 'changed since it was scanned');
    await build();
    const { packages } = await readPackages();
    assert.equal(packages.length, 3);
    const all = (await Promise.all(packages.map(readEntries))).flatMap(({ entries }) => entries);
    const expected = [...names, '020-large'].toSorted().filter((name) => name !== '090');
    assert.deepEqual(
      all.map(({ path }) => path),
      expected.map((name) => `/resources/${name}`),
    );
    for (const { uri, path, found } of all) {
      const { bytes } = await ask(uri);
      assert.deepEqual([found?.length, found?.crc], [bytes.length, crc32(bytes)], path);
    }
  });

  itOnce('sends ranges, answers conditions and HEAD, and may be cached for ever', async () => {
    await put('a', 'a'.repeat(1_000));
    await addSet();
    const [{ name = '' } = {}] = (await build()).packages;
    for (const [uri, type] of [
      [`${home}/dumps/${name}.zip`, 'application/zip'],
      [`${home}/dumps/${name}.xml`, 'application/xml; charset=utf-8'],
    ] as const) {
      const whole = await ask(uri);
      assert.equal(whole.headers['content-type'], type);
      assert.match(whole.headers['cache-control'] ?? '', /immutable/);
      const part = await ask(uri, { headers: { Range: 'bytes=10-19' } });
      assert.deepEqual([part.status, part.bytes], [206, whole.bytes.subarray(10, 20)]);
      const beyond = await ask(uri, { headers: { Range: 'bytes=100000-' } });
      assert.equal(beyond.status, 416);
      const known = await ask(uri, { headers: { 'If-None-Match': whole.headers.etag! } });
      assert.deepEqual([known.status, known.bytes.length], [304, 0]);
      const head = await ask(uri, { method: 'HEAD' });
      assert.deepEqual([head.headers['content-length'], head.bytes.length], [String(whole.bytes.length), 0]);
    }
    for (const other of [name, `${name}.tar`, `${name}x.zip`, '..%2F..%2Fa.zip']) {
      assert.equal((await ask(`${home}/dumps/${other}`)).status, 404, other);
    }
  });

  itOnce('leaves out a file that was changed and not scanned yet, and has it after the next build', async () => {
    await put('a', 'a');
    await put('b', 'b');
    await put('large', Buffer.alloc(400_000, 'a'));
    await addSet();
    await put('a', 'changed');
    await put('large', Buffer.alloc(400_000, 'b'));
    const pathsOf = async () =>
      (await Promise.all((await readPackages()).packages.map(readEntries))).flatMap(({ entries }) =>
        entries.map(({ path, found }) => [path, found?.crc]),
      );

    const first = await build();
    assert.deepEqual(await pathsOf(), [['/resources/b', crc32('b')]]);
    assert.equal(first.packages[0]?.missing, 2);
    await scan();
    await build();
    assert.deepEqual(await pathsOf(), [
      ['/resources/a', crc32('changed')],
      ['/resources/b', crc32('b')],
      ['/resources/large', crc32(Buffer.alloc(400_000, 'b'))],
    ]);
  });

  itOnce('has what was missing before also when nothing has changed since', async () => {
    await put('a', 'a');
    await put('b', 'b');
    await addSet();
    await put('a', 'changed');
    assert.equal((await build()).packages[0]?.missing, 1);
    await put('a', 'a');
    const built = await build();
    assert.deepEqual([built.made, built.packages[0]?.missing], [1, 0]);
    assert.equal((await readPackages()).packages.length, 1);
  });

  itOnce('stays as it was when the root is not there, or is suddenly empty', async () => {
    await put('a', 'a');
    await addSet();
    const first = await build();
    await put('b', 'b');
    await scan();
    await rm(root, { recursive: true });
    await assert.rejects(build(), { code: 'unavailable' });
    await mkdir(root);
    await assert.rejects(build(), { code: 'unavailable' });
    const dump = await started.app.publishing.dumps.known.dumpOf(await started.app.sets.bySlug(slug));
    assert.equal(dump.at, first.at);
    await readPackages();
  });

  itOnce('is not published any more when the set has moved: its URIs are wrong', async () => {
    await put('a', 'a');
    await addSet();
    await build();
    await started.app.sets.renew(slug);
    assert.equal((await ask(`${home}/resourcedump.xml`)).status, 404);
    assert.ok(!(await ask(`${home}/capabilitylist.xml`)).text.includes('resourcedump'));
    await build();
    await readPackages();
  });

  itOnce('cannot be built of a set whose bytes are elsewhere', async () => {
    await started.app.sets.add({ slug, urlPrefix: 'https://example.org/' });
    await assert.rejects(build(), { code: 'invalid', message: /--root, --records or --from/ });
  });

  it('is built by one process at a time', async () => {
    for (let at = 0; at < 4; at++) await put(`file${at}`, `${at}`);
    await addSet({ pageEntries: 1 });
    const outcomes = await Promise.allSettled([build(), build(), build()]);
    assert.ok(outcomes.some(({ status }) => status === 'fulfilled'));
    for (const one of outcomes) if (one.status === 'rejected') assert.equal(one.reason.code, 'conflict');
    await readPackages();
  });

  itOnce('names no package that is removed while it is built for the first time', async () => {
    for (let at = 0; at < 80; at++) await put(`file${at}`, `${at}`);
    await addSet({ pageEntries: 1 });
    const building = assert.rejects(build(), { code: 'conflict' });
    const { id } = await started.app.sets.bySlug(slug);
    const artifacts = openArtifacts(started.app.configuration.artifacts);
    await until('a package', async () => (await artifacts.objects(packagesFolder(id))).length > 0);
    await started.app.publishing.dumps.remove(slug);
    await building;
    assert.equal((await ask(`${home}/resourcedump.xml`)).status, 404);
    await artifacts.close();
  });

  itOnce('has the records of artifacts', async () => {
    const artifacts = openArtifacts(started.app.configuration.artifacts);
    // So many that both threads pack.
    const plain = Array.from({ length: 300 }, (_, at) => `record${at}`);
    const ids = ['1', '../../etc/passwd', 'a/b', 'é'.repeat(300), ...plain];
    await putArtifact(
      artifacts,
      ids.map((id) => record(id)),
      { start: '2017-02-09T10:44:28Z' },
    );
    const origin = { kind: 'artifact', provider: 'cdl', activity: 'harvest' } as const;
    await started.app.sets.add({ slug, origin });
    await scan();
    await build();
    const { packages } = await readPackages();
    const { entries } = await readEntries(packages[0]!);
    assert.equal(entries.length, ids.length);
    for (const { uri, found } of entries) assert.equal(found?.crc, crc32((await ask(uri)).bytes), uri);
    await artifacts.close();
  });

  itOnce('removes superseded packages after a day, and what a killed build has left', async () => {
    await put('a', 'a');
    await addSet();
    const first = await build();
    const artifacts = openArtifacts(started.app.configuration.artifacts);
    const { id } = await started.app.sets.bySlug(slug);
    const left = formatKey({ kind: 'package', set: id, name: '1-00000001-2-1-0a1b2c3d' });
    await artifacts.put(left, [Buffer.from('left')]);
    const exists = async (key: string) => (await artifacts.head(key)) !== undefined;
    const old = formatKey({ kind: 'package', set: id, name: first.packages[0]!.name });

    await put('a', 'b', LONG_AGO + 1);
    await scan();
    await build();
    assert.deepEqual([await exists(left), await exists(old)], [true, true]);

    const folder = join(started.folder, 'artifacts');
    for (const key of [left, old]) await utimes(join(folder, key), LONG_AGO, LONG_AGO);
    await build();
    // The old one is still named: it was superseded less than a day ago.
    assert.deepEqual([await exists(left), await exists(old)], [false, true]);
    await artifacts.close();
  });
});

describe('A Resource Dump of a bucket', () => {
  const s3 = useS3();
  useKeys(s3);
  const bucket = useBucket(s3);
  afterEach(closeApps);

  it('has every object, small and large, and is stored in a bucket as well', async () => {
    const artifacts = parseArtifacts(rootOf(s3, bucket.name, 'artifacts'));
    const { app, url, folder } = await startApp(SQLITE, { artifacts });
    const root = formatS3Location(parseS3Location(rootOf(s3, bucket.name, 'some folder')));
    const contents = new Map([
      ['a b.txt', Buffer.from('small')],
      ['ä/empty', Buffer.alloc(0)],
      ['large.bin', Buffer.alloc(700_000, 'large ')],
    ]);
    for (const [path, bytes] of contents) await bucket.put(`some folder/${path}`, bytes.toString());
    const set = await app.sets.add({ slug: 'maps', origin: originOfRoot(root) });
    await sync({ set, source: app.sources.sourceOf(set), updater: app.updater });
    await app.sets.markReady('maps');

    const [only] = (await app.publishing.dumps.build('maps', {})).packages;
    const { bytes } = await ask(`${url}/sets/maps/dumps/${only!.name}.zip`);
    assert.equal(sha256(bytes), only!.sha256);
    const file = join(folder, 'package.zip');
    await writeFile(file, bytes);
    const packed = (await readWithPython(file)).filter(({ name }) => name !== 'manifest.xml');
    assert.deepEqual(
      new Map(packed.map(({ name, crc }) => [name, crc])),
      new Map([...contents].map(([path, content]) => [`resources/${path}`, crc32(content)])),
    );
  });
});

const urls = ({ children }: XmlElement) => children.filter(({ name }) => name === 'url');
const child = ({ children }: XmlElement, name: string) => children.find((one) => one.name === name)!;
const locOf = (entry: XmlElement) => child(entry, 'loc').text;
const md = (top: XmlElement) => child(top, 'rs:md').attributes;
const upOf = ({ children }: XmlElement) =>
  children.find(({ name, attributes }) => name === 'rs:ln' && attributes.rel === 'up')?.attributes.href;
