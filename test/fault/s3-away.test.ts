import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { JOB_DEFINITIONS } from '../../src/jobs/job-list.ts';
import { JobRunner } from '../../src/jobs/job-runner.ts';
import { parseS3Location } from '../../src/lib/s3/s3-location.ts';
import { ask, askJson } from '../support/ask.ts';
import { collect } from '../support/builders.ts';
import { type StandInPlatforms, startPlatforms } from '../support/dataset-platforms.ts';
import { SQLITE } from '../support/each-store.ts';
import { type Asked, FaultProxy } from '../support/fault-proxy.ts';
import { file, postForm } from '../support/multipart.ts';
import { OaiServer, oaiRecords } from '../support/oai-server.ts';
import { clientOf, removeBucket, rootOf, uniqueBucket, useOwnS3 } from '../support/s3.ts';
import { refuseWith } from '../support/s3-refusal.ts';
import { closeApps, type StartedApp, startApp } from '../support/start-app.ts';
import { until } from '../support/until.ts';
import { marc } from '../support/upload-packages.ts';
import { VersionedSet } from '../support/versioned-set.ts';
import { CreateBucketCommand } from '@aws-sdk/client-s3';

const SECOND = 1_000;
/** Milliseconds without an answer until a request is repeated, once. */
const S3 = { timeoutMs: 500, attempts: 2 };

describe('an artifact store on S3 that is away', () => {
  const s3 = useOwnS3({ keepAlive: true });
  let bucket: string;
  let proxy: FaultProxy;
  let started: StartedApp;
  let oai: OaiServer;
  let platforms: StandInPlatforms;
  let runner: JobRunner;
  let end: (() => Promise<void>) | undefined;

  beforeEach(async () => {
    bucket = uniqueBucket();
    const client = clientOf(s3.server);
    await client.send(new CreateBucketCommand({ Bucket: bucket }));
    client.destroy();
    [proxy, oai, platforms] = await Promise.all([
      FaultProxy.start(s3.server.endpoint),
      OaiServer.start({ records: oaiRecords(25), pageSize: 10 }),
      startPlatforms(),
    ]);
    const place = parseS3Location(rootOf({ endpoint: proxy.url }, bucket), 'artifacts');
    const networks = ['127.0.0.1'];
    started = await startApp(SQLITE, {
      ...{ artifacts: { kind: 's3', place, settings: S3 }, uploadRetries: 0 },
      ...{ harvestNetworks: networks, datasetNetworks: networks, apiRoots: ['/tmp'] },
    });
    const worker = { name: 'tester', leaseMs: 30 * SECOND };
    runner = new JobRunner({ definitions: JOB_DEFINITIONS, parts: started.app, worker, concurrency: 4 });
    await started.app.records.organizations.add('lane', { contacts: [] });
    await started.app.records.organizations.addStream('lane', 'main');
  });
  afterEach(async () => {
    await end?.();
    end = undefined;
    await runner.stop();
    await closeApps();
    await Promise.all([proxy.close(), oai.close(), platforms.close()]);
  });

  /** What happens to the server; each returns what ends it. */
  const AWAY: Readonly<Record<string, () => Promise<() => Promise<void>>>> = {
    'answers 503': async () => {
      const rule = proxy.on(() => true, refuseWith(503, 'SlowDown'));
      return async () => void rule.remove();
    },
    hangs: async () => {
      s3.server.pause();
      return async () => s3.server.resume();
    },
    'was killed': async () => {
      await s3.server.kill();
      return () => s3.server.start();
    },
  };

  const api = (path: string) => `${started.url}/api/${path}`;
  const upload = () => postForm(api('organizations/lane/uploads'), [file('new.mrc', marc('1'))]);
  const jobs = () => started.app.jobs.queue.list({ limit: 100 });

  /** Adds work of each kind that a person or a schedule asks for. */
  async function addWork(): Promise<void> {
    const versioned = new VersionedSet(started);
    await versioned.add();
    const sent = await upload();
    assert.equal(sent.status, 201, sent.text);
    const lines = join(started.folder, 'items.ndjson');
    await writeFile(lines, Array.from({ length: 10 }, (_, at) => `${JSON.stringify({ id: `${at}`, document: `<a>${at}</a>` })}\n`).join(''));
    const url = platforms.add({ platform: 'zenodo', files: [{ name: 'a' }, { name: 'b' }] });
    for (const [path, body] of [
      ['collections', { collection: 'arxiv', baseUrl: oai.url, format: 'oai_dc' }],
      ['collections/arxiv/harvests', { kind: 'full' }],
      ['organizations/lane/activities', { activity: 'harvest', from: lines }],
    ] as const) {
      const { status, body: answer } = await askJson(api(path), body);
      assert.equal(status, 201, JSON.stringify(answer));
    }
    await started.app.datasets.add([{ ingest_type: 'dataset', base_url: url }], {});
    for (const [kind, payload] of [
      ['archive-log', {}],
      ['build-dump', { set: 'maps' }],
      ['keep-list', { set: 'maps' }],
      ['build-stream-dump', { organization: 'lane', stream: 'main', kind: 'full' }],
      ['verify-artifacts', {}],
      ['prune-versions', {}],
      ['remove-old-packages', {}],
      ['remove-unfinished-artifacts', {}],
    ] as const) await started.app.jobs.queue.add(kind, 'one', payload);
  }

  for (const [title, leave] of Object.entries(AWAY)) {
    it(`${title}: jobs wait, which is no attempt, and are done once`, async () => {
      await addWork();
      end = await leave();
      runner.start();
      const t = Date.now();
      await new Promise((resolve) => setTimeout(resolve, 12_000));
      for (const { kind, id, state, attempts, wait, error } of await jobs()) console.log(kind, id, state, attempts, wait?.reason, error);
      console.log('---', Date.now() - t);
      await end();
      end = undefined;
      await new Promise((resolve) => setTimeout(resolve, 1000));
      for (const { kind, id, state } of await jobs()) if (state === 'queued') await started.app.jobs.queue.retry(`${kind}/${id}`).catch(console.error);
      await new Promise((resolve) => setTimeout(resolve, 8_000));
      for (const { kind, id, state, attempts, wait, error, result } of await jobs()) console.log(kind, id, state, attempts, wait?.reason, error, result);
    });
  }
});
