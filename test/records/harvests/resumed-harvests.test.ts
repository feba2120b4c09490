import assert from 'node:assert/strict';
import { JobWaits } from '../../../src/stores/job-waits.ts';
import { describeOnEachArtifactStore } from '../../support/each-artifact-store.ts';
import { SQLITE } from '../../support/each-store.ts';
import { HARVESTING, HarvestedCollection } from '../../support/harvests.ts';
import { OaiServer, oaiRecords } from '../../support/oai-server.ts';
import { closeApps, startApp } from '../../support/start-app.ts';

describeOnEachArtifactStore('A harvest whose attempt broke off', (artifacts) => {
  let server: OaiServer;
  beforeEach(async () => {
    server = await OaiServer.start({ records: oaiRecords(35), pageSize: 10 });
  });
  afterEach(async () => {
    await closeApps();
    await server.close();
  });

  it('goes on behind its last recorded page, without what was stored behind it, and applies once', async () => {
    const { app } = await startApp(SQLITE, { ...HARVESTING, artifacts: artifacts.location });
    const collection = await HarvestedCollection.make(app, server);
    const { harvestRuns, harvestRunner, resumableUploads, uploads, uploadProcessor } = app.records;
    const { attempt } = collection;
    const named = await harvestRuns.queue('arxiv', { kind: 'full' }, { by: 'request' });
    const onProgress = ({ resumable }: { resumable?: { pages: number } | undefined }) => {
      if (resumable?.pages === 2) throw new Error('broke off');
    };
    const run = (more = {}) => harvestRunner.run(named, { ...attempt, name: named.job!, ...more });
    await assert.rejects(run({ onProgress }), /broke off/);
    const { id, offset } = (await harvestRuns.get(named)).resumable!;
    const stray = async function* () {
      yield Buffer.alloc(3_000, 'x');
    };
    await resumableUploads.append({ organization: 'arxiv', id }, { offset, body: stray() });

    await assert.rejects(run(), JobWaits);
    const { upload } = await harvestRuns.get(named);
    await uploadProcessor.process(await uploads.get('arxiv', 'arxiv', upload!), { ...attempt, isLast: true });
    const { status, outcome } = await run();

    assert.deepEqual([status, outcome?.records, outcome?.created], [2, 35, 35]);
    assert.equal(server.queriesOf('ListRecords').length, 4);
    assert.equal(await collection.changes(), 35);
    assert.deepEqual(await run(), await harvestRuns.get(named));
  });

  it('begins again when its pages were removed meanwhile', async () => {
    const { app } = await startApp(SQLITE, { ...HARVESTING, artifacts: artifacts.location });
    const collection = await HarvestedCollection.make(app, server);
    const { harvestRuns, harvestRunner, resumableUploads } = app.records;
    const named = await harvestRuns.queue('arxiv', { kind: 'full' }, { by: 'request' });
    const run = (more = {}) => harvestRunner.run(named, { ...collection.attempt, name: named.job!, ...more });
    const onProgress = () => {
      throw new Error('broke off');
    };
    await assert.rejects(run({ onProgress }), /broke off/);
    await resumableUploads.remove('arxiv', (await harvestRuns.get(named)).resumable!.id);
    await assert.rejects(run(), JobWaits);
    assert.deepEqual(
      [server.queriesOf('ListRecords').length, (await harvestRuns.get(named)).lists[0]!.records],
      [5, 35],
    );
  });
});
