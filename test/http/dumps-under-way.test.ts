import assert from 'node:assert/strict';
import { JobRunner } from '../../src/jobs/job-runner.ts';
import { buildStreamDump } from '../../src/jobs/kinds/build-stream-dump.ts';
import { ask, askJson, JSON_BODY } from '../support/ask.ts';
import { DumpedStream } from '../support/dumped-stream.ts';
import { SQLITE } from '../support/each-store.ts';
import { runTidemark } from '../support/run-tidemark.ts';
import { closeApps, type StartedApp, startApp } from '../support/start-app.ts';
import { until } from '../support/until.ts';
import { pageAt } from '../support/web-source.ts';

const REASON = 'the upload lane/main/000000001 is being applied: a dump is made when all of it is';

describe('A dump that waits for an upload', () => {
  let started: StartedApp;
  let runner: JobRunner;

  beforeEach(async () => {
    started = await startApp(SQLITE);
    const worker = { name: 'tester', leaseMs: 30_000 };
    runner = new JobRunner({ definitions: [buildStreamDump], parts: started.app, worker, concurrency: 1 });
    await DumpedStream.make(started.app);
  });
  afterEach(async () => {
    await runner.stop();
    await closeApps();
  });

  it('is listed by API, page and command line, with the upload that it waits for', async () => {
    const { app, url, folder } = started;
    const stream = new DumpedStream(app, folder);
    const { commits, end } = await stream.uploads.begin(new Map([[stream.idOf(1), stream.documentOf(1, 0)]]));
    await commits[0]!();
    const dumps = `${url}/api/organizations/lane/dumps`;
    const listed = async () => (await askJson(`${dumps}?stream=main`)).body;
    const body = JSON.stringify({ kind: 'full', stream: 'main' });
    const job = JSON.parse((await ask(dumps, { method: 'POST', body, headers: JSON_BODY })).text);
    const [queued] = (await listed()).underWay;
    assert.deepEqual(queued, { kind: 'full', job: job.name, since: job.added });

    runner.start();
    await until('it says what it waits for', async () => {
      const { underWay } = await listed();
      return underWay[0].text === `waits: ${REASON}`;
    });
    assert.deepEqual((await askJson(dumps)).body.underWay, [], 'no dump of the default stream is under way');
    const page = await pageAt(`${url}/organizations/lane/streams/main/`);
    assert.match(page, new RegExp(`Under way: a full dump, requested .*${REASON}`));
    const env = { TIDEMARK_STORE: `sqlite:${folder}/tidemark.db` };
    const { stdout } = await runTidemark(['streams', 'dumps', 'lane', '--stream', 'main'], { cwd: folder, env });
    assert.match(stdout, new RegExp(`^There is no dump\\.\nUnder way: a full dump, .*${REASON}\\): ${job.name}\n$`));

    await end();
    await until('the dump is made', async () => (await listed()).dumps.length === 1);
    await until('none is under way', async () => (await listed()).underWay.length === 0);
    assert.equal((await ask(`${url}/organizations/lane/streams/main/`)).status, 200);
  });
});
