import assert from 'node:assert/strict';
import { Admin, Consumer, Producer, stringDeserializers, stringSerializers } from '@platformatic/kafka';
import { pino } from 'pino';
import type { App } from '../../src/app.ts';
import { runJobs } from '../../src/cli/serving/run-jobs.ts';
import { TidemarkError } from '../../src/core/errors.ts';
import type { RequestDocument } from '../../src/datasets/request.ts';
import { KafkaRequests } from '../../src/datasets/sinks/kafka-requests.ts';
import type { JobRun } from '../../src/jobs/job-definition.ts';
import { sendDatasetResults } from '../../src/jobs/kinds/send-dataset-results.ts';
import { INGEST_DATASET } from '../../src/jobs/open-requests.ts';
import { endedDocument, manifestFile } from '../support/dataset-results.ts';
import { SQLITE } from '../support/each-store.ts';
import { useKafka } from '../support/own-service.ts';
import { recordResults, sendAsWorker } from '../support/recorded-results.ts';
import { runProcess } from '../support/run-tidemark.ts';
import { closeApps, type StartedApp, startApp } from '../support/start-app.ts';
import { until } from '../support/until.ts';

const RESULTS = 'sandcrawler-test.ingest-fileset-results';
const FILE_RESULTS = 'sandcrawler-test.ingest-file-results';
const REQUESTS = 'sandcrawler-test.ingest-fileset-requests';

interface Received {
  readonly key: string;
  readonly value: Record<string, unknown>;
}

