import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { askJson } from '../support/ask.ts';
import { describeOnEachStore, type StorePlace } from '../support/each-store.ts';
import { findFreePort } from '../support/free-port.ts';
import {
  killTidemarks,
  type RunningTidemark,
  runTidemark,
  startProcess,
  startTidemark,
} from '../support/run-tidemark.ts';
import { signatureOf, stopSubscribers, TestSubscriber } from '../support/subscriber.ts';
import { until } from '../support/until.ts';

const PREFIX = 'https://data.example.org/papers/';

describeOnEachStore('Notifications of processes', (store) => {
  let folder: string;
  let place: StorePlace;
  let env: Record<string, string>;
  let baseUrl: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tidemark-'));
    place = store.place(folder);
    baseUrl = `http://127.0.0.1:${await findFreePort()}`;
    env = {
      ...place.environment,
      TIDEMARK_BASE_URL: baseUrl,
      TIDEMARK_HUB: 'inside',
      TIDEMARK_SUBSCRIBER_NETWORKS: '127.0.0.1',
      TIDEMARK_JOB_LEASE: '1500ms',
      TIDEMARK_LOG_LEVEL: 'error',
    };
  });
  afterEach(async () => {
    await killTidemarks();
    await stopSubscribers();
    await place.dispose();
    await rm(folder, { recursive: true });
  });

  async function serve(start = startTidemark, url = baseUrl): Promise<RunningTidemark> {
    const running = start(['serve', '--port', new URL(url).port], { cwd: folder, env });
    await running.says(/Serving/);
    return running;
  }

  const run = async (...args: readonly string[]) => {
    const { exitCode, stdout, stderr } = await runTidemark(args, { cwd: folder, env });
    assert.equal(exitCode, 0, stderr);
    return stdout;
  };

  async function post(url: string, name: string): Promise<void> {
    const changes = [{ location: { value: name, type: 'rel_path' }, change: 'created' }];
    const { body } = await askJson(`${url}/api/sets/papers/changes`, { changes });
    assert.equal(body.applied, 1, JSON.stringify(body));
  }

  async function subscribed(): Promise<TestSubscriber> {
    const subscriber = await TestSubscriber.start();
    const topic = `${baseUrl}/sets/papers/notifications.xml`;
    const form = { 'hub.mode': 'subscribe', 'hub.topic': topic, 'hub.secret': 'a secret' };
    assert.equal((await subscriber.request(`${baseUrl}/hub`, form)).status, 202);
    await until('the subscription', async () => {
      const { body } = await askJson(`${baseUrl}/api/subscriptions`);
      return body.subscriptions.find(({ callback, state }: Record<string, string>) => {
        return callback === subscriber.callback && state === 'active';
      });
    });
    return subscriber;
  }

  const expected = (count: number) => Array.from({ length: count }, (_, at) => `created ${PREFIX}n-${at}`);
  /** Each change when it came first. */
  const firsts = (subscriber: TestSubscriber) => [...new Set(subscriber.changes)];

  it('lose nothing that was acknowledged before a kill, and keep its order', async () => {
    await run('sets', 'add', 'papers', '--url-prefix', PREFIX);
    const first = await serve(startProcess);
    const subscriber = await subscribed();
    for (let at = 0; at < 5; at++) await post(baseUrl, `n-${at}`);
    await until('five changes', async () => subscriber.changes.length >= 5);
    subscriber.react = (_request, response) => response.writeHead(500).end();
    const before = subscriber.deliveries.length;
    for (let at = 5; at < 10; at++) await post(baseUrl, `n-${at}`);
    await until('a failed delivery', async () => subscriber.deliveries.length > before);
    await first.kill();
    subscriber.deliveries.length = before;
    subscriber.react = (_request, response) => response.writeHead(204).end();
    await serve();
    await until('all changes', async () => subscriber.changes.at(-1) === expected(10).at(-1));
    assert.deepEqual(firsts(subscriber), expected(10));
    for (const { headers, body } of subscriber.deliveries) {
      assert.equal(headers['x-hub-signature'], signatureOf(body, 'a secret'));
    }
    const listed = JSON.parse(await run('subscriptions', 'list', '--json'));
    assert.equal(listed.subscriptions[0].callback, subscriber.callback);
    await run('subscriptions', 'remove', listed.subscriptions[0].id);
    await until('the end', async () => /There is no subscription/.test(await run('subscriptions', 'list')));
  });

  it('come once from several servers, and go on when the one that delivers is killed', async () => {
    await run('sets', 'add', 'papers', '--url-prefix', PREFIX);
    const first = await serve(startProcess);
    const subscriber = await subscribed();
    const otherUrl = `http://127.0.0.1:${await findFreePort()}`;
    await serve(startTidemark, otherUrl);
    for (let at = 0; at < 30; at++) await post(at % 2 === 0 ? baseUrl : otherUrl, `n-${at}`);
    await until('thirty changes', async () => subscriber.changes.length >= 30);
    assert.deepEqual(subscriber.changes, expected(30));
    await first.kill();
    for (let at = 30; at < 40; at++) await post(otherUrl, `n-${at}`);
    await until('the others', async () => subscriber.changes.at(-1) === expected(40).at(-1));
    assert.deepEqual(firsts(subscriber), expected(40));
    assert.equal(subscriber.mostAtOnce, 1);
  });
});
