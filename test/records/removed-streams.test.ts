import assert from 'node:assert/strict';
import type { App } from '../../src/app.ts';
import { recordUpload } from '../../src/records/arrivals/record-upload.ts';
import { uploadsOf } from '../../src/records/arrivals/upload.ts';
import { ask } from '../support/ask.ts';
import { describeOnEachStore } from '../support/each-store.ts';
import { file, postForm } from '../support/multipart.ts';
import { closeApps, type StartedApp, startApp } from '../support/start-app.ts';
import { TwoStreams } from '../support/two-streams.ts';
import { until } from '../support/until.ts';
import { marc } from '../support/upload-packages.ts';

const NEVER = new AbortController().signal;
const OLD = { organization: 'lane', stream: 'old' };

describeOnEachStore('removing streams and organizations (131)', (store, itOnce) => {
  let started: StartedApp;
  let app: App;
  let streams: TwoStreams;

  beforeEach(async () => {
    started = await startApp(store);
    app = started.app;
    streams = await TwoStreams.make(app);
  });
  afterEach(closeApps);

  const status = async (path: string) => (await ask(`${started.url}${path}`)).status;
  async function removeStream(): Promise<void> {
    await app.records.streamRemovals.beginStream(OLD);
    await app.records.streamRemovals.endStream(OLD, NEVER);
  }

  it('leaves nothing of a stream, and all of the records that the default stream has, too', async () => {
    const upload = await streams.put('old', { a: 'A', b: 'B', c: 'secret' });
    await streams.follow();
    await app.records.streamDumps.build(OLD, 'full');
    // The same bytes: the set of the organization goes on with those that it has.
    await streams.put('new', { a: 'A', b: 'B', d: 'D' });
    await streams.makeDefault('new');
    const before = await streams.records('lane');
    assert.deepEqual(Object.keys(before), ['a', 'b', 'd']);

    const { bytes, ...freed } = await app.records.streamRemovals.measureStream(OLD);
    assert.deepEqual(freed, { uploads: 1, records: 3, dumps: 1 });
    assert.ok(bytes > upload.files[0]!.length);
    await removeStream();

    assert.deepEqual(await streams.records('lane'), before);
    assert.deepEqual(
      (await app.records.organizations.get('lane')).streams.map(({ id }) => id),
      ['new'],
    );
    const everything = await streams.stored('_');
    assert.deepEqual(
      everything.filter((key) => /\/old\/|_stream-dumps/.test(key)),
      [],
    );
    assert.equal((await streams.stored('_uploads/lane/')).length, 1);
    for (const slug of ['lane--old', 'lane--old.uploads', 'lane--old.dumps']) {
      assert.equal(await status(`/sets/${slug}/capabilitylist.xml`), 410);
    }
    assert.equal(await status('/sets/lane/capabilitylist.xml'), 200);
    assert.equal(await status('/api/organizations/lane/uploads/old/1'), 404);
    const documents = await app.catalog.latest('upload', uploadsOf('lane', 'old'));
    const states = await app.catalog.latest('upload-state', uploadsOf('lane', 'old'));
    const dumps = await app.catalog.latest('stream-dump', 'lane/old/');
    assert.equal(dumps.length, 1);
    assert.doesNotMatch(JSON.stringify([documents, states, dumps]), /records\.mrc|sha256/);
    await assert.rejects(app.records.organizations.addStream('lane', 'old'), { code: 'conflict' });
  });

  it('is ended by the nightly job, whichever step it was killed at', async () => {
    await streams.put('old', { a: 'A' });
    await streams.makeDefault('new');
    await app.records.streamRemovals.beginStream(OLD);
    assert.deepEqual(await app.records.streamRemovals.endAll(NEVER), ['lane/old']);
    assert.deepEqual(await app.records.streamRemovals.endAll(NEVER), []);
  });

  it('refuses uploads that come meanwhile, however late they are', async () => {
    await streams.makeDefault('new');
    const late = await app.records.uploads.begin('lane', 'old');
    await late.add('late.mrc', [Buffer.from(marc('l', 'late'))]);
    await app.records.streamRemovals.beginStream(OLD);
    const sent = await postForm(`${started.url}/api/organizations/lane/uploads?stream=old`, [file('n.mrc', 'n')]);
    assert.equal(sent.status, 409);
    await assert.rejects(app.records.uploads.begin('lane', 'old'), /the stream old of lane is being removed/);
    await assert.rejects(late.finish({ stream: 'old' }), { code: 'conflict' });
    await app.records.streamRemovals.endStream(OLD, NEVER);
    // A process that has checked the stream long ago.
    await assert.rejects(recordUpload(app, { ...OLD, files: [], token: 'stale' }), { code: 'conflict' });
  });

  itOnce('takes jobs, fetched files and unfinished uploads with it', async () => {
    await streams.makeDefault('new');
    const { number } = (
      await postForm(`${started.url}/api/organizations/lane/uploads?stream=old`, [file('n.mrc', 'n')])
    ).json;
    const waiting = await streams.receive('old', { a: 'A' });
    // As of an upload by URL.
    await app.catalog.put('upload-state', 'lane/old/000000002', { fetched: waiting.files }, undefined);
    const { version, body } = (await app.catalog.get<object>('upload', 'lane/old/000000002'))!;
    await app.catalog.put('upload', 'lane/old/000000002', { ...body, files: [] }, version);
    const { resumableUploads } = app.records;
    const { upload } = await resumableUploads.begin('lane', {
      ...{ stream: 'old', files: [{ name: 'a.mrc', length: 5 }], length: 5 },
    });
    const job = `process-upload/lane~old~${number}`;
    await until('it has a job', () => app.jobs.queue.get(job).catch(() => undefined));
    await removeStream();
    assert.equal((await app.jobs.queue.get(job)).state, 'cancelled');
    assert.deepEqual(await streams.stored('_uploads/'), []);
    await assert.rejects(resumableUploads.status('lane', upload.id), { code: 'not-found' });
  });

  itOnce('keeps the default stream, and says what to do', async () => {
    await assert.rejects(
      app.records.streamRemovals.measureStream(OLD),
      /is the default of lane: make another one the default/,
    );
    await assert.rejects(app.records.streamRemovals.beginStream(OLD), { code: 'conflict' });
  });

  it('leaves of an organization that there was one, and revokes the tokens that were for it alone', async () => {
    await streams.put('old', { a: 'A' });
    await streams.follow();
    await app.records.streamDumps.build({ organization: 'lane' }, 'full');
    const { tokens } = app.access;
    const own = await tokens.create({ name: 'own', scopes: ['upload:lane', 'read:lane--old.uploads'] });
    const other = await tokens.create({ name: 'other', scopes: ['upload:lane', 'read:*'] });
    const group = await tokens.create({ name: 'a group with its id', scopes: ['group:lane'] });
    const { bytes: _, ...freed } = await app.records.streamRemovals.measureOrganization('lane');
    assert.deepEqual(freed, { streams: 2, uploads: 1, records: 1, dumps: 1 });

    await app.records.streamRemovals.beginOrganization('lane');
    await assert.rejects(app.records.organizations.addStream('lane', 'third'), /lane is being removed/);
    await app.records.streamRemovals.endAll(NEVER);
    assert.deepEqual(await streams.stored('_'), []);
    assert.deepEqual(await app.records.organizations.list(), []);
    assert.deepEqual(await app.sets.list(), []);
    const revoked = new Map((await tokens.list()).map(({ id, revoked }) => [id, revoked !== undefined]));
    const isRevoked = [own, other, group].map(({ record }) => revoked.get(record.id));
    assert.deepEqual(isRevoked, [true, false, false]);
    assert.equal(await status('/api/organizations/lane'), 404);
    assert.equal(await status('/sets/lane/capabilitylist.xml'), 410);
    await assert.rejects(app.records.organizations.add('lane', { contacts: [] }), /its id cannot be used again/);
  });
});
