import assert from 'node:assert/strict';
import { utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { type App, openApp } from '../../src/app.ts';
import { uploadId } from '../../src/records/arrivals/upload.ts';
import type { UploadState } from '../../src/records/arrivals/upload-state.ts';
import { removeUnusedReadings } from '../../src/records/deliveries/remove-unused.ts';
import type { Organization } from '../../src/records/organization.ts';
import { updateDocument } from '../../src/stores/update-document.ts';
import { SQLITE } from '../support/each-store.ts';
import { findFreePort } from '../support/free-port.ts';
import { testConfiguration } from '../support/start-app.ts';
import { TwoStreams } from '../support/two-streams.ts';
import { Workplace } from '../support/workplace.ts';

const BASE_URL = 'http://127.0.0.1:8080';
const DAY_MS = 86_400_000;
const { signal } = new AbortController();

describe('131: what is kept no longer, by a job that is killed', () => {
  let place: Workplace;

  beforeEach(async () => {
    place = await Workplace.make(SQLITE);
  });
  afterEach(() => place.close());

  const artifacts = () => join(place.folder, 'data/artifacts');
  async function withApp<Result>(use: (app: App, streams: TwoStreams) => Promise<Result>): Promise<Result> {
    const kept = { kind: 'folder', folder: artifacts() } as const;
    const settings = { store: place.store.location, artifacts: kept };
    const app = await openApp(testConfiguration(join(place.folder, 'data'), settings));
    try {
      return await use(app, new TwoStreams(app));
    } finally {
      await app.close();
    }
  }
  async function killAt(failpoint: string): Promise<void> {
    const env = { TIDEMARK_FAILPOINT: `${failpoint}:kill`, TIDEMARK_LOG_LEVEL: 'silent', TIDEMARK_BASE_URL: BASE_URL };
    const server = place.start(['serve', '--port', `${await findFreePort()}`, '--keep-originals', '180d'], { env });
    assert.equal(await server.exit(), null, 'it was killed');
  }
  const stateOf = async (app: App, number: number) =>
    (await app.catalog.get<UploadState>('upload-state', uploadId('lane', 'old', number)))!.body;
  /** As if the organization, and what is stored of it, were older than a week. */
  async function age(app: App, keys: readonly string[]): Promise<void> {
    const then = new Date(Date.now() - 8 * DAY_MS);
    for (const key of keys) await utimes(join(artifacts(), key), then, then);
    const created = Date.now() - 9 * DAY_MS;
    const document = { kind: 'organization', id: 'lane' } as const;
    await updateDocument<Organization>(app.catalog, document, (before) => ({ ...before!, created }));
  }

  it('is not offered any more, and files of uploads go by the next nightly job', async () => {
    await withApp(async (app) => {
      await app.sets.useBaseUrl(BASE_URL, true);
      const streams = await TwoStreams.make(app);
      await streams.put('old', { a: 'A' });
      await streams.makeDefault('new');
      await app.records.organizations.changeStream('lane', 'old', { archived: true });
      await app.jobs.removals.add();
    });
    await killAt('originals.recorded');
    await withApp(async (app, streams) => {
      const upload = await app.records.uploads.get('lane', 'old', 1);
      await assert.rejects(app.records.uploads.filesOf(upload), { code: 'gone' });
      const left = await streams.stored('_uploads/');
      assert.equal(left.length, 1);
      await age(app, left);
      assert.equal(await app.records.uploads.removeAbandoned(signal), 1);
      assert.deepEqual(await streams.stored('_uploads/'), []);
      assert.deepEqual(Object.keys(await streams.records('lane--old')), ['a']);
    });
  });

  it('is used by no record, and what a full upload has replaced goes by the next nightly job', async () => {
    await withApp(async (app) => {
      await app.sets.useBaseUrl(BASE_URL, true);
      const streams = await TwoStreams.make(app);
      await streams.put('old', { a: 'A', b: 'B' });
      await streams.makeDefault('old');
      await streams.put('old', { a: 'A2' }, { unmentioned: 'deleted', acceptsDrop: true });
      await streams.follow();
      const id = { kind: 'upload-state', id: uploadId('lane', 'old', 2) } as const;
      await updateDocument<UploadState>(app.catalog, id, (before) => ({
        ...before,
        applied: { ...before!.applied!, at: Date.now() - 8 * DAY_MS },
      }));
      await app.jobs.removals.add();
    });
    await killAt('replaced.recorded');
    await withApp(async (app, streams) => {
      const { read, recordsRemoved } = await stateOf(app, 1);
      assert.deepEqual([read!.records, recordsRemoved !== undefined], [undefined, true]);
      const left = await streams.stored('_streams/lane/old/000000001/');
      assert.equal(left.length, 1);
      await age(app, await streams.stored('_streams/'));
      assert.equal(await removeUnusedReadings(app, signal), 1);
      assert.deepEqual(await streams.stored('_streams/lane/old/000000001/'), []);
      for (const slug of ['lane', 'lane--old']) assert.deepEqual(Object.keys(await streams.records(slug)), ['a']);
    });
  });
});
