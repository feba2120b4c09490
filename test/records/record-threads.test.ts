import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import type { ArtifactStore } from '../../src/artifacts/artifact-store.ts';
import { openArtifacts } from '../../src/artifacts/open-artifacts.ts';
import { isTidemarkError } from '../../src/core/errors.ts';
import { startWorker } from '../../src/lib/workers/rpc.ts';
import { SQLITE, type StorePlace } from '../support/each-store.ts';
import { putArtifact, record } from '../support/record-artifacts.ts';
import { RecordsProcess } from '../support/record-set.ts';
import { useTempFolder } from '../support/temp-folder.ts';

describe('A large artifact', () => {
  const folder = useTempFolder();
  let place: StorePlace;
  let artifacts: ArtifactStore;
  let one: RecordsProcess;
  let threads: number;
  beforeEach(async () => {
    place = SQLITE.place(folder.path);
    artifacts = openArtifacts({ kind: 'folder', folder: folder.at('artifacts') });
    one = await RecordsProcess.open(place, artifacts);
    threads = 0;
    one.startDigester = (workerData) => {
      threads += 1;
      return startWorker('../../src/records/digests/digest.worker', import.meta.url, { workerData });
    };
  });
  afterEach(async () => {
    await one.close();
    await artifacts.close();
    await place.dispose();
  });

  // Some ten megabytes, packed.
  const records = Array.from({ length: 150 }, (_, at) =>
    record(`r${at % 140}`, randomBytes(50_000).toString('base64')),
  );

  it('is read by threads, with the same result', async () => {
    await putArtifact(artifacts, records, { start: '2017-02-09T10:44:28Z', codec: 'null' });
    const summary = await one.sync();
    assert.equal(threads, 2);
    assert.deepEqual([summary!.files, summary!.created, summary!.duplicates], [140, 140, 10]);
    one.startDigester = undefined;
    assert.equal(await one.counts({ rehash: true }), '140: +0 ~0 -0 =140');
    await putArtifact(artifacts, records.slice(1, 140), { start: '2017-02-10T10:44:28Z', codec: 'deflate' });
    // The ten that came twice are what they were before.
    assert.equal(await one.counts(), '139: +0 ~9 -1 =130');
  });

  it('is not reported when it is damaged, wherever a thread finds that', async () => {
    const torn = await putArtifact(artifacts, records, { start: '2017-02-09T10:44:28Z', codec: 'null', torn: 0.9 });
    await assert.rejects(
      one.sync(),
      (error) => isTidemarkError(error, 'unavailable') && error.message.includes(`cannot be read: ${torn}`),
    );
    assert.equal(threads, 2);
    assert.deepEqual(await one.history(), []);
  });
});
