import assert from 'node:assert/strict';
import { utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { type ArtifactKey, formatKey } from '../../src/artifacts/artifact-key.ts';
import { removeUnusedReadings } from '../../src/records/deliveries/remove-unused.ts';
import { ageOrganization } from '../support/aged-organization.ts';
import { collect } from '../support/builders.ts';
import { SQLITE } from '../support/each-store.ts';
import { closeApps, type StartedApp, startApp } from '../support/start-app.ts';
import { marc } from '../support/upload-packages.ts';
import { ProcessedStream } from '../support/upload-processing.ts';

const OLD = new Date(Date.now() - 20 * 86_400_000);
const ID = '0'.repeat(32);

describe('files of streams that this store does not name', () => {
  let started: StartedApp;

  beforeEach(async () => {
    started = await startApp(SQLITE);
    const stream = await ProcessedStream.make(started.app);
    await stream.process(await stream.upload({ 'a.mrc': marc('1') }));
    for (const organization of ['lane', 'other']) {
      const of = { organization, stream: 'main', id: ID } as const;
      for (const key of [
        { kind: 'uploaded-file', organization, day: '20261124', id: ID },
        { kind: 'stream-records', ...of, number: 1 },
        { kind: 'stream-dump', ...of },
      ] satisfies ArtifactKey[]) {
        await started.app.artifacts.put(formatKey(key), [Buffer.from('of another store')]);
        await utimes(join(started.folder, 'artifacts', formatKey(key)), OLD, OLD);
      }
    }
  });
  afterEach(closeApps);

  async function unused(): Promise<readonly string[]> {
    const { app } = started;
    const { signal } = new AbortController();
    await app.records.uploads.removeAbandoned(signal);
    await app.records.streamDumps.removeUnused(signal);
    await removeUnusedReadings(app, signal);
    const keys = (await collect(app.artifacts.list(''))).flat().map(({ key }) => key);
    return keys.filter((key) => key.includes(ID)).map((key) => key.split('/', 2).join('/'));
  }

  const OTHERS = ['_stream-dumps/other', '_streams/other', '_uploads/other'];

  it('stay when they are older than their organization, or it is unknown: another store may need them', async () => {
    assert.deepEqual(await unused(), [
      '_stream-dumps/lane',
      OTHERS[0],
      '_streams/lane',
      OTHERS[1],
      '_uploads/lane',
      OTHERS[2],
    ]);
  });

  it('are removed after a week when they are younger than their organization', async () => {
    await ageOrganization(started.app, 'lane');
    assert.deepEqual(await unused(), OTHERS);
  });
});
