import assert from 'node:assert/strict';
import { join } from 'node:path';
import { openApp } from '../../src/app.ts';
import { readUploadState } from '../../src/records/arrivals/upload-state.ts';
import { readDumpFiles } from '../support/dump-consumer.ts';
import { DUMPED, DumpedStream } from '../support/dumped-stream.ts';
import { describeOnEachStore } from '../support/each-store.ts';
import { untilStopped } from '../support/fault-source.ts';
import { testConfiguration } from '../support/start-app.ts';
import { until } from '../support/until.ts';
import { marc } from '../support/upload-packages.ts';
import { Workplace } from '../support/workplace.ts';

describeOnEachStore('an upload that begins to be applied while a dump is made', (store) => {
  let place: Workplace;
  beforeEach(async () => {
    place = await Workplace.make(store);
  });
  afterEach(() => place.close());

  it('is in the next delta, with its errata', async () => {
    const app = await openApp(testConfiguration(join(place.folder, 'data'), { store: place.store.location }));
    try {
      await app.sets.useBaseUrl('http://localhost:8080', true);
      await DumpedStream.make(app);
      const file = Buffer.concat([marc('one'), Buffer.from(String(marc('two')).replace('001', '009'))]);
      const receiving = await app.records.uploads.begin('lane', 'main');
      await receiving.add('new.mrc', [file]);
      await receiving.finish({ stream: 'main' });
      const upload = { ...DUMPED, number: 1 };
      const state = async () => (await readUploadState(app.catalog, upload))?.body;

      // It has read the watermark, and has not recorded it.
      const worker = place.startProcess(['work'], { env: { TIDEMARK_FAILPOINT: 'upload.beginning:stop' } });
      await untilStopped({ process: worker });
      const [full] = await app.records.streamDumps.build(DUMPED, 'full');
      assert.deepEqual(full!.totals, { records: 0, deletions: 0, errata: 0 });

      worker.signal('SIGCONT');
      await until('it was applied', async () => (await state())?.applied !== undefined);
      const [delta] = await app.records.streamDumps.build(DUMPED, 'delta');
      assert.deepEqual(delta!.totals, { records: 1, deletions: 0, errata: 1 });
      const { errata } = await readDumpFiles(delta!, app.records.streamDumps);
      assert.deepEqual(
        errata.map(({ upload }) => upload),
        [1],
      );
      assert.deepEqual(await app.records.streamDumps.build(DUMPED, 'delta'), []);
    } finally {
      await app.close();
    }
  });
});
