import assert from 'node:assert/strict';
import { join } from 'node:path';
import { mock } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { ArtifactLocation } from '../../src/artifacts/open-artifacts.ts';
import { parseS3Location } from '../../src/lib/s3/s3-location.ts';
import { storeFile } from '../../src/records/arrivals/store-file.ts';
import { EarlyReader } from '../../src/records/processing/early-reader.ts';
import { collect } from '../support/builders.ts';
import { describeOnEachArtifactStore } from '../support/each-artifact-store.ts';
import { SQLITE } from '../support/each-store.ts';
import { findFreePort } from '../support/free-port.ts';
import { Catalogue, catalogueFile, entriesFrom } from '../support/marc-catalogue.ts';
import { rootOf } from '../support/s3.ts';
import { closeApps, type StartedApp, startApp } from '../support/start-app.ts';
import { ProcessedStream } from '../support/upload-processing.ts';

const RECORDS = 20_000;
const CHUNK = 65_536;

describeOnEachArtifactStore('a file that is read while it arrives', (place, itOnce) => {
  let started: StartedApp;
  let reader: EarlyReader;
  let chunks: readonly Buffer[];

  function readerOf(location: ArtifactLocation): EarlyReader {
    const { organizations } = started.app.records;
    const { catalog, sets, artifacts, configuration } = started.app;
    const { store, dataFolder } = configuration;
    const threadData = { store, artifacts: location, folder: join(dataFolder, 'spool'), failpoint: undefined };
    return new EarlyReader({ catalog, organizations, sets, artifacts, threadData, isOn: true });
  }

  beforeEach(async () => {
    started = await startApp(SQLITE, { artifacts: place.location });
    await ProcessedStream.make(started.app);
    reader = readerOf(started.app.configuration.artifacts);
    const entries = entriesFrom(0, RECORDS);
    const bytes = Buffer.concat([
      ...catalogueFile({ catalogue: new Catalogue({ seed: 1 }), format: 'marc21', entries }),
    ]);
    chunks = Array.from({ length: Math.ceil(bytes.length / CHUNK) }, (_, at) =>
      bytes.subarray(at * CHUNK, (at + 1) * CHUNK),
    );
  });
  afterEach(async () => {
    await reader.close();
    await closeApps();
  });

  const store = () => storeFile('new.mrc', chunks, { artifacts: started.app.artifacts, organization: 'lane' });
  const upload = async () => {
    const { publishHashes } = await started.app.sets.bySlug('lane--main');
    return { organization: 'lane', stream: 'main', number: 1, normalization: undefined, publishHashes };
  };
  const { signal } = new AbortController();

  it('is read to its end from what is stored when it arrives faster than it is read', async () => {
    const arriving = reader.begin({ organization: 'lane', fileName: 'new.mrc' })!;
    // No thread can have read a byte before the last one came: 30 MB, more than wait for one.
    for (const chunk of chunks) arriving.push(chunk);
    const file = await store();
    arriving.end(file);
    const seen: number[] = [];
    const toRead = { ...(await upload()), files: [file] };
    const { read, thread } = (await reader.take(toRead, signal, ({ ofBytes }) => seen.push(ofBytes)))!;
    await thread.close();
    assert.deepEqual(read.totals, { files: 1, records: RECORDS, deletions: 0, errors: 0 });
    assert.ok(seen.length > 0 && seen.every((of) => of === file.length));
    assert.ok(await started.app.artifacts.head(read.records!));
    // A job has it: it stays.
    await reader.close();
    assert.ok(await started.app.artifacts.head(read.records!));
  });

  it('is removed when no job has taken it before the process ends', async () => {
    const arriving = reader.begin({ organization: 'lane', fileName: 'new.mrc' })!;
    for (const chunk of chunks) arriving.push(chunk);
    arriving.end(await store());
    await reader.close();
    assert.deepEqual(await started.app.artifacts.folders('_streams/'), []);
  });

  itOnce('is removed when no job of the process takes it within five minutes', async () => {
    mock.timers.enable({ apis: ['setTimeout'] });
    try {
      const arriving = reader.begin({ organization: 'lane', fileName: 'new.mrc' })!;
      for (const chunk of chunks) arriving.push(chunk);
      arriving.end(await store());
      const isThere = async () => (await collect(started.app.artifacts.list('_streams/'))).flat().length > 0;
      while (!(await isThere())) await setImmediate();
      mock.timers.tick(299_000);
      assert.ok(await isThere());
      mock.timers.tick(1_000);
      while (await isThere()) await setImmediate();
    } finally {
      mock.timers.reset();
    }
  });

  itOnce('is left to the job when the thread can store nothing of it', async () => {
    const endpoint = `http://127.0.0.1:${await findFreePort()}`;
    const location = parseS3Location(`${rootOf({ endpoint }, 'bucket')}&anonymous=true`, 'artifacts');
    reader = readerOf({ kind: 's3', place: location, settings: { timeoutMs: 10_000, attempts: 1 } });
    const arriving = reader.begin({ organization: 'lane', fileName: 'new.mrc' })!;
    for (const chunk of chunks) arriving.push(chunk);
    const file = await store();
    arriving.end(file);
    const toRead = { ...(await upload()), files: [file] };
    assert.equal(await reader.take(toRead, signal, () => {}), undefined);
  });

  itOnce('is not waited for when the job is stopped', async () => {
    const arriving = reader.begin({ organization: 'lane', fileName: 'new.mrc' })!;
    for (const chunk of chunks) arriving.push(chunk);
    const file = await store();
    arriving.end(file);
    const toRead = { ...(await upload()), files: [file] };
    const stopped = AbortSignal.abort(new Error('the job is stopped'));
    await assert.rejects(
      reader.take(toRead, stopped, () => {}),
      /the job is stopped/,
    );
    assert.deepEqual(await started.app.artifacts.folders('_streams/'), []);
  });
});
