import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import type { Dataset } from '../../src/datasets/dataset.ts';
import type { DatasetManifest } from '../../src/datasets/manifest.ts';
import type { IngestOptions, IngestRequest } from '../../src/datasets/request.ts';
import { askJson } from '../support/ask.ts';
import { collect } from '../support/builders.ts';
import { contentOf, type StandInDataset, type StandInPlatforms, startPlatforms } from '../support/dataset-platforms.ts';
import { SQLITE } from '../support/each-store.ts';
import { closeApps, type StartedApp, startApp } from '../support/start-app.ts';

const FILES = [
  { name: 'data/a.csv', mimetype: 'text/csv' },
  { name: 'b.bin', size: 300_000 },
  { name: 'empty', size: 0 },
];
const requestOf = (base_url: string): IngestRequest => ({ ingest_type: 'dataset', base_url });

describe('ingesting a dataset', () => {
  let platforms: StandInPlatforms;
  let started: StartedApp;
  beforeEach(async () => {
    platforms = await startPlatforms();
  });
  afterEach(async () => {
    await closeApps();
    await platforms.close();
  });

  const start = async (settings: Parameters<typeof startApp>[1] = {}) => {
    started = await startApp(SQLITE, { datasetNetworks: ['127.0.0.1'], ...settings });
  };
  const ingest = (url: string, options: IngestOptions = {}) => {
    const { signal } = new AbortController();
    return started.app.datasets.ingest(requestOf(url), { options, signal });
  };
  const ingestNew = (dataset: StandInDataset) => ingest(platforms.add(dataset));
  const resources = async () => {
    const { sets, index } = started.app;
    const { id } = await sets.bySlug('datasets');
    return collect(index.read(id, {}));
  };
  const stored = async () => {
    const found: Dataset[] = [];
    for await (const dataset of started.app.datasets.stored()) found.push(dataset);
    return found;
  };

  it('publishes each file with its hashes, and its manifest (D09, D24, D26, D27, D55, d11)', async () => {
    await start();
    const { result } = await ingestNew({
      platform: 'dataverse',
      version: '1.1',
      id: 'doi:10.5072/FK2/ABC',
      files: FILES,
    });
    assert.deepEqual(
      [result?.status, result?.hit, result?.strategy],
      ['success', true, 'web-fileset'],
      result?.message,
    );
    const prefix = `/${new URL(platforms.url).host}/doi:10.5072/FK2/ABC/v1.1/`;
    const found = await resources();
    const keys = ['b.bin', 'data/a.csv', 'empty', 'manifest.json'].map((name) => `${prefix}${name}`);
    assert.deepEqual(
      found.map(({ key }) => key),
      keys,
    );
    for (const { name, size } of FILES) {
      const response = await fetch(`${started.url}/sets/datasets/resources${prefix}${name}`);
      assert.deepEqual(Buffer.from(await response.arrayBuffer()), contentOf(name, size), name);
    }
    const { body } = await askJson(`${started.url}/sets/datasets/resources${prefix}manifest.json`);
    const { files, file_count, total_size } = body as DatasetManifest;
    assert.deepEqual([file_count, total_size], [3, 301_000]);
    const sha256 = hash('sha256', contentOf('b.bin', 300_000), 'hex');
    assert.equal(files.find(({ path }) => path === 'b.bin')?.sha256, sha256);
    assert.deepEqual(await started.app.datasets.manifest(await started.app.datasets.get(result!.terminal!.url)), body);
  });

  it('requests no file for a second request, by another URL too, and stores one dataset (D49, d11)', async () => {
    await start();
    const url = platforms.add({ platform: 'zenodo', files: FILES });
    const first = await ingest(url);
    const before = platforms.fileRequests.length;
    const again = await ingest(url);
    const other = await ingest(`${url}?from=elsewhere`);
    assert.deepEqual(
      [first, again, other].map(({ result }) => result?.status),
      ['success', 'success-existing', 'success-existing'],
    );
    assert.equal(platforms.fileRequests.length, before);
    assert.equal((await stored()).length, 1);
    const { requests } = await started.app.datasets.list({ limit: 10 });
    assert.deepEqual(
      requests.map(({ document }) => [document.request.base_url, document.result?.dataset]),
      [other, again].map(({ request, result }) => [request.base_url, result?.dataset]),
    );
  });

  it('has one result for two requests at the same time: that of the first to be stored (D49, d11)', async () => {
    await start();
    const url = platforms.add({ platform: 'zenodo', id: '12', files: [{ name: 'a' }, { name: 'b' }] });
    const held: ServerResponse[] = [];
    platforms.addPage('/api/records/12/files/b/content', (_request, response) => {
      held.push(response);
      if (held.length === 2) for (const one of held) one.end(contentOf('b'));
      return true;
    });
    const documents = await Promise.all([ingest(url), ingest(`${url}?from=elsewhere`)]);
    const results = documents.map(({ result }) => result!);
    assert.deepEqual(results.map(({ status }) => status).sort(), ['success', 'success-existing']);
    const [dataset] = await stored();
    assert.deepEqual(new Set(results.map(({ manifest }) => manifest)), new Set([dataset!.manifest.artifact]));
  });

  it('stores a single file as one, and more files than a web archive takes in an item (D08, D12, D17, d10)', async () => {
    await start();
    const single = await ingestNew({ platform: 'zenodo', files: [{ name: 'one.rar' }] });
    const files = Array.from({ length: 21 }, (_, at) => ({ name: `${at}.txt`, size: 10 }));
    const many = await ingestNew({ platform: 'zenodo', files });
    assert.deepEqual(
      [single, many].map(({ result }) => [result?.status, result?.strategy, result?.fileCount]),
      [
        ['success-file', 'web-file', 1],
        ['success', 'archiveorg-fileset', 21],
      ],
    );
    assert.equal((await resources()).length, 24);
  });

  it('publishes nothing of a dataset with a wrong file, and says what became of each (D25, D26, D43)', async () => {
    await start();
    const wrong = { name: 'wrong.csv', stated: { md5: 'f'.repeat(32) } };
    const document = await ingestNew({ platform: 'dataverse', files: [...FILES, wrong] });
    const { status, hit, strategy, platform, message } = document.result!;
    assert.deepEqual([status, hit, strategy, platform?.name], ['mismatch-md5', false, 'web-fileset', 'dataverse']);
    assert.match(message!, /wrong\.csv/);
    const { files } = (await started.app.datasets.manifest(document))!;
    assert.equal(files.find(({ path }) => path === 'wrong.csv')?.status, 'mismatch-md5');
    assert.deepEqual(await resources(), []);
    assert.deepEqual(await stored(), []);
    assert.deepEqual(await readdir(join(started.app.configuration.dataFolder, 'spool')), []);
  });

  it('refuses what is too large, has no files, or is of no platform, and keeps what it found (D04, D42, d10)', async () => {
    await start({ datasetFiles: 2, datasetSize: 5_000 });
    const outcomes = await Promise.all([
      ingestNew({ platform: 'zenodo', files: FILES }),
      ingestNew({ platform: 'zenodo', files: [{ name: 'large', size: 5_001 }] }),
      ingestNew({ platform: 'zenodo', files: [] }),
      ingest(platforms.addPage('/about', { body: '<title>About us</title>' })),
    ]);
    assert.deepEqual(
      outcomes.map(({ result }) => [result?.status, result?.fileCount, result?.platform?.name]),
      [
        ['too-many-files', 3, 'zenodo'],
        ['too-large-size', 1, 'zenodo'],
        ['empty-manifest', 0, 'zenodo'],
        ['no-platform-match', undefined, undefined],
      ],
    );
    for (const { result } of outcomes) {
      assert.deepEqual([result?.strategy, result?.terminal?.statusCode], [undefined, 200]);
      assert.match(result!.terminal!.dt!, /^20\d{12}$/);
    }
    assert.deepEqual(platforms.fileRequests, []);
    const asLargeAsPermitted = [
      { name: 'a', size: 2_000 },
      { name: 'b', size: 3_000 },
    ];
    const { result } = await ingestNew({ platform: 'zenodo', files: asLargeAsPermitted });
    assert.equal(result?.status, 'success');
  });

  it('plans what it would store, and stores nothing (D51)', async () => {
    await start();
    const url = platforms.add({ platform: 'dataverse', files: FILES });
    const replies: string[] = [];
    const { signal } = new AbortController();
    const onReply = ({ text }: { readonly text: string }) => replies.push(text);
    const { strategy, totalSize } = await started.app.datasets.plan(requestOf(url), { options: {}, signal, onReply });
    assert.deepEqual([strategy, totalSize], ['web-fileset', 301_000]);
    assert.match(replies[0]!, /b\.bin/);
    assert.deepEqual(platforms.fileRequests, []);
    assert.deepEqual(await started.app.sets.list(), []);
  });
});