describe('Kafka', () => {
  const place = useKafka();
  let started: StartedApp;
  let app: App;
  const closers: (() => unknown)[] = [];

  beforeEach(async () => {
    const [host = '', port] = place.kafka.broker.split(':');
    const datasetKafka = [{ host, port: Number(port) }];
    started = await startApp(SQLITE, { datasetKafka, datasetKafkaEnvironment: 'test', datasetRows: { kind: 'none' } });
    app = started.app;
  });
  afterEach(async () => {
    for (const close of closers.splice(0).toReversed()) await close();
    await closeApps();
    await withAdmin(async (admin) => {
      const topics = (await admin.listTopics()).filter((name) => name.startsWith('sandcrawler-'));
      if (topics.length > 0) await admin.deleteTopics({ topics });
      await until('the topics are deleted', async () =>
        (await admin.listTopics()).every((name) => !topics.includes(name)),
      );
    });
  });

  const client = () => ({ clientId: 'tester', bootstrapBrokers: [place.kafka.broker] });
  const withAdmin = async <Result>(work: (admin: Admin) => Promise<Result>): Promise<Result> => {
    const admin = new Admin(client());
    try {
      return await work(admin);
    } finally {
      await admin.close();
    }
  };

  /** Reads a topic from its first message on, until the messages suffice. */
  const received = async (topic: string, suffices: (messages: readonly Received[]) => boolean) => {
    const consumer = new Consumer({ ...client(), groupId: crypto.randomUUID(), deserializers: stringDeserializers });
    const messages: Received[] = [];
    try {
      const stream = await consumer.consume({ topics: [topic], mode: 'earliest', autocommit: false, maxWaitTime: 100 });
      for await (const { key, value } of stream) {
        messages.push({ key: key!, value: JSON.parse(value!) });
        if (suffices(messages)) break;
      }
    } finally {
      await consumer.close(true);
    }
    return messages;
  };
  const send = async (topic: string, values: readonly string[]) => {
    const producer = new Producer({ ...client(), serializers: stringSerializers });
    try {
      await producer.send({ messages: values.map((value, at) => ({ topic, key: String(at), value })) });
    } finally {
      await producer.close();
    }
  };
  const keyOf = (name: string) => JSON.stringify(['dataset', `https://data.example.org/${name}`]);

  it('gets results with their requests in a topic of 6 partitions that keeps them (D31, D32, D50)', async () => {
    await recordResults(app, [endedDocument('one')], [manifestFile('a.csv'), manifestFile('b.csv')]);
    const file = endedDocument('file', { strategy: 'web-file', fileCount: 1 });
    await recordResults(app, [file], [manifestFile('a.csv')]);
    const worker = sendAsWorker(app);
    closers.push(() => worker.stop());

    const messages = await received(RESULTS, (all) => new Set(all.map(({ key }) => key)).size === 2);
    const one = messages.find(({ key }) => key === keyOf('one'))!.value;
    assert.equal(one.platform_id, 'doi:10.5555/one');
    assert.equal(one.updated, '2026-11-29T08:00:00.000Z');
    assert.deepEqual(one.request, endedDocument('one').request);
    const [fileResult] = await received(FILE_RESULTS, ({ length }) => length === 1);
    assert.equal(fileResult!.key, keyOf('file'));
    assert.equal((fileResult!.value.file_meta as Record<string, unknown>).sha1hex, '2'.repeat(40));

    await withAdmin(async (admin) => {
      const { topics } = await admin.metadata({ topics: [RESULTS] });
      assert.equal(topics.get(RESULTS)!.partitionsCount, 6);
      const resources = [{ resourceType: 2, resourceName: RESULTS, configurationKeys: ['retention.ms'] }] as const;
      const [described] = await admin.describeConfigs({ resources: [...resources] as never });
      assert.equal(described!.configs[0]!.value, '-1');
    });
  });

  it('gets a result above 1 MB without its manifest, with the address of it (d19)', async () => {
    const files = Array.from({ length: 4_000 }, (_, at) => manifestFile(`f/${at}.csv`));
    await recordResults(app, [endedDocument('large')], files);
    const worker = sendAsWorker(app);
    closers.push(() => worker.stop());
    const [message] = await received(RESULTS, ({ length }) => length === 1);
    assert.equal(message!.value.manifest, null);
    assert.match(`${message!.value.manifest_url}`, new RegExp(`^${started.url}/api/datasets/[0-9a-f]{32}/files$`));
    assert.equal(message!.value.total_size, 5_000_000_000);
    const job = await until('the job is done', async () => {
      const [found] = await app.jobs.queue.list({ kinds: [sendDatasetResults.kind], states: ['done'], limit: 1 });
      return found;
    });
    assert.deepEqual(job.result, { sink: 'kafka', sent: 1 });
  });

  it('gets no other results than the same ones again after a kill', async () => {
    const names = Array.from({ length: 120 }, (_, at) => `d${at}`);
    await recordResults(
      app,
      names.map((name) => endedDocument(name)),
    );
    const { store, dataFolder } = app.configuration;
    const env = {
      TIDEMARK_STORE: `sqlite:${(store as { file: string }).file}`,
      TIDEMARK_DATA: dataFolder,
      TIDEMARK_DATASET_KAFKA: place.kafka.broker,
      TIDEMARK_DATASET_KAFKA_ENVIRONMENT: 'test',
      TIDEMARK_DATASET_ROWS: 'none',
      TIDEMARK_FAILPOINT: 'sink.sent:kill@2',
    };
    const args = ['work', '--kinds', sendDatasetResults.kind];
    const { exitCode, stderr } = await runProcess(args, { cwd: started.folder, env });
    assert.equal(exitCode, null, stderr);

    // The job itself is tried again half a minute later.
    const { signal } = new AbortController();
    await sendDatasetResults.run({ sink: 'kafka' }, app, { signal } as JobRun);
    const byKey = new Map<string, unknown>();
    const messages = await received(RESULTS, (all) => new Set(all.map(({ key }) => key)).size === 120);
    for (const { key, value } of messages) {
      assert.deepEqual(byKey.get(key) ?? value, value);
      byKey.set(key, value);
    }
    assert.deepEqual(new Set(byKey.keys()), new Set(names.map(keyOf)));
    assert.ok(messages.length > 120);
  });

  let failures = 0;
  const requests = (skipped = new Set<string>()) => {
    const consumer = new KafkaRequests({
      place: { brokers: app.configuration.datasetKafka, environment: 'test' },
      add: async (request) => {
        if (failures-- > 0) throw new TidemarkError('unavailable', 'the store does not answer');
        await app.datasets.add([request as never], {});
      },
      events: {
        onSkipped: (_, reason) => skipped.add(reason),
        onTrouble: () => {},
        onRecovered: () => {},
      },
    });
    consumer.start();
    closers.push(() => consumer.stop());
    return consumer;
  };
  const hasTopic = () =>
    until('the topic exists', () => withAdmin(async (admin) => (await admin.listTopics()).includes(REQUESTS)));
  const requested = async () =>
    (await app.catalog.list<RequestDocument>('dataset-request')).map(({ body }) => body.request.base_url);
  const requestOf = (name: string) =>
    JSON.stringify({ ingest_type: 'dataset', base_url: `https://data.example.org/${name}` });

  it('delivers requests to several readers, again while they are not recorded, and skips what is none (D31, D33, D38)', async () => {
    const skipped = new Set<string>();
    failures = 2;
    requests(skipped);
    requests(skipped);
    await hasTopic();
    const good = Array.from({ length: 40 }, (_, at) => requestOf(`r${at}`));
    await send(REQUESTS, ['no JSON', '{"ingest_type":"pdf","base_url":"https://a.example.org/"}', '', ...good]);
    await until('all are recorded', async () => (await requested()).length === 40 && skipped.size === 3);
    assert.match([...skipped].toSorted().join('\n'), /use dataset: .*pdf.* is not ingested here/);
    const filter = { kinds: [INGEST_DATASET], limit: 100 };
    await until('each has its job', async () => (await app.jobs.queue.list(filter)).length === 40);
  });

  /** As a worker that does nothing for a request. */
  const work = () => {
    const job = { kind: INGEST_DATASET, retry: { attempts: 1, firstMs: 1, longestMs: 1 }, run: async () => {} };
    const worker = runJobs(app, pino({ level: 'silent' }), [job]);
    closers.push(() => worker.stop());
    return worker;
  };

  it('delivers to workers what was sent while none ran, and after its broker was killed', async () => {
    const first = work();
    await hasTopic();
    await send(REQUESTS, [requestOf('a')]);
    await until('the first is recorded', async () => (await requested()).length === 1);
    await first.stop();
    await send(REQUESTS, [requestOf('b')]);
    work();
    await until('the second is recorded', async () => (await requested()).length === 2);

    await place.kafka.kill();
    await place.kafka.start();
    await send(REQUESTS, [requestOf('c')]);
    await until('the third is recorded', async () => (await requested()).length === 3);
  });
});
