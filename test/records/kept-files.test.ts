import assert from 'node:assert/strict';
import type { App } from '../../src/app.ts';
import { TidemarkError } from '../../src/core/errors.ts';
import type { Upload } from '../../src/records/arrivals/upload.ts';
import { putUploadState, readUploadState, type UploadState } from '../../src/records/arrivals/upload-state.ts';
import { removeUnusedReadings } from '../../src/records/deliveries/remove-unused.ts';
import { dumpId } from '../../src/records/dumps/stored-stream-dump.ts';
import type { Organization } from '../../src/records/organization.ts';
import { closeStream } from '../../src/records/removal/close-stream.ts';
import { expireStreams } from '../../src/records/removal/expire-streams.ts';
import { removeOriginals } from '../../src/records/removal/remove-originals.ts';
import { removeReplaced } from '../../src/records/removal/remove-replaced.ts';
import { SyncCounter } from '../../src/sources/sync-counter.ts';
import { ask } from '../support/ask.ts';
import { collect } from '../support/builders.ts';
import { describeOnEachStore } from '../support/each-store.ts';
import { closeApps, type StartedApp, startApp } from '../support/start-app.ts';
import { TwoStreams } from '../support/two-streams.ts';

const signal = new AbortController().signal;
const DAY_MS = 86_400_000;

