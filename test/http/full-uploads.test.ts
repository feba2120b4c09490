import assert from 'node:assert/strict';
import { askJson } from '../support/ask.ts';
import { describeOnEachStore } from '../support/each-store.ts';
import { field, file, postForm } from '../support/multipart.ts';
import { closeApps, type StartedApp, startApp } from '../support/start-app.ts';
import { beginTus } from '../support/tus.ts';
import { marc } from '../support/upload-packages.ts';

const TEN = [...'abcdefghij'];
const recordsOf = (ids: readonly string[]) => Buffer.concat(ids.map((id) => Buffer.from(marc(id, id))));

describeOnEachStore('a full upload (131)', (store, itOnce) => {
  let started: StartedApp;

  beforeEach(async () => {
    started = await startApp(store);
    await started.app.records.organizations.add('lane', { contacts: [] });
    assert.equal((await upload([])).status, 201);
    await process(1);
  });
  afterEach(closeApps);

  const uploads = () => `${started.url}/api/organizations/lane/uploads`;
  const upload = (fields: readonly string[], ids = TEN) =>
    postForm(uploads(), [
      ...fields.map((text) => field(text.split('=')[0]!, text.split('=')[1]!)),
      file('all.mrc', recordsOf(ids)),
    ]);

  async function process(number: number) {
    const { uploads, uploadProcessor } = started.app.records;
    const upload = await uploads.get('lane', 'main', number);
    const attempt = { signal: new AbortController().signal, isLast: true, report() {}, log() {} };
    await uploadProcessor.process(upload, attempt).catch(() => {});
    return (await askJson(`${started.url}/api/organizations/lane/uploads/main/${number}`)).body;
  }

  it('deletes the records that it does not mention', async () => {
    const { json } = await upload(['full=yes'], [...TEN.slice(2), 'new']);
    assert.equal(json.full, true);
    const { status, applied } = await process(2);
    const { created, unchanged, unmentioned } = applied;
    assert.deepEqual([status, created, unchanged, unmentioned], ['processed', 1, 8, 2]);
    const { id } = await started.app.sets.bySlug('lane--main');
    assert.equal((await started.app.index.summary(id)).resources, 9);
  });

  itOnce('changes nothing when it would delete too many, unless its sender has accepted that', async () => {
    assert.equal((await upload(['full=yes'], ['a'])).status, 201);
    const failed = await process(2);
    assert.equal(failed.status, 'failed');
    assert.match(failed.failure.error, /it did not mention 9 of 10 records, .*accept_drop=yes/);
    assert.equal((await upload(['full=yes', 'accept_drop=yes'], ['a'])).status, 201);
    assert.equal((await process(3)).applied.unmentioned, 9);
  });

  itOnce('is one by each door: a form, JSON, scripts for the POD aggregator, tus', async () => {
    const url = 'https://lane.example.org/all.mrc';
    const json = await askJson(uploads(), { url, full: true, accept_drop: true });
    const { app } = started;
    const resumable = `${started.url}/api/organizations/lane/resumable-uploads`;
    const tus = await beginTus(resumable, 0, { filename: 'a.mrc', full: 'yes' });
    const pod = await postForm(`${started.url}/organizations/lane/uploads`, [
      field('full', 'yes'),
      { name: 'upload[files][]', fileName: 'a.mrc', value: recordsOf(TEN) },
    ]);
    assert.deepEqual([json.status, tus.status, pod.status], [201, 201, 201]);
    for (const number of [2, 3, 4]) {
      assert.equal((await app.records.uploads.get('lane', 'main', number)).unmentioned, 'deleted', `${number}`);
    }
    assert.equal((await app.records.uploads.get('lane', 'main', 2)).acceptsDrop, true);
  });

  itOnce('is refused when it is not said clearly', async () => {
    for (const fields of [['full=maybe'], ['accept_drop=yes']]) {
      assert.equal((await upload(fields)).status, 400, fields.join());
    }
  });
});
