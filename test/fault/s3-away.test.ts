import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ListMultipartUploadsCommand } from '@aws-sdk/client-s3';
import { JOB_DEFINITIONS } from '../../src/jobs/job-list.ts';
import { JobRunner } from '../../src/jobs/job-runner.ts';
import { parseS3Location } from '../../src/lib/s3/s3-location.ts';
import { type Job, jobName } from '../../src/stores/job.ts';
import { ask, askJson } from '../support/ask.ts';
import { collect } from '../support/builders.ts';
import { type StandInPlatforms, startPlatforms } from '../support/dataset-platforms.ts';
import { SQLITE } from '../support/each-store.ts';
import { FaultProxy } from '../support/fault-proxy.ts';
import { file, postForm } from '../support/multipart.ts';
import { OaiServer, oaiRecords } from '../support/oai-server.ts';
import { clientOf, type MadeBucket, makeBucket, rootOf, useOwnS3 } from '../support/s3.ts';
import { type GoAway, waysToBeAway } from '../support/s3-away.ts';
import { closeApps, type StartedApp, startApp } from '../support/start-app.ts';
import { until } from '../support/until.ts';
import { marc } from '../support/upload-packages.ts';
import { VersionedSet } from '../support/versioned-set.ts';

const RECORDS = 25;
const FILES = 3;
const LINES = Array.from(
  { length: RECORDS },
  (_, at) => `${JSON.stringify({ id: `${at}`, document: `<a>${at}</a>`, mimetype: 'application/xml' })}\n`,
);
/** Requests of a job that are answered before the server is away. */
const ANSWERED = [3, 15];