describeOnEachStore('what is kept of streams (131)', (store, itOnce) => {
  let started: StartedApp;
  let app: App;
  let streams: TwoStreams;

  beforeEach(async () => {
    started = await startApp(store);
    app = started.app;
    streams = await TwoStreams.make(app);
  });
  afterEach(closeApps);

  const parts = () => ({
    ...app,
    organizations: app.records.organizations,
    streamRemovals: app.records.streamRemovals,
  });
  const inDays = (days: number) => Date.now() + days * DAY_MS;
  const stateOf = async (upload: Upload) => (await app.records.uploads.stateOf(upload))!;
  async function mark(upload: Upload, more: Partial<UploadState>): Promise<void> {
    const before = (await readUploadState(app.catalog, upload))!;
    await putUploadState(app.catalog, upload, { body: { ...before.body, ...more }, before });
  }
  async function published(slug: string): Promise<readonly string[]> {
    const { id } = await app.sets.bySlug(slug);
    return (await collect(app.index.read(id, {}))).flat().map(({ key }) => key);
  }
  async function requireClean(): Promise<void> {
    for (const set of await app.sets.list()) {
      const source = app.sources.sourceOf(set);
      const counter = new SyncCounter({});
      assert.deepEqual((await collect(source.verify!({ counter, signal }))).flat(), [], set.slug);
    }
  }

  it('removes files of uploads that are old, whose addresses say so, and keeps their records', async () => {
    const old = await streams.put('old', { a: 'A' });
    await streams.follow();
    const url = `${started.url}/api/organizations/lane/uploads/old/1`;
    assert.deepEqual(await published('lane.uploads'), ['/000000001/0001/records.mrc']);

    const kept = { keptMs: 180 * DAY_MS, signal };
    assert.equal(await removeOriginals(parts(), { ...kept, now: inDays(179) }), 0);
    assert.equal(await removeOriginals(parts(), { ...kept, keptMs: Number.POSITIVE_INFINITY, now: inDays(999) }), 0);
    assert.equal(await removeOriginals(parts(), { ...kept, now: inDays(181) }), 1);
    assert.equal(await removeOriginals(parts(), { ...kept, now: inDays(181) }), 0);
    await streams.follow();

    const { status, text } = await ask(`${url}/files/1`);
    assert.equal(status, 410);
    assert.match(text, /the files of the upload lane\/old\/1 are kept no longer/);
    const view = JSON.parse((await ask(url)).text);
    assert.deepEqual([view.files.length, view.originalsRemoved !== undefined], [1, true]);
    assert.deepEqual([await streams.stored('_uploads/'), await published('lane.uploads')], [[], []]);
    const pod = `${started.url}/organizations/lane/uploads`;
    assert.equal((await ask(`${pod}/old/1.json`)).status, 410);
    const [listed] = JSON.parse((await ask(`${pod}.json?stream=old`)).text);
    assert.deepEqual([listed.id, listed.files], ['old/1', []]);
    assert.deepEqual(Object.keys(await streams.records('lane')), ['a']);
    assert.ok((await stateOf(old)).read!.records);
    await requireClean();
  });

  itOnce('removes a week later what a process that was killed has left', async () => {
    const [first, second] = [await streams.put('old', { a: 'A' }), await streams.put('old', { b: 'B' })];
    await mark(first, { originalsRemoved: Date.now() });
    await mark(second, { removed: { at: Date.now(), reason: 'a test', delivery: 3 } });
    const clock = Date.now;
    try {
      Date.now = () => clock() + 8 * DAY_MS;
      assert.equal(await app.records.uploads.removeAbandoned(signal), 1);
      assert.equal(await removeUnusedReadings(app, signal), 1);
    } finally {
      Date.now = clock;
    }
    assert.deepEqual(await streams.stored('_uploads/'), [second.files[0]!.artifact]);
    assert.equal((await streams.stored('_streams/lane/old/000000001/')).length, 1);
    assert.equal((await streams.stored('_streams/lane/old/000000002/')).length, 0);
  });

  itOnce('removes nothing for a full upload that was removed, or that has not been followed', async () => {
    await streams.put('old', { a: 'A' });
    const full = await streams.put('old', { b: 'B' }, { unmentioned: 'deleted', acceptsDrop: true });
    assert.equal(await removeReplaced(parts(), { signal, now: inDays(8) }), 0, 'nothing was followed yet');
    await streams.follow();
    await mark(full, { removed: { at: Date.now(), reason: 'a test', delivery: 3 } });
    assert.equal(await removeReplaced(parts(), { signal, now: inDays(8) }), 0, 'it was removed');
  });

  itOnce('removes no file of an upload whose state has changed meanwhile', async () => {
    await streams.put('old', { a: 'A' });
    const late = { get: app.catalog.get.bind(app.catalog), latest: app.catalog.latest.bind(app.catalog) };
    const put = () => Promise.reject(new TidemarkError('conflict', 'another process was faster'));
    const given = { ...parts(), catalog: { ...late, put } };
    assert.equal(await removeOriginals(given, { keptMs: DAY_MS, signal, now: inDays(9) }), 0);
    assert.equal((await streams.stored('_uploads/')).length, 1);
    await streams.put('old', { b: 'B' }, { unmentioned: 'deleted', acceptsDrop: true });
    await streams.follow();
    const read = await streams.stored('_streams/lane/old/');
    assert.equal(await removeReplaced(given, { signal, now: inDays(8) }), 0);
    assert.deepEqual(await streams.stored('_streams/lane/old/'), read);
  });

  itOnce('removes the files of archived streams, however old, but not of one that has failed', async () => {
    await streams.put('old', { a: 'A' });
    const receiving = await app.records.uploads.begin('lane', 'old');
    await receiving.add('waiting.mrc', [Buffer.from('x')]);
    const failed = await receiving.finish({ stream: 'old' });
    const failure = { at: 1, error: 'a test', isFinal: true };
    await putUploadState(app.catalog, failed, { body: { failure }, before: undefined });
    await streams.makeDefault('new');
    await app.records.organizations.changeStream('lane', 'old', { archived: true });
    assert.equal(await removeOriginals(parts(), { keptMs: 180 * DAY_MS, signal }), 1);
    assert.equal((await streams.stored('_uploads/')).length, 1);
  });

  it('removes what was read before a full upload, but nothing that a record is stored in', async () => {
    const first = await streams.put('old', { a: 'A', b: 'B' });
    const second = await streams.put('old', { b: 'B2', c: 'C' });
    const full = await streams.put('old', { a: 'A', c: 'C2', d: 'D' }, { unmentioned: 'deleted', acceptsDrop: true });
    const later = await streams.put('old', { e: 'E' });
    await streams.follow();
    const expected = await streams.records('lane');

    assert.equal(await removeReplaced(parts(), { signal, now: inDays(6) }), 0);
    assert.equal(await removeReplaced(parts(), { signal, now: inDays(8) }), 1);
    // The record a is stored with the first upload, as it has not changed since.
    const left = await Promise.all([first, second, full, later].map(async (one) => (await stateOf(one)).read!.records));
    assert.deepEqual(
      left.map((key) => key !== undefined),
      [true, false, true, true],
    );
    assert.equal((await streams.stored('_streams/lane/old/')).length, 3);
    assert.ok((await stateOf(second)).recordsRemoved);
    assert.deepEqual(await streams.records('lane'), expected);
    assert.deepEqual(await streams.records('lane--old'), expected);
    await requireClean();
    await app.records.streamDumps.build({ organization: 'lane' }, 'full');
    assert.equal((await app.records.streamDumps.list({ organization: 'lane' }))[0]!.totals.records, 4);
  });

  itOnce('keeps what the set of the organization has not followed yet, and what kept versions may need', async () => {
    await streams.put('old', { a: 'A' });
    await streams.follow();
    await streams.put('old', { b: 'B' }, { unmentioned: 'deleted', acceptsDrop: true });
    assert.equal(await removeReplaced(parts(), { signal, now: inDays(8) }), 0);
    await streams.follow();
    await app.sets.change('lane', { keepVersions: true });
    assert.equal(await removeReplaced(parts(), { signal, now: inDays(8) }), 0);
    await app.sets.change('lane', { keepVersions: false });
    assert.equal(await removeReplaced(parts(), { signal, now: inDays(8) }), 1);
  });

  it('removes streams that are not used any more, but neither the default one nor one with an upload', async () => {
    await streams.put('old', { a: 'A' });
    const unused = { unusedMs: 90 * DAY_MS, signal };
    assert.deepEqual(await expireStreams(parts(), { ...unused, now: inDays(89) }), []);
    assert.deepEqual(await expireStreams(parts(), { ...unused, now: inDays(91) }), ['lane/new']);
    assert.deepEqual(
      (await app.records.organizations.get('lane')).streams.map(({ id }) => id),
      ['old'],
    );
    const never = { unusedMs: Number.POSITIVE_INFINITY, signal, now: inDays(9999) };
    assert.deepEqual(await expireStreams(parts(), never), []);
  });

  itOnce('keeps a stream that gets an upload meanwhile, and removes one that a killed process has closed', async () => {
    const unused = { unusedMs: 90 * DAY_MS, signal };
    let isFirst = true;
    const { catalog } = app;
    const put: typeof catalog.put = async (kind, ...document) => {
      if (kind === 'upload' && isFirst) {
        isFirst = false;
        await streams.receive('new', { a: 'A' });
      }
      return catalog.put(kind, ...document);
    };
    const meanwhile = { get: catalog.get.bind(catalog), latest: catalog.latest.bind(catalog), put };
    assert.deepEqual(await expireStreams({ ...parts(), catalog: meanwhile }, { ...unused, now: inDays(91) }), []);
    assert.equal((await app.records.uploads.list('lane', 'new', { limit: 1 })).uploads.length, 1);
    await closeStream(catalog, { organization: 'lane', stream: 'new' });
    assert.deepEqual(await expireStreams(parts(), { ...unused, now: inDays(1) }), ['lane/new']);
  });

  itOnce('leaves alone what a collection is filled with, and a stream with a recent dump', async () => {
    const upload = await streams.put('new', { a: 'A' });
    const unused = { unusedMs: 90 * DAY_MS, signal, now: inDays(91) };
    const dump = { organization: 'lane', stream: 'new', number: 1, at: inDays(2), kind: 'full', files: [] };
    await app.catalog.put('stream-dump', dumpId(dump), dump, undefined);
    assert.deepEqual(await expireStreams(parts(), unused), []);
    const { version, body } = (await app.catalog.get<Organization>('organization', 'lane'))!;
    const harvested = body.streams.map((one) => (one.id === 'new' ? { ...one, set: 'a-collection' } : one));
    await app.catalog.put('organization', 'lane', { ...body, streams: harvested }, version);
    assert.deepEqual(await expireStreams(parts(), { ...unused, now: inDays(999) }), []);
    assert.equal(await removeOriginals(parts(), { keptMs: DAY_MS, signal, now: inDays(999) }), 0);
    assert.ok(await app.artifacts.head(upload.files[0]!.artifact));
  });
});
