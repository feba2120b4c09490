import assert from 'node:assert/strict';
import { putUploadState, readUploadState } from '../../src/records/arrivals/upload-state.ts';
import { sync } from '../../src/sources/sync/sync.ts';
import { askJson } from '../support/ask.ts';
import { SQLITE } from '../support/each-store.ts';
import { closeApps, type StartedApp, startApp } from '../support/start-app.ts';
import { marc } from '../support/upload-packages.ts';
import { ProcessedStream } from '../support/upload-processing.ts';

describe('Statistics of organizations', () => {
  let started: StartedApp;

  before(async () => {
    started = await startApp(SQLITE);
  });
  after(closeApps);

  const statistics = (query = '') => askJson(`${started.url}/api/organizations/lane/statistics${query}`);

  it('count records, changes, uploads by status, and dumps, of the default stream or of another one', async () => {
    const { app } = started;
    const stream = await ProcessedStream.make(app);
    const none = { waiting: 0, processing: 0, processed: 0, failed: 0, removed: 0 };
    const empty = { records: 0, changes: 0, uploads: none, dumps: 0 };
    assert.deepEqual((await statistics()).body, { organization: 'lane', ...empty });

    await stream.process(await stream.upload({ 'new.mrc': Buffer.concat([marc('1'), marc('2'), marc('3')]) }));
    await stream.process(await stream.upload({ 'gone.txt': '1\n2\n' }));
    const failed = await app.records.uploads.get('lane', 'main', await stream.upload({ 'new.mrc': marc('4') }));
    const before = await readUploadState(app.catalog, failed);
    const failure = { at: Date.now(), error: 'the disk is full', isFinal: true };
    await putUploadState(app.catalog, failed, { body: { failure }, before });
    const { received } = await app.records.uploads.get('lane', 'main', await stream.upload({ 'new.mrc': marc('5') }));
    const set = await app.sets.bySlug('lane');
    await sync({ set, source: app.sources.sourceOf(set), updater: app.updater });
    await app.records.streamDumps.build({ organization: 'lane', stream: 'main' }, 'full');

    const counted = {
      records: 1,
      uploads: { ...none, waiting: 1, processed: 2, failed: 1 },
      lastUpload: new Date(received).toISOString(),
    };
    assert.deepEqual((await statistics('?stream=main')).body, {
      ...{ organization: 'lane', stream: 'main', ...counted },
      ...{ changes: 5, dumps: 1 },
    });
    const { changes, ...others } = (await statistics()).body;
    assert.deepEqual(others, { organization: 'lane', ...counted, dumps: 0 });
    assert.ok(changes > 0, `${changes} changes`);

    await app.records.organizations.addStream('lane', 'other');
    assert.deepEqual((await statistics('?stream=other')).body, { organization: 'lane', stream: 'other', ...empty });
    assert.equal((await statistics('?stream=none')).status, 404);
  });
});