describe('An artifact store on S3 that is away', () => {
  const s3 = useOwnS3({ keepAlive: true });
  let bucket: MadeBucket;
  let proxy: FaultProxy;
  let started: StartedApp;
  let versioned: VersionedSet;
  let oai: OaiServer;
  let platforms: StandInPlatforms;
  let runner: JobRunner;
  let dataset: string;
  /** Ends what happened to the server. */
  let left: ReturnType<GoAway> | undefined;

  beforeEach(async () => {
    [bucket, proxy, oai, platforms] = await Promise.all([
      makeBucket(s3.server),
      FaultProxy.start(s3.server.endpoint),
      OaiServer.start({ records: oaiRecords(RECORDS), pageSize: 10 }),
      startPlatforms(),
    ]);
  });
  afterEach(async () => {
    await comeBack();
    await runner?.stop();
    await closeApps();
    await Promise.all([proxy.close(), oai.close(), platforms.close()]);
    await bucket.remove();
  });

  /** @param timeoutMs without an answer, until a request is repeated once */
  async function start(timeoutMs = 300): Promise<void> {
    const place = parseS3Location(rootOf({ endpoint: proxy.url }, bucket.name), 'artifacts');
    const networks = ['127.0.0.1'];
    const apiRoots: string[] = [];
    started = await startApp(SQLITE, {
      ...{ artifacts: { kind: 's3', place, settings: { timeoutMs, attempts: 2 } }, uploadRetries: 0 },
      ...{ harvestNetworks: networks, datasetNetworks: networks, apiRoots },
    });
    apiRoots.push(started.folder);
    const worker = { name: 'tester', leaseMs: 30_000 };
    runner = new JobRunner({ definitions: JOB_DEFINITIONS, parts: started.app, worker, concurrency: 4 });
    await started.app.records.organizations.add('lane', { contacts: [] });
    await started.app.records.organizations.addStream('lane', 'main');
    versioned = new VersionedSet(started);
    await versioned.add();
    await versioned.putAll(Array.from({ length: FILES }, (_, at) => [`${at}`, `content ${at}`]));
  }

  const AWAY = waysToBeAway(s3, () => proxy);

  async function comeBack(): Promise<void> {
    await (await left)?.();
    left = undefined;
  }

  const api = (path: string) => `${started.url}/api/${path}`;
  const upload = (id: string) => postForm(api('organizations/lane/uploads'), [file(`${id}.mrc`, marc(id))]);
  const jobs = () => started.app.jobs.queue.list({ limit: 100 });
  const pathOf = (job: Job) => api(`jobs/${jobName(job)}`);

  /** Adds work of each kind, as people and schedules do. */
  async function addWork(): Promise<void> {
    const sent = await upload('1');
    assert.equal(sent.status, 201, sent.text);
    const from = join(started.folder, 'items.ndjson');
    await writeFile(from, LINES.join(''));
    for (const [path, body] of [
      ['collections', { collection: 'arxiv', baseUrl: oai.url, format: 'oai_dc' }],
      ['collections/arxiv/harvests', { kind: 'full' }],
      ['organizations/lane/activities', { activity: 'harvest', from }],
    ] as const) {
      const { status, body: answer } = await askJson(api(path), body);
      assert.equal(status, 201, JSON.stringify(answer));
    }
    dataset = platforms.add({ platform: 'zenodo', files: [{ name: 'a' }, { name: 'b' }] });
    await started.app.datasets.add([{ ingest_type: 'dataset', base_url: dataset }], {});
    for (const [kind, payload] of Object.entries({
      'archive-log': {},
      'build-dump': { set: 'maps' },
      'keep-list': { set: 'maps' },
      'build-stream-dump': { organization: 'lane', stream: 'main', kind: 'full' },
      'verify-artifacts': {},
      'remove-old-packages': {},
      'remove-unfinished-artifacts': {},
    })) {
      await started.app.jobs.queue.add(kind, 'one', payload);
    }
  }

  /** Lets jobs run until each of them waits or is done, and requires that none has failed. Returns those that wait. */
  async function untilAllWait(): Promise<readonly Job[]> {
    const all = await until('all jobs wait, or are done', async () => {
      const found = await jobs();
      return found.every(({ state, wait }) => state === 'done' || (state === 'queued' && wait !== undefined)) && found;
    });
    const waiting = all.filter(({ state }) => state === 'queued');
    for (const { attempts, kind } of waiting) assert.equal(attempts, 0, kind);
    return waiting;
  }

  /** Each effect happened once, and nothing is left of what did not. */
  async function requireAllDone(): Promise<void> {
    await until('all jobs are done', async () => {
      const open = (await jobs()).filter(({ state }) => state !== 'done');
      for (const job of open) {
        assert.notEqual(job.state, 'failed', `${job.kind}: ${job.error}`);
        if (job.state === 'queued') await ask(`${pathOf(job)}/retry`, { method: 'POST' });
      }
      return open.length === 0;
    });
    const { app } = started;
    const created = async (slug: string) => {
      const { id } = await app.sets.bySlug(slug);
      return (await collect(app.index.changes(id, { after: 0 }))).flat().map(({ kind, key }) => `${kind} ${key}`);
    };
    const isOnce = (changes: readonly string[]) => new Set(changes).size === changes.length;
    for (const [slug, length] of Object.entries({ arxiv: RECORDS, 'lane--main': 1 })) {
      const changes = await created(slug);
      assert.deepEqual([slug, changes.length, isOnce(changes)], [slug, length, true], changes.join());
    }
    assert.equal((await app.datasets.get(dataset)).result?.status, 'success');
    const runs = (await askJson(api('organizations/lane/activities'))).body.runs;
    assert.deepEqual(
      runs.map(({ state, totals }: { readonly state: string; readonly totals: { written: number } }) => [
        state,
        totals.written,
      ]),
      [['succeeded', RECORDS]],
    );
    assert.equal((await app.records.streamDumps.list({ organization: 'lane', stream: 'main' })).length, 1);
    const damaged = await app.backup.verifyArtifacts({ signal: new AbortController().signal });
    assert.deepEqual(damaged.damaged, []);
    const client = clientOf(s3.server);
    const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket: bucket.name }));
    client.destroy();
    assert.deepEqual(Uploads, []);
  }

  for (const [title, away] of Object.entries(AWAY)) {
    it(`${title}: jobs wait, which is no attempt, and are done once`, async () => {
      await start();
      await addWork();
      left = away();
      await left;
      runner.start();
      for (const { wait, kind } of await untilAllWait()) {
        assert.match(wait!.reason, /^the artifact store has to answer: |its records have to/, kind);
      }
      await comeBack();
      await requireAllDone();
    });
  }

  for (const answered of ANSWERED) {
    it(`is killed after ${answered} requests of jobs: they wait, and are done once`, async () => {
      await start();
      await addWork();
      let asked = 0;
      proxy.on(
        () => asked++ === answered,
        async (execute) => {
          left = AWAY['was killed']();
          await left;
          return execute();
        },
      );
      runner.start();
      assert.ok((await untilAllWait()).length > 0);
      await comeBack();
      await requireAllDone();
    });
  }

  it('hangs: reads are answered with 503 in time; lists and posts are as before', async () => {
    const DEFAULT_TIMEOUT_MS = 30_000;
    await start(DEFAULT_TIMEOUT_MS);
    await addWork();
    runner.start();
    await requireAllDone();
    await runner.stop();
    await versioned.put('0', 'changed');
    await started.app.sets.add({ slug: 'posted', urlPrefix: 'http://example.org/' });
    const urlIn = async (path: string, pattern: RegExp) =>
      pattern.exec((await ask(`${started.url}/${path}`)).text)![1]!;
    const urls = [
      `${started.url}/sets/maps/timemap/0`,
      await urlIn('sets/maps/timemap/0', /<([^>]+)>; rel="first memento"/),
      await urlIn('sets/maps/resourcedump.xml', /<loc>([^<]+zip)<\/loc>/),
      api('organizations/lane/uploads/main/1/files/1'),
    ];
    for (const url of urls) assert.equal((await ask(url)).status, 200, url);

    left = AWAY.hangs!();
    const began = performance.now();
    const answers = await Promise.all(urls.map((url) => ask(url)));
    assert.ok(performance.now() - began < DEFAULT_TIMEOUT_MS);
    for (const { status, headers, text } of answers) {
      assert.deepEqual([status, headers['retry-after']], [503, '10'], text);
      assert.match(text, /could not be read within 10 seconds/);
    }
    for (const path of ['readyz', 'sets/maps/resourcelist.xml', 'sets/lane--main/resourcelist.xml']) {
      assert.equal((await ask(`${started.url}/${path}`)).status, 200, path);
    }
    const changes = [{ location: { value: 'a', type: 'rel_path' }, change: 'created' }];
    assert.equal((await askJson(api('sets/posted/changes'), { changes })).status, 200);
    await comeBack();
    for (const url of urls) assert.equal((await ask(url)).status, 200, url);
  });
});
