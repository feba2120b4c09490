import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { type Dataset, datasetId, folderOf } from '../../src/datasets/dataset.ts';
import type { DatasetManifest, ManifestFile } from '../../src/datasets/manifest.ts';
import { putManifest } from '../../src/datasets/results/manifests.ts';
import { DatasetsSource } from '../../src/sources/datasets/datasets-source.ts';
import { openContents } from '../../src/sources/open-contents.ts';
import { StreamWatcher } from '../../src/sources/records/stream/stream-watcher.ts';
import { sync } from '../../src/sources/sync/sync.ts';
import { SyncCounter } from '../../src/sources/sync-counter.ts';
import { collect, deletion } from '../support/builders.ts';
import { describeOnEachStore } from '../support/each-store.ts';
import { StreamPlace } from '../support/stream-place.ts';
import { testContents, testSource } from './source.ts';

describeOnEachStore('the datasets of a set', (store, itOnce) => {
  let place: StreamPlace | undefined;
  let watcher: StreamWatcher | undefined;
  afterEach(async () => {
    await watcher?.close();
    await place?.close();
    place = undefined;
  });

  async function open() {
    place = await StreamPlace.make(store);
    const { stores, artifacts, updater, folder } = place;
    const { catalog, index } = stores;
    const set = await place.sets.add({ slug: 'datasets', origin: { kind: 'datasets' } });
    watcher = new StreamWatcher(stores);
    const source = new DatasetsSource(set, { catalog, index, artifacts, watcher });
    const location = { kind: 'datasets', artifacts: { kind: 'folder', folder: `${folder}/artifacts` } } as const;
    return { set, updater, index, source, artifacts, catalog, contents: () => openContents(location) };
  }

  const datasetOf = (id: string, manifest: Dataset['manifest']): Dataset => {
    const platform = { name: 'dataverse', domain: 'data.example.org', id, version: '1.1' };
    return {
      ...{ id: datasetId('datasets', platform), set: 'datasets', platform, manifest },
      ...{ landingUrl: `https://data.example.org/${id}`, persistentId: `https://doi.org/10.5072/${id}` },
      ...{ strategy: 'web-fileset', fileCount: 2, totalSize: 9, stored: 1_700_000_000_000 },
    };
  };

  async function put({ catalog }: Awaited<ReturnType<typeof open>>, dataset: Dataset) {
    const before = await catalog.get('dataset', dataset.id);
    await catalog.put('dataset', dataset.id, dataset, before?.version);
  }

  // Of a remote backend's dataset the manifest is the only resource: then a name is a resource, as the suite has it. A
  // stored dataset never changes, and none is taken out by a command, so the suite does both itself.
  async function manifests() {
    const opened = await open();
    let attempts = 0;
    const written = new Map<string, Dataset>();
    return {
      ...opened,
      keyOf: (name: string) => `/data.example.org/${name}/v1.1/manifest.json`,
      async write(name: string, content: string) {
        const { platform } = datasetOf(name, { artifact: '', length: 0, sha256: '' });
        const artifact = `_datasets/${folderOf(platform)}/${String(++attempts).padStart(8, '0')}.json`;
        const { length, hashes } = await opened.artifacts.put(artifact, [Buffer.from(content)]);
        const dataset = datasetOf(name, { artifact, length, sha256: hashes['sha-256'] });
        written.set(name, { ...dataset, isRemote: true });
        await put(opened, written.get(name)!);
      },
      remove: (name: string) => put(opened, { ...written.get(name)!, removed: 1_700_000_000_001 }),
      lose: ({ state }: { state: { record?: { artifact: string } } }) =>
        opened.artifacts.delete(state.record!.artifact),
    };
  }
  testSource('datasets', manifests);
  testContents('datasets', manifests);

  const TWO_FILES = [
    ['data/a b.csv', 11, 'first'],
    ['z.csv', 16, '2nd!'],
  ] as const;

  /** A dataset of files, which are ranges of one artifact. */
  async function withFiles(
    opened: Awaited<ReturnType<typeof open>>,
    ranges: readonly (readonly [path: string, offset: number, bytes: string])[],
  ) {
    const { artifacts } = opened;
    const empty = datasetOf('one', { artifact: '', length: 0, sha256: '' });
    const folder = folderOf(empty.platform);
    const warc = `_datasets/${folder}/0000000a.warc`;
    await artifacts.put(warc, [
      Buffer.from('head of one'),
      Buffer.from('first'),
      Buffer.from('2nd!'),
      Buffer.from('end'),
    ]);
    const files = ranges.map(
      ([path, offset, bytes]): ManifestFile => ({
        ...{ status: 'success', path, size: bytes.length, sha256: hash('sha256', bytes, 'hex') },
        ...{ mimetype: 'text/csv', platform_url: `https://data.example.org/files/${path}` },
        stored: { artifact: warc, offset, length: bytes.length },
      }),
    );
    const manifest = { ...({ platform_name: 'dataverse' } as DatasetManifest), files };
    const { key, length, hashes } = await putManifest(artifacts, { folder, attempt: '0000000b' }, manifest);
    await put(opened, datasetOf('one', { artifact: key, length, sha256: hashes['sha-256'] }));
    return warc;
  }

  it('publishes all files of a dataset in one commit, the manifest last, with their links (d11, d14)', async () => {
    const opened = await open();
    await withFiles(opened, TWO_FILES);
    const commits: (readonly string[])[] = [];
    const post = (events: Parameters<typeof opened.updater.post>[0]) => {
      commits.push(events.map(({ key }) => key));
      return opened.updater.post(events);
    };
    await sync({ ...opened, updater: { post } });
    const prefix = '/data.example.org/one/v1.1/';
    const manifest = `${prefix}manifest.json`;
    assert.deepEqual(commits, [[`${prefix}data/a%20b.csv`, `${prefix}z.csv`, manifest]]);
    const [file, own] = await collect(opened.index.read(opened.set.id, {}));
    assert.deepEqual(file!.state.links, [
      { rel: 'describedby', href: manifest, mime: 'application/json' },
      { rel: 'collection', href: 'https://doi.org/10.5072/one' },
      { rel: 'via', href: 'https://data.example.org/files/data/a%20b.csv' },
    ]);
    assert.deepEqual(own!.state.links?.[0], { rel: 'describes', href: 'https://data.example.org/one' });
  });

  itOnce('looks up the resources of a dataset of more than 1,000 files, each once', async () => {
    const opened = await open();
    await withFiles(
      opened,
      Array.from({ length: 1_001 }, (_, at) => [`f/${at}`, 11, 'first'] as const),
    );
    assert.equal((await sync(opened))!.created, 1_002);
    const updater = { post: () => assert.fail('nothing differs') };
    const again = (await sync({ ...opened, updater, rehash: true }))!;
    assert.deepEqual([again.created, again.updated, again.unchanged], [0, 0, 1_002]);
  });

  itOnce('finds a file that was taken out, though the manifest is published', async () => {
    const opened = await open();
    await withFiles(opened, TWO_FILES);
    await sync(opened);
    const key = '/data.example.org/one/v1.1/z.csv';
    await opened.updater.post([deletion(opened.set.id, key.slice(1))]);
    assert.equal((await sync(opened))!.created, 0);
    const [mismatch] = await collect(opened.source.verify({ counter: new SyncCounter() }));
    assert.deepEqual([mismatch!.kind, mismatch!.key], ['extra', key]);
    assert.equal((await sync({ ...opened, rehash: true }))!.created, 1);
  });

  itOnce('opens files that are ranges of a WARC, for requests and for dumps, and verifies them (d14)', async () => {
    const opened = await open();
    const warc = await withFiles(opened, TWO_FILES);
    await sync(opened);
    const counter = new SyncCounter();
    assert.deepEqual(await collect(opened.source.verify({ counter })), []);
    const contents = await opened.contents();
    const read: string[] = [];
    for (const resource of await collect(opened.index.read(opened.set.id, {}))) {
      const served = await opened.source.open(resource);
      assert.ok('read' in served);
      if (resource.state.mime !== 'text/csv') continue;
      const part = await served.read({ start: 1, length: served.length - 1 });
      assert.ok(part instanceof Readable);
      read.push(await text(part), await text((await contents.open(resource))!.stream()));
    }
    await contents.close();
    assert.deepEqual(read, ['irst', 'first', 'nd!', '2nd!']);
    await opened.artifacts.delete(warc);
    const lost = await collect(opened.source.verify({ counter }));
    assert.deepEqual(new Set(lost.map(({ kind }) => kind)), new Set(['unreadable']));
  });

  itOnce('keeps the first of two datasets that would have the same keys, and reports the other (d11)', async () => {
    const opened = await manifests();
    await opened.write('one', 'first');
    await sync(opened);
    const { body } = (await opened.catalog.list<Dataset>('dataset'))[0]!;
    const platform = { ...body.platform, name: 'signposted' };
    const { length, sha256 } = body.manifest;
    const artifact = `_datasets/${folderOf(platform)}/0000000c.json`;
    await put(opened, {
      ...body,
      id: datasetId('datasets', platform),
      platform,
      manifest: { artifact, length, sha256 },
    });
    for (const _ of [1, 2]) {
      const { problems, updated } = (await sync(opened))!;
      assert.deepEqual([problems.length, updated], [1, 0]);
    }
  });
});
