import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ArchiveOrg } from '../support/archive-org.ts';
import { collect } from '../support/builders.ts';
import { type StandInPlatforms, startPlatforms } from '../support/dataset-platforms.ts';
import { SQLITE } from '../support/each-store.ts';
import { SavePageNowServer } from '../support/save-page-now.ts';
import { closeApps, type StartedApp, startApp } from '../support/start-app.ts';
import { useTempFolder } from '../support/temp-folder.ts';

describe('ingesting into the web archive and the items of others', () => {
  const folder = useTempFolder();
  let platforms: StandInPlatforms;
  let spn: SavePageNowServer;
  let org: ArchiveOrg;
  let started: StartedApp;

  beforeEach(async () => {
    [platforms, spn, org] = await Promise.all([startPlatforms(), SavePageNowServer.start(), ArchiveOrg.start()]);
    const { access, secret } = org.keys;
    writeFileSync(join(folder.path, 'keys'), `${access}:${secret}`);
    started = await startApp(SQLITE, {
      datasetNetworks: ['127.0.0.1'],
      datasetWeb: spn.url,
      datasetArchiveorg: org.url,
      datasetArchiveorgMetadata: org.url,
      datasetArchiveorgKeys: folder.at('keys'),
      datasetWebFiles: 2,
    });
  });
  afterEach(async () => {
    await closeApps();
    await Promise.all([platforms.close(), spn.close(), org.close()]);
  });

  const { signal } = new AbortController();

  async function ingest(names: readonly string[]) {
    const base_url = platforms.add({ platform: 'zenodo', files: names.map((name) => ({ name })) });
    const document = await started.app.datasets.ingest({ ingest_type: 'dataset', base_url }, { signal });
    const manifest = await started.app.datasets.manifest(document);
    const { sets, index } = started.app;
    const { id } = await sets.bySlug('datasets');
    return { result: document.result!, manifest: manifest!, resources: await collect(index.read(id, {})) };
  }

  it('publishes a manifest that says where each capture is (D08, D09, d6)', async () => {
    const { result, manifest, resources } = await ingest(['a.csv', 'b.csv']);
    assert.deepEqual([result.status, result.strategy], ['success', 'web-fileset'], result.message);
    assert.ok(resources.every(({ key }) => key.endsWith('/manifest.json')) && resources.length === 1);
    const [{ terminal_url, terminal_dt, stored, sha256 } = {}] = manifest.files;
    assert.deepEqual(
      [spn.captures.some(({ url }) => url === terminal_url), stored, sha256?.length],
      [true, undefined, 64],
    );
    assert.match(terminal_dt!, /^\d{14}$/);
  });

  it('publishes a manifest that says in which item the files are (D12, D45, d6, d15)', async () => {
    const { result, manifest, resources } = await ingest(['a.csv', 'b.csv', 'c.csv']);
    assert.deepEqual([result.status, result.strategy], ['success', 'archiveorg-fileset'], result.message);
    assert.equal(resources.length, 1);
    assert.deepEqual([...org.items.get(result.itemName!)!.files.keys()].sort(), ['a.csv', 'b.csv', 'c.csv']);
    assert.equal(manifest.files[0]!.terminal_url, `${org.url}download/${result.itemName}/a.csv`);
    assert.ok(!JSON.stringify([result, manifest]).includes(org.keys.secret));
    const again = await started.app.datasets.ingest(
      { ingest_type: 'dataset', base_url: result.terminal!.url },
      { signal },
    );
    assert.deepEqual([again.result!.status, org.requestsOf('PUT').length], ['success-existing', 3]);
    const elsewhere = await started.app.datasets.ingest(again.request, { signal, set: 'others' });
    assert.deepEqual([elsewhere.result!.status, org.requestsOf('PUT').length], ['success-existing', 3]);
  });
});
