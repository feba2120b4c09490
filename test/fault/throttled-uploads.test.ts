import assert from 'node:assert/strict';
import { ListMultipartUploadsCommand } from '@aws-sdk/client-s3';
import { JOB_DEFINITIONS } from '../../src/jobs/job-list.ts';
import { JobRunner } from '../../src/jobs/job-runner.ts';
import { parseS3Location } from '../../src/lib/s3/s3-location.ts';
import type { Job } from '../../src/stores/job.ts';
import { AppliedUploads } from '../support/applied-uploads.ts';
import { ask, askJson, JSON_BODY } from '../support/ask.ts';
import { collect } from '../support/builders.ts';
import { type Records, readDumpFiles } from '../support/dump-consumer.ts';
import { SQLITE } from '../support/each-store.ts';
import { type Asked, FaultProxy } from '../support/fault-proxy.ts';
import { Catalogue } from '../support/marc-catalogue.ts';
import { FORM_HEADERS, file, formOf, postForm } from '../support/multipart.ts';
import { rootOf, useBucket, useKeys, useS3 } from '../support/s3.ts';
import { refuseWith } from '../support/s3-refusal.ts';
import { closeApps, type StartedApp, startApp } from '../support/start-app.ts';
import { useTempFolder } from '../support/temp-folder.ts';
import { begunTus, sendTus, tusStatus } from '../support/tus.ts';
import { until } from '../support/until.ts';
import { ProcessedStream } from '../support/upload-processing.ts';

const NAME = { organization: 'lane', stream: 'main' };
const RECORDS = 400;
/** Received in two parts, and of unknown type. */
const LARGE = file('scan.pdf', Buffer.from('%PDF-1.4'.padEnd(9_000_000)));
/** Small enough for the buffers of a connection: the server may answer before it has read all of it. */
const REFUSED_BYTES = 60_000;
const JOB = 'process-upload/lane~main~1';
const catalogue = new Catalogue({ seed: 5 });
const slowDown = refuseWith(503, 'SlowDown');

type Matches = (asked: Asked) => boolean;
const all: Matches = () => true;
/** Records that uploads were read as: stored when an upload is read, and read when it is applied. */
const isReading: Matches = ({ path }) => path.includes('/_streams/');
const isSecondPart: Matches = ({ method, path }) => method === 'PUT' && path.includes('partNumber=2');
const isReadAgain: Matches = (asked) => asked.method === 'GET' && isReading(asked);

