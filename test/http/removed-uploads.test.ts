import assert from 'node:assert/strict';
import { knownArtifacts } from '../../src/backup/verify/known-artifacts.ts';
import { JOB_DEFINITIONS } from '../../src/jobs/job-list.ts';
import { JobRunner } from '../../src/jobs/job-runner.ts';
import type { Normalization } from '../../src/records/forms/normalization.ts';
import { ask, askJson } from '../support/ask.ts';
import { collect } from '../support/builders.ts';
import { describeOnEachStore } from '../support/each-store.ts';
import { file, postForm } from '../support/multipart.ts';
import { recordsOf, recordsOfDumps, syncSet } from '../support/removing-stream.ts';
import { closeApps, type StartedApp, startApp } from '../support/start-app.ts';
import { until } from '../support/until.ts';
import { marc } from '../support/upload-packages.ts';

describeOnEachStore('131: removing an upload by the API', (store, itOnce) => {
  let started: StartedApp;
  let runner: JobRunner;

  beforeEach(async () => {
    started = await startApp(store);
    await started.app.records.organizations.add('lane', { contacts: [] });
    const worker = { name: 'tester', leaseMs: 30_000 };
    runner = new JobRunner({ definitions: JOB_DEFINITIONS, parts: started.app, worker, concurrency: 2 });
    runner.start();
  });
  afterEach(async () => {
    await runner.stop();
    await closeApps();
  });

  const uploads = () => `${started.url}/api/organizations/lane/uploads`;
  const show = async (number: number) => (await askJson(`${uploads()}/main/${number}`)).body;
  const processed = (number: number) =>
    until(`upload ${number} is processed`, async () => {
      const { status, failure } = await show(number);
      assert.equal(failure, undefined);
      return status === 'processed';
    });
  const send = async (...records: readonly Buffer[]) => {
    const { json } = await postForm(uploads(), [file('a.mrc', Buffer.concat(records))]);
    await processed(json.number);
    return json.number as number;
  };
  const request = async (method: 'POST' | 'DELETE', url: string) => {
    const { status, text } = await ask(url, { method });
    return { status, body: JSON.parse(text) };
  };
  const remove = (number: number, reason = 'sent by mistake') =>
    request('DELETE', `${uploads()}/main/${number}?reason=${encodeURIComponent(reason)}`);

  it('takes its records back, and leaves no byte of it at any door', async () => {
    const { app, url } = started;
    const bad = Buffer.from(marc('bad', 'note'));
    bad[bad.indexOf('note')] = 0xff;
    await send(marc('a', 'kept'), marc('b', 'kept'));
    const syncUploads = () => syncSet(app, 'lane.uploads');
    await app.records.streamDumps.build({ organization: 'lane' }, 'full');
    const number = await send(marc('b', 'confidential'), marc('c', 'confidential'), bad);
    await app.records.streamDumps.build({ organization: 'lane' }, 'full');
    const before = await app.records.streamDumps.list({ organization: 'lane' });
    await app.records.streamDumps.build({ organization: 'lane', stream: 'main' }, 'full');
    await syncUploads();
    const {
      files: [{ url: path }],
    } = await show(number);
    assert.equal((await ask(`${url}/api/${path}`)).status, 200);

    const { status, body: delivery } = await remove(number);
    assert.equal(status, 202, JSON.stringify(delivery));
    assert.deepEqual([delivery.number, delivery.removes, delivery.readsAgain], [number + 1, number, true]);
    assert.deepEqual([delivery.reason, delivery.by.name], ['sent by mistake', 'administrator']);
    for (const gone of [path, `${path.slice(0, path.indexOf('/files'))}/errors`]) {
      const { status, text } = await ask(`${url}/api/${gone}`);
      assert.equal(status, 410);
      assert.match(text, /lane\/main\/2 was removed at 20\S+Z: sent by mistake/);
    }
    await processed(number + 1);
    const removed = await show(number);
    assert.deepEqual([removed.status, removed.files, removed.totals], ['removed', [], undefined]);
    assert.deepEqual([removed.removed.reason, removed.removed.delivery], ['sent by mistake', number + 1]);
    const kept = { a: marc('a', 'kept').toString(), b: marc('b', 'kept').toString() };
    assert.deepEqual(await recordsOf(app, 'lane--main'), kept);

    for await (const { key } of knownArtifacts(app)) {
      assert.notEqual(await app.artifacts.head(key), undefined, `${key} is known, and was deleted`);
    }
    await until('its dumps are replaced', async () => {
      const listed = await app.records.streamDumps.list({ organization: 'lane' });
      return listed[0]!.number > before.at(-1)!.number && listed;
    });
    const { body } = await askJson(`${url}/api/jobs?kind=build-stream-dump`);
    assert.match(JSON.stringify(body.jobs), /"stream":"main"|lane[~/]main/, 'the dump of the stream is replaced, too');
    assert.deepEqual(await recordsOf(app, 'lane'), kept);
    assert.deepEqual(Object.keys(await recordsOfDumps(app)), ['a', 'b']);
    for (const { artifact } of before.flatMap(({ files }) => files)) {
      assert.equal(await app.artifacts.head(artifact), undefined);
    }
    assert.deepEqual((await collect(app.artifacts.list('_streams/lane/main/000000002/'))).flat(), []);
    await syncUploads();
    const { id } = await app.sets.bySlug('lane.uploads');
    assert.equal((await collect(app.index.read(id, {}))).flat().length, 1);
    for (const path of ['uploads.json', 'uploads.json?stream=main', 'streams/main.json']) {
      const { body } = await askJson(`${url}/organizations/lane/${path}`);
      assert.deepEqual(
        (body.uploads ?? body).map(({ id }: { id: string }) => id),
        ['main/1'],
        path,
      );
    }
    for (const page of ['', 'streams/main/', 'streams/main/uploads/2/', 'streams/main/uploads/3/']) {
      const { status, text } = await ask(`${url}/organizations/lane/${page}`, { headers: { accept: 'text/html' } });
      assert.equal(status, 200);
      assert.match(text, /sent by mistake|removes upload 2/);
    }
    assert.equal((await ask(`${url}/organizations/lane/uploads/main/2.json`)).status, 410);
    assert.equal((await remove(number)).status, 409);
    assert.equal((await remove(number + 1)).body.error.message.includes('it reads those of earlier uploads'), true);
    assert.equal((await ask(`${uploads()}/main/2/retry`, { method: 'POST' })).status, 410);
  });

  itOnce('leaves none of it in packages of Resource Dumps, which are made anew', async () => {
    const { app, url } = started;
    await send(marc('a', 'kept'));
    const number = await send(marc('b', 'confidential'));
    await syncSet(app);
    for (const slug of ['lane', 'lane--main']) await app.publishing.dumps.build(slug, {});
    const stored = async () => (await collect(app.artifacts.list('_dumps/'))).flat().map(({ key }) => key);
    const before = await stored();
    assert.equal(before.length, 2);
    await remove(number);
    await processed(number + 1);
    const after = await stored();
    assert.deepEqual(
      before.filter((key) => after.includes(key)),
      [],
    );
    for (const slug of ['lane', 'lane--main']) {
      await until(`${slug} has a dump`, async () => (await ask(`${url}/sets/${slug}/resourcedump.xml`)).status === 200);
      const dump = await app.publishing.dumps.known.dumpOf(await app.sets.bySlug(slug));
      assert.deepEqual(
        dump.packages.map(({ resources }) => resources),
        [1],
      );
    }
  });

  itOnce('needs a reason of one line, and an upload of a stream that is not harvested', async () => {
    const number = await send(marc('a'));
    for (const reason of ['', 'two\nlines', 'x'.repeat(501)]) {
      const { status } = await remove(number, reason);
      assert.equal(status, 400, JSON.stringify(reason));
    }
    assert.equal((await remove(17)).status, 404);
    assert.equal((await show(number)).status, 'processed');
  });

  itOnce('refuses to process a failed upload again when a later delivery has read the stream without it', async () => {
    const first = await send(marc('a'));
    const { json } = await postForm(uploads(), [file('a.pdf', '%PDF-1.4')]);
    await until('it has failed', async () => (await show(json.number)).status === 'failed');
    await remove(first);
    const { status, body } = await request('POST', `${uploads()}/main/${json.number}/retry`);
    assert.equal(status, 409);
    assert.match(body.error.message, /the delivery 3 has read the stream again without it: send its files as a new/);
  });

  it('134: a stream is processed again with another normalization: its changes are what differs', async () => {
    const { app, url } = started;
    const item = (id: string) => marc(id, 'note');
    await send(item('a'), item('b'), item('c'));
    await send(marc('c'));
    const set = await app.sets.bySlug('lane--main');
    const changes = async () => (await app.index.summary(set.id)).changes;
    const again = async () => {
      const before = await changes();
      const { status, body } = await request('POST', `${url}/api/organizations/lane/streams/main/process-again`);
      assert.equal(status, 202, JSON.stringify(body));
      await processed(body.number);
      const { applied } = await show(body.number);
      assert.equal((await changes()) - before, applied.updated + applied.created + applied.deleted);
      return applied;
    };
    const same = await again();
    assert.deepEqual([same.updated, same.unchanged], [0, 3]);
    const items = [{ source: '500', destination: '998', subfields: { a: 'a' } }];
    const normalization = { kind: 'pod', code: 'LANE', items } as unknown as Normalization;
    await app.records.organizations.change('lane', { normalization });
    const other = await again();
    assert.equal(other.updated + other.unchanged, 3);
    assert.ok(other.updated > 0);
    const records = await recordsOf(app, 'lane--main');
    assert.match(records.a!, /LANE/);
    assert.deepEqual((await again()).updated, 0);
  });
});
