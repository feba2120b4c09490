import assert from 'node:assert/strict';
import { JOB_DEFINITIONS } from '../../src/jobs/job-list.ts';
import { JobRunner } from '../../src/jobs/job-runner.ts';
import { AppliedUploads } from '../support/applied-uploads.ts';
import { ask, askJson, JSON_BODY } from '../support/ask.ts';
import { type Records, readDumpFiles, withDelta } from '../support/dump-consumer.ts';
import { DumpedStream, numbersTo } from '../support/dumped-stream.ts';
import { describeOnEachStore } from '../support/each-store.ts';
import { closeApps, type StartedApp, startApp } from '../support/start-app.ts';
import { until } from '../support/until.ts';

const DEFAULT = { organization: 'lane' };

describeOnEachStore('Dumps of the default stream', (store, itOnce) => {
  let started: StartedApp;
  let stream: DumpedStream;
  let runner: JobRunner | undefined;

  beforeEach(async () => {
    started = await startApp(store);
    await DumpedStream.make(started.app);
    stream = new DumpedStream(started.app, started.folder);
  });
  afterEach(async () => {
    await runner?.stop();
    runner = undefined;
    await closeApps();
  });

  it('have in the next delta what differs after another stream was made the default', async () => {
    const { app, folder } = started;
    await stream.put(numbersTo(20));
    const [full] = await app.records.streamDumps.build(DEFAULT, 'full');
    const before = (await readDumpFiles(full!, app.records.streamDumps)).records;
    assert.deepEqual(asText(before), asText(stream.records));

    await app.records.organizations.addStream('lane', 'next');
    const next = new AppliedUploads(app, { ...DEFAULT, stream: 'next', folder });
    // The same records but one, another one changed, and a new one.
    const others = new Map([...stream.records].slice(1));
    const [changed = ''] = others.keys();
    const records = new Map([
      ...others,
      [changed, stream.documentOf(1, 1)],
      [stream.idOf(50), stream.documentOf(50, 0)],
    ]);
    await next.apply(records);
    assert.deepEqual(await app.records.streamDumps.build(DEFAULT, 'delta'), []);
    await app.records.organizations.changeStream('lane', 'next', { default: true });
    const [delta] = await app.records.streamDumps.build(DEFAULT, 'delta');
    assert.deepEqual(delta!.totals, { records: 2, deletions: 1, errata: 0 });
    const after = withDelta(before, await readDumpFiles(delta!, app.records.streamDumps));
    assert.deepEqual(asText(after), asText(records));
  });

  itOnce('are made by jobs, which the API adds, and are listed oldest first', async () => {
    const { app, url } = started;
    const dumps = `${url}/api/organizations/lane/dumps`;
    const worker = { name: 'tester', leaseMs: 30_000 };
    runner = new JobRunner({ definitions: JOB_DEFINITIONS, parts: app, worker, concurrency: 2 });
    runner.start();
    const make = async (kind: string) => {
      const { status, text } = await ask(dumps, { method: 'POST', body: JSON.stringify({ kind }), headers: JSON_BODY });
      assert.equal(status, 202, text);
      const { name } = JSON.parse(text);
      await until('the job is done', async () => (await askJson(`${url}/api/jobs/${name}`)).body.state === 'done');
    };
    await stream.put(numbersTo(5));
    await make('delta');
    await stream.put([7]);
    await make('full');
    const { body } = await askJson(dumps);
    assert.deepEqual(
      body.dumps.map(({ number, kind, totals }: (typeof body.dumps)[0]) => [number, kind, totals.records]),
      [
        [1, 'full', 5],
        [2, 'delta', 1],
        [3, 'full', 6],
      ],
    );
    const [{ files }] = body.dumps;
    assert.match(files[0].name, /^lane-\d{4}-\d\d-\d\d-full-marc21\.mrc\.gz$/);
    assert.equal((await askJson(`${dumps}?stream=other`)).status, 404);
  });
});

function asText(records: Records): readonly string[] {
  return [...records].map(([id, document]) => `${id} ${document.toString('base64')}`).toSorted();
}
