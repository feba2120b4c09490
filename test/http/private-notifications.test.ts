import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import type { Scope } from '../../src/access/scope.ts';
import { Secret } from '../../src/config/secret.ts';
import { ask, JSON_BODY } from '../support/ask.ts';
import { SQLITE } from '../support/each-store.ts';
import { closeApps, type StartedApp, startApp } from '../support/start-app.ts';
import { stopSubscribers, TestSubscriber } from '../support/subscriber.ts';
import { until } from '../support/until.ts';
import { marc } from '../support/upload-packages.ts';
import { ProcessedStream } from '../support/upload-processing.ts';

const ADMINISTRATOR = { Authorization: 'Bearer open-sesame' };
/** Longer than a deliverer waits for changes, and between two rounds of it. */
const QUIET_MS = 1_500;

describe('Notifications of the sets of a private organization', () => {
  let started: StartedApp;
  let stream: ProcessedStream;
  let number: number;

  beforeEach(async () => {
    const hub = { kind: 'inside' } as const;
    started = await startApp(SQLITE, { token: new Secret('open-sesame'), hub, subscriberNetworks: ['127.0.0.1'] });
    stream = await ProcessedStream.make(started.app);
    await started.app.sets.markReady('lane--main');
    started.app.notifications.deliverer.start();
    number = 0;
  });
  afterEach(async () => {
    await closeApps();
    await stopSubscribers();
  });

  const topicOf = (set: string, document = 'notifications') => `${started.url}/sets/${set}/${document}.xml`;

  async function bearing(...scopes: readonly Scope[]) {
    const { token, record } = await started.app.access.tokens.create({ name: 'a reader', scopes });
    return { headers: { Authorization: `Bearer ${token}` }, id: record.id };
  }

  function request(subscriber: TestSubscriber, topic: string, headers: Record<string, string> = {}) {
    return subscriber.request(`${started.url}/hub`, { 'hub.mode': 'subscribe', 'hub.topic': topic }, headers);
  }

  async function subscribe(subscriber: TestSubscriber, headers: Record<string, string> = {}, set = 'lane--main') {
    assert.equal((await request(subscriber, topicOf(set), headers)).status, 202);
    await until('the subscription', async () => {
      const own = (await started.app.notifications.subscriptions.list()).find(
        ({ callback }) => callback === subscriber.callback,
      );
      return own?.active !== undefined && own.pending === undefined;
    });
  }

  async function change(body: object): Promise<void> {
    const asked = { method: 'PATCH', headers: { ...ADMINISTRATOR, ...JSON_BODY }, body: JSON.stringify(body) };
    const { status, text } = await ask(`${started.url}/api/organizations/lane`, asked);
    assert.equal(status, 200, text);
  }

  /** Uploads and publishes a record. */
  async function publish(id: string): Promise<void> {
    number += 1;
    assert.equal(await stream.upload({ 'new.mrc': marc(id) }), number);
    await stream.process(number);
  }

  const has = (subscriber: TestSubscriber, id: string) =>
    until(`${id} is sent`, async () => subscriber.changes.some((change) => change.endsWith(`/${id}`)));
  const isDenied = (subscriber: TestSubscriber) =>
    until('the denial', async () => subscriber.asked.at(-1)?.['hub.mode'] === 'denied');
  const ids = (subscriber: TestSubscriber) =>
    subscriber.changes.map((change) => change.slice(change.lastIndexOf('/') + 1));

  it('end for those who may not read it any more, and nothing of what comes later is sent to them', async () => {
    const [stranger, reader, own] = [
      await TestSubscriber.start(),
      await TestSubscriber.start(),
      await TestSubscriber.start(),
    ];
    await subscribe(stranger);
    await subscribe(reader, (await bearing('group:consortium')).headers);
    await subscribe(own, (await bearing('download:lane')).headers);
    await publish('before');
    for (const one of [stranger, reader, own]) await has(one, 'before');
    await change({ private: true, readers: ['consortium'] });
    // At once: the deliverer has not compared its subscriptions with the sets yet.
    await publish('later');
    for (const one of [reader, own]) await has(one, 'later');
    await isDenied(stranger);
    assert.deepEqual(ids(stranger), ['before']);

    await change({ readers: ['partners'] });
    await publish('last');
    await has(own, 'last');
    await isDenied(reader);
    assert.deepEqual(ids(reader), ['before', 'later']);
    // The reader is informed first, then the end is recorded.
    await until('the end is recorded', async () => {
      const active = (await started.app.notifications.subscriptions.list()).filter(
        ({ active }) => active !== undefined,
      );
      return active.length === 1 && active[0]!.callback === own.callback;
    });
  });

  it('begin for those alone who may read it, and a topic of it is as one that never existed', async () => {
    await change({ private: true });
    const stranger = await TestSubscriber.start();
    const others = (await bearing('read:papers', 'download:open', 'post:*', 'metrics')).headers;
    const unlike = (text: string) => text.replaceAll(/"requestId":"[^"]*"/g, '').replaceAll('lane--none', 'lane--main');
    for (const headers of [{}, others]) {
      for (const document of ['notifications', 'framework-notifications']) {
        const refused = await request(stranger, topicOf('lane--main', document), headers);
        const unknown = await request(stranger, topicOf('lane--none', document), headers);
        assert.deepEqual([refused.status, unlike(refused.text)], [404, unlike(unknown.text)]);
        assert.equal((await ask(topicOf('lane--main', document), { headers })).status, 404);
      }
    }
    const reader = await TestSubscriber.start();
    const { headers, id } = await bearing('download:lane');
    await subscribe(reader, headers);
    await publish('1');
    await has(reader, '1');
    await started.app.access.tokens.revoke(id);
    await publish('2');
    await isDenied(reader);
    assert.deepEqual(ids(reader), ['1']);
    assert.deepEqual([stranger.asked, stranger.deliveries], [[], []]);
    const listed = await ask(`${started.url}/api/subscriptions`, { headers: others });
    assert.equal(listed.status, 403);
  });

  it('are not sent to a hub of another server, which everybody may ask', async () => {
    await closeApps();
    const other = await TestSubscriber.start();
    const hub = { kind: 'elsewhere', url: other.callback } as const;
    started = await startApp(SQLITE, { token: new Secret('open-sesame'), hub });
    stream = await ProcessedStream.make(started.app);
    await started.app.sets.markReady('lane--main');
    started.app.notifications.deliverer.start();
    await until('it delivers', async () => {
      return (await started.app.notifications.subscriptions.progress()).progress[`hub ${other.callback}`] !== undefined;
    });
    await publish('before');
    await has(other, 'before');
    await change({ private: true });
    await publish('later');
    await wait(QUIET_MS);
    assert.deepEqual(
      ids(other).filter((id) => ['before', 'later'].includes(id)),
      ['before'],
    );
    assert.ok(other.deliveries.every(({ body }) => !body.includes('later')));
  });
});