describe('uploads on an S3 server that throttles', () => {
  const s3 = useS3();
  useKeys(s3);
  const bucket = useBucket(s3);
  const folder = useTempFolder();
  let proxy: FaultProxy;
  let started: StartedApp;
  let stream: ProcessedStream;
  let runner: JobRunner | undefined;

  beforeEach(async () => {
    proxy = await FaultProxy.start(s3.endpoint);
  });
  afterEach(async () => {
    await runner?.stop();
    runner = undefined;
    await closeApps();
    await proxy.close();
  });

  /** @param attempts of each request: what a server does for longer is not waited for here */
  async function start(attempts: number | undefined, uploadRetries = 3): Promise<void> {
    const place = parseS3Location(rootOf({ endpoint: proxy.url }, bucket.name, 'ingest'), 'artifacts');
    const settings = { timeoutMs: 60_000, ...(attempts !== undefined && { attempts }) };
    started = await startApp(SQLITE, { artifacts: { kind: 's3', place, settings }, uploadRetries });
    stream = await ProcessedStream.make(started.app);
  }

  function runJobs(): void {
    const worker = { name: 'tester', leaseMs: 30_000 };
    runner = new JobRunner({ definitions: JOB_DEFINITIONS, parts: started.app, worker, concurrency: 2 });
    runner.start();
  }

  const at = (path: string) => `${started.url}/api/organizations/lane/${path}`;
  const show = async (number = 1) => (await askJson(at(`uploads/main/${number}`))).body;
  const reaches = (status: string, number = 1) =>
    until(`upload ${number} is ${status}`, async () => (await show(number)).status === status);
  const jobIs = (check: (job: Job) => boolean) =>
    until('the job is so', async () => check(await started.app.jobs.queue.get(JOB)));
  const keys = async (prefix: string) => (await collect(started.app.artifacts.list(prefix))).map(({ key }) => key);

  /** Each record was created once, and has the bytes that were sent. */
  async function requireOnce(expected: Records): Promise<void> {
    const created = [...expected.keys()].map((id) => `created ${id}`);
    assert.deepEqual((await stream.changes()).toSorted(), created.toSorted());
    const records = await stream.records();
    for (const [id, document] of expected) assert.equal(records[id], document.toString(), id);
  }

  it('are received, processed and dumped when it refuses every request the first time', async () => {
    await start(undefined);
    runJobs();
    const times = new Map<string, number>();
    const refused = proxy.on(({ method, path }) => {
      const name = `${method} ${path}`;
      const before = times.get(name) ?? 0;
      times.set(name, before + 1);
      return before % 3 === 0;
    }, slowDown);

    const first = recordsOf(0, RECORDS);
    const sent = await postForm(at('uploads'), [file('new.mrc', bytesOf(first)), LARGE]);
    assert.equal(sent.status, 201, sent.text);
    const more = recordsOf(RECORDS, 100);
    const rest = bytesOf(more);
    const url = await begunTus(at('resumable-uploads'), rest.length);
    for (const [from, to] of [
      [0, 70_000],
      [70_000, rest.length],
    ] as const) {
      const { status, text } = await sendTus(url, from, rest.subarray(from, to));
      assert.equal(status, 204, text);
    }
    assert.deepEqual(await tusStatus(url), { offset: rest.length, upload: 'main/2' });
    for (const number of [1, 2]) await reaches('processed', number);
    const expected = new Map([...first, ...more]);
    const dumps = await ask(at('dumps'), {
      method: 'POST',
      headers: JSON_BODY,
      body: JSON.stringify({ kind: 'full', stream: 'main' }),
    });
    assert.equal(dumps.status, 202, dumps.text);
    const [dump, ...others] = await until('a dump is listed', async () => {
      const listed = await started.app.records.streamDumps.list(NAME);
      return listed.length > 0 && listed;
    });
    assert.deepEqual(others, []);
    assert.ok(refused.met > 20, `${refused.met} requests were refused`);
    refused.remove();
    await requireOnce(expected);
    const { records } = await readDumpFiles(dump!, started.app.records.streamDumps);
    requireSame(records, expected);
  });

  it('are refused while it refuses all, are not uploads then, and are taken when it does not', async () => {
    await start(2);
    const bytes = bytesOf(recordsOf(0, RECORDS));
    const throttled = proxy.on(all, slowDown);
    const refused = await postForm(at('uploads'), [file('new.mrc', bytes.subarray(0, REFUSED_BYTES))]);
    assert.equal(refused.status, 503, refused.text);
    assert.equal(refused.headers['retry-after'], '10');
    const { requestId: _, ...error } = refused.json.error;
    assert.deepEqual(error, { code: 'unavailable', message: 'the artifact store is unavailable for now' });
    assert.deepEqual((await askJson(at('uploads'))).body.uploads, []);
    throttled.remove();

    const url = await begunTus(at('resumable-uploads'), bytes.length);
    assert.equal((await sendTus(url, 0, bytes.subarray(0, 100_000))).status, 204);
    const again = proxy.on(all, slowDown);
    assert.equal((await sendTus(url, 100_000, bytes.subarray(100_000, 100_000 + REFUSED_BYTES))).status, 503);
    again.remove();
    const { offset } = await tusStatus(url);
    assert.equal(offset, 100_000, 'what was acknowledged, and nothing else');
    assert.equal((await sendTus(url, offset, bytes.subarray(offset))).headers['tidemark-upload'], 'main/1');
    const { body } = await askJson(at('uploads'));
    assert.deepEqual(
      body.uploads.map(({ number }: { readonly number: number }) => number),
      [1],
    );
    const read = await ask(`${started.url}/api/${body.uploads[0].files[0].url}`);
    assert.ok(read.bytes.equals(bytes));
    assert.deepEqual([(await keys('_uploads/')).length, (await keys('_parts/')).length], [1, 0]);
  });

  it('leave nothing when it refuses a part of a file, and are taken when it does not', async () => {
    await start(2);
    const form = formOf([file('first.mrc', 'first'), LARGE]);
    const throttled = proxy.on(isSecondPart, slowDown);
    // The server may answer before it has read all of it, and closes the connection then.
    const answer = await fetch(at('uploads'), {
      method: 'POST',
      headers: FORM_HEADERS,
      body: new Uint8Array(form),
    }).then(
      ({ status }) => status,
      () => 'closed',
    );
    assert.ok(answer === 503 || answer === 'closed', `${answer}`);
    assert.ok(throttled.met > 0);
    throttled.remove();
    await until('all is removed', async () => (await keys('_uploads/')).length === 0);
    const { Uploads = [] } = await bucket.client.send(new ListMultipartUploadsCommand({ Bucket: bucket.name }));
    assert.deepEqual(Uploads, []);
    assert.deepEqual((await askJson(at('uploads'))).body.uploads, []);
    const whole = await postForm(at('uploads'), [file('first.mrc', 'first'), LARGE]);
    assert.deepEqual([whole.status, whole.json.number, whole.json.files.length], [201, 1, 2]);
  });

  it('wait while it refuses all, which is no attempt, and are processed when it does not', async () => {
    await start(2, 0);
    const expected = recordsOf(0, RECORDS);
    assert.equal((await postForm(at('uploads'), [file('new.mrc', bytesOf(expected))])).status, 201);
    const throttled = proxy.on(all, slowDown);
    runJobs();
    await jobIs(({ state, wait }) => state === 'queued' && /asks to slow down/.test(wait?.reason ?? ''));
    const { status, failure } = await show();
    assert.deepEqual([status, failure.retries], ['waiting', true]);
    assert.match(failure.error, /^the artifact store is unavailable for now, and the upload waits for it$/);
    assert.equal((await started.app.jobs.queue.get(JOB)).attempts, 0);
    assert.deepEqual(await stream.changes(), []);

    throttled.remove();
    const retried = await ask(at('uploads/main/1/retry'), { method: 'POST' });
    assert.equal(retried.status, 200, retried.text);
    await reaches('processed');
    assert.equal((await show()).failure, undefined);
    await requireOnce(expected);
  });

  it('wait while they are applied, however long it refuses, and are applied once', async () => {
    await start(2, 0);
    const expected = recordsOf(0, RECORDS);
    await stream.upload({ 'new.mrc': bytesOf(expected) });
    // As a process leaves it that is killed after reading: one that goes on has the records sorted already.
    await new AppliedUploads(started.app, { ...NAME, folder: folder.path }).begin(expected);
    const throttled = proxy.on(isReadAgain, slowDown);
    for (const round of [1, 2, 3]) {
      const { met } = throttled;
      if (round === 1) runJobs();
      else await started.app.jobs.queue.retry(JOB);
      await until('it was tried', async () => throttled.met > met);
      await jobIs(
        ({ state, wait }) => state === 'queued' && /applied in part.*asks to slow down/.test(wait?.reason ?? ''),
      );
      assert.equal((await show()).status, 'processing');
      // A dump would have a part of it.
      await assert.rejects(started.app.records.streamDumps.build(NAME, 'full', { waitMs: 0 }), /being applied/);
    }
    throttled.remove();
    await started.app.jobs.queue.retry(JOB);
    await reaches('processed');
    await requireOnce(expected);
    assert.equal((await keys('_streams/')).length, 1);
  });

  it('have no half dump: it is made when the server answers again', async () => {
    await start(2);
    const expected = recordsOf(0, RECORDS);
    await stream.process(await stream.upload({ 'new.mrc': bytesOf(expected) }));
    const isFile: Matches = ({ method, path }) => method !== 'GET' && path.includes('/_stream-dumps/');
    for (const matches of [isReadAgain, isFile]) {
      const throttled = proxy.on(matches, slowDown);
      await assert.rejects(started.app.records.streamDumps.build(NAME, 'full'), /asks to slow down/);
      assert.ok(throttled.met > 0);
      assert.deepEqual(await started.app.records.streamDumps.list(NAME), []);
      throttled.remove();
    }
    const made = await started.app.records.streamDumps.build(NAME, 'full');
    assert.equal(made.length, 1);
    requireSame((await readDumpFiles(made[0]!, started.app.records.streamDumps)).records, expected);
  });

  it('let dumps wait, and lists of dumps and uploads name neither bucket nor server', async () => {
    await start(2);
    await stream.process(await stream.upload({ 'new.mrc': bytesOf(recordsOf(0, RECORDS)) }));
    const { kind, id } = await started.app.jobs.streamDumps.add({ ...NAME, kind: 'full' });
    const reasonOf = async () => (await started.app.jobs.queue.get(`${kind}/${id}`)).wait?.reason ?? '';
    const textIs = async (text: RegExp) => {
      const [{ text: shown } = { text: '' }] = (await askJson(at('dumps?stream=main'))).body.underWay;
      assert.match(shown, text);
    };
    const throttled = proxy.on(isReadAgain, slowDown);
    runJobs();
    await until('it waits', async () => (await reasonOf()).includes(bucket.name));
    await textIs(/^waits: the artifact store has to answer$/);
    throttled.remove();

    for await (const batch of started.app.artifacts.list('_streams/')) {
      for (const { key } of batch) await started.app.artifacts.delete(key);
    }
    await started.app.jobs.queue.retry(`${kind}/${id}`);
    await until('it has failed', async () => {
      const { state, error } = await started.app.jobs.queue.get(`${kind}/${id}`);
      return state === 'queued' && error?.includes(bucket.name);
    });
    // No job of the runner reads the upload before its file is deleted.
    await runner!.stop();
    const before = await keys('_uploads/');
    const number = await stream.upload({ 'more.mrc': bytesOf(recordsOf(0, 1)) });
    for (const key of await keys('_uploads/')) if (!before.includes(key)) await started.app.artifacts.delete(key);
    await assert.rejects(stream.process(number, { isLast: true }), /s3:/);
    assert.match((await show(number)).failure.error, /^there is no _uploads\/\S+ in the artifact store …$/);
    await textIs(/the artifact _streams\/\S+ is not in … \(any more\): put it back/);
  });
});

function recordsOf(first: number, count: number): Records {
  return new Map(
    Array.from({ length: count }, (_, at) => [catalogue.idOf(first + at), catalogue.marc21({ number: first + at })]),
  );
}

function bytesOf(records: Records): Buffer {
  return Buffer.concat([...records.values()]);
}

function requireSame(records: Records, expected: Records): void {
  assert.deepEqual([...records.keys()].toSorted(), [...expected.keys()].toSorted());
  for (const [id, document] of expected) assert.ok(document.equals(records.get(id)!), id);
}
