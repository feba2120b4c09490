import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Secret } from '../../src/config/secret.ts';
import { originOfRoot, type StoredSet } from '../../src/core/stored-set.ts';
import { sync } from '../../src/sources/sync/sync.ts';
import { openStores } from '../../src/stores/open-stores.ts';
import { ask, askJson } from '../support/ask.ts';
import { auditSource, itWithScript } from '../support/check-scripts.ts';
import { describeOnEachStore } from '../support/each-store.ts';
import { linksOf as relationsOf } from '../support/links.ts';
import { checkSource, linesOf } from '../support/rules/check-source.ts';
import { closeApps, type StartedApp, startApp } from '../support/start-app.ts';
import { signatureOf, stopSubscribers, TestSubscriber } from '../support/subscriber.ts';
import { until } from '../support/until.ts';
import { itWithXmllint, schemaErrors } from '../support/xsd.ts';

const PREFIX = 'https://data.example.org/papers/';

describeOnEachStore('Notifications', (store, itOnce) => {
  let started: StartedApp;
  /** Why subscriptions have ended. */
  let ended: string[];
  beforeEach(() => start());
  afterEach(async () => {
    await closeApps();
    await stopSubscribers();
  });

  async function start(settings: Parameters<typeof startApp>[1] = {}) {
    started = await startApp(store, { hub: { kind: 'inside' }, subscriberNetworks: ['127.0.0.1'], ...settings });
    await started.app.sets.add({ slug: 'papers', urlPrefix: PREFIX });
    ended = [];
    started.app.notifications.deliverer.start({ onEnded: (_subscription, reason) => ended.push(reason) });
  }

  const topic = (set = 'papers') => `${started.url}/sets/${set}/notifications.xml`;
  const hub = () => `${started.url}/hub`;
  const framework = (set = 'papers') => `${started.url}/sets/${set}/framework-notifications.xml`;

  async function post(names: readonly string[], fields: object = {}, headers: Record<string, string> = {}) {
    const changes = names.map((value) => ({ location: { value, type: 'rel_path' }, change: 'created', ...fields }));
    const { status, body } = await askJson(`${started.url}/api/sets/papers/changes`, { changes }, headers);
    assert.deepEqual([status, body.rejected], [200, 0], JSON.stringify(body).slice(0, 500));
  }

  const subscriptions = async (headers = {}) =>
    (await askJson(`${started.url}/api/subscriptions`, undefined, headers)).body.subscriptions;

  async function subscribe(subscriber: TestSubscriber, form: Record<string, string> = {}) {
    const before = subscriber.asked.length;
    const asked = { 'hub.mode': 'subscribe', 'hub.topic': topic(), 'hub.callback': subscriber.callback, ...form };
    assert.equal((await subscriber.request(hub(), asked)).status, 202);
    await until('the verification', async () => subscriber.asked.length > before);
    await until('the subscription', async () => {
      const all = await started.app.notifications.subscriptions.list();
      const own = all.find(({ callback, topic }) => {
        return callback === asked['hub.callback'] && topic === asked['hub.topic'];
      });
      return own?.active !== undefined && own.pending === undefined;
    });
  }

  const hasReceived = (subscriber: TestSubscriber, count: number) =>
    until(`${count} changes`, async () => subscriber.changes.length >= count);
  const created = (name: string) => `created ${PREFIX}${name}`;

  itOnce('reach a subscriber that has confirmed its subscription, in order and signed', async () => {
    const subscriber = await TestSubscriber.start();
    await post(['before']);
    await subscribe(subscriber, { 'hub.secret': 'a secret', 'hub.lease_seconds': '600' });
    const [{ 'hub.challenge': challenge, ...asked }] = subscriber.asked as [Record<string, string>];
    assert.deepEqual(asked, {
      own: '1',
      'hub.mode': 'subscribe',
      'hub.topic': topic(),
      'hub.lease_seconds': '600',
    });
    assert.ok(challenge!.length >= 32);
    await post(['a', 'b'], { length: 7 });
    await hasReceived(subscriber, 2);
    await post(['a'], { change: 'deleted' });
    await hasReceived(subscriber, 3);
    assert.deepEqual(subscriber.changes, [created('a'), created('b'), `deleted ${PREFIX}a`]);
    for (const { headers, body } of subscriber.deliveries) {
      assert.equal(headers['content-type'], 'application/xml');
      assert.equal(headers['x-hub-signature'], signatureOf(body, 'a secret'));
      assert.deepEqual(relationsOf(headers.link), { hub: [hub()], self: [topic()] });
      assert.match(body, /<rs:md capability="change-notification" from="[^"]+" until="[^"]+"\/>/);
    }
    const { body: changes } = await askJson(`${started.url}/api/sets/papers/changes`);
    assert.match(subscriber.deliveries[0]!.body, new RegExp(`datetime="${changes.changes[1].datetime}"`));
  });

  itOnce('are advertised: the topics name their hub and themselves, and the documents name the topics', async () => {
    for (const at of [topic(), framework()]) {
      for (const method of ['GET', 'HEAD']) {
        for (const path of [at, `${at}?any=1`]) {
          const { status, headers } = await ask(path, { method });
          assert.equal(status, 200);
          assert.deepEqual(relationsOf(headers.link), { hub: [hub()], self: [at] }, `${method} ${path}`);
        }
      }
    }
    const channel = (at: string, kind: string) =>
      `<url>\n<loc>${at}</loc>\n<rs:md capability="${kind}-notification"/>\n<rs:ln rel="hub" href="${hub()}"/>\n</url>`;
    const capabilities = await ask(`${started.url}/sets/papers/capabilitylist.xml`);
    assert.ok(capabilities.text.includes(channel(topic(), 'change')));
    assert.ok(capabilities.text.includes(channel(framework(), 'framework')));
    const description = await ask(`${started.url}/.well-known/resourcesync`);
    assert.doesNotMatch(description.text, /notification/);
  });

  itOnce('break no rule of ResourceSync, by our own validator', async () => {
    await post(['a', 'b']);
    const report = await checkSource(`${started.url}/`, { sample: 0 });
    // Its resources are on another server, and were posted without hashes.
    const others = linesOf(report).filter((line) => !/^rule (121|122) /.test(line));
    assert.deepEqual(others, []);
    for (const at of [topic(), framework()]) {
      const { text, headers } = await ask(at);
      assert.ok(headers['last-modified'] !== undefined, at);
      assert.match(text, /<rs:ln rel="up"/);
    }
  });

  if (store.kind === 'sqlite') {
    itWithScript('audit', 'leave an auditor nothing to find', async () => {
      await post(['a', 'b']);
      const { exitCode, output } = await auditSource(started.url);
      assert.equal(exitCode, 0, output);
    });

    itWithXmllint('are valid by our schemas, as are the documents that advertise them', async () => {
      const subscriber = await TestSubscriber.start();
      await subscribe(subscriber);
      await subscribe(subscriber, { 'hub.topic': framework() });
      await post(['a', 'b']);
      await started.app.sets.add({ slug: 'maps', urlPrefix: 'https://data.example.org/maps/' });
      await until('both', async () => subscriber.changes.length >= 3);
      const documents = [topic(), framework(), `${started.url}/sets/papers/capabilitylist.xml`];
      const texts = await Promise.all(documents.map(async (at) => (await ask(at)).text));
      for (const text of [...texts, ...subscriber.deliveries.map(({ body }) => body)]) {
        assert.deepEqual(schemaErrors(text), [], text);
      }
    });
  }

  it('begin with what was recorded before the subscriber confirmed, and miss nothing', async () => {
    const subscriber = await TestSubscriber.start();
    let number = 0;
    const posting = (async () => {
      for (; number < 60; number++) await post([`n-${number}`]);
    })();
    await until('some changes', async () => number > 5);
    await subscribe(subscriber);
    const confirmed = number;
    await posting;
    await until('the last change', async () => subscriber.changes.at(-1) === created('n-59'));
    const first = Number(/n-(\d+)$/.exec(subscriber.changes[0]!)![1]);
    assert.ok(first <= confirmed + 1, `${first} ${confirmed}`);
    const expected = Array.from({ length: 60 - first }, (_, at) => created(`n-${first + at}`));
    assert.deepEqual(subscriber.changes, expected);
    assert.ok(subscriber.deliveries.length < expected.length, 'several changes go together');
    assert.equal(subscriber.mostAtOnce, 1);
  });

  itOnce('end when the subscriber unsubscribes, and it confirms that', async () => {
    const subscriber = await TestSubscriber.start();
    await subscribe(subscriber);
    subscriber.confirms = false;
    const unsubscribe = { 'hub.mode': 'unsubscribe', 'hub.topic': topic() };
    assert.equal((await subscriber.request(hub(), unsubscribe)).status, 202);
    await until('the question', async () => subscriber.asked.at(-1)!['hub.mode'] === 'unsubscribe');
    await until(
      'it goes on',
      async () => (await started.app.notifications.subscriptions.list())[0]?.pending === undefined,
    );
    await post(['a']);
    await hasReceived(subscriber, 1);
    subscriber.confirms = true;
    assert.equal((await subscriber.request(hub(), unsubscribe)).status, 202);
    await until('the end', async () => (await subscriptions()).length === 0);
    await post(['b']);
    await wait(700);
    assert.deepEqual(subscriber.changes, [created('a')]);
  });

  itOnce('end with the lease, unless it is renewed', async () => {
    const [subscriber, renewing] = [await TestSubscriber.start(), await TestSubscriber.start()];
    await subscribe(subscriber, { 'hub.lease_seconds': '1' });
    assert.equal(subscriber.asked[0]!['hub.lease_seconds'], '5');
    await subscribe(renewing, { 'hub.lease_seconds': '5', 'hub.secret': 'first' });
    await subscribe(renewing, { 'hub.lease_seconds': '600', 'hub.secret': 'second' });
    await until('one ends', async () => (await subscriptions()).length === 1);
    await post(['a']);
    await hasReceived(renewing, 1);
    const [{ body, headers }] = renewing.deliveries as [(typeof renewing.deliveries)[0]];
    assert.equal(headers['x-hub-signature'], signatureOf(body, 'second'));
    assert.deepEqual(subscriber.changes, []);
  });

  itOnce('miss nothing when the lease ends while the subscriber confirms a renewal', async () => {
    const subscriber = await TestSubscriber.start();
    await subscribe(subscriber, { 'hub.lease_seconds': '5' });
    const gate = Promise.withResolvers<void>();
    subscriber.answersAfter = gate.promise;
    await subscriber.request(hub(), { 'hub.mode': 'subscribe', 'hub.topic': topic(), 'hub.lease_seconds': '600' });
    await until('the verification', async () => subscriber.asked.length === 2);
    await until('the end of the lease', async () => Date.parse((await subscriptions())[0]!.ends) < Date.now());
    // The tender notices within half a second.
    await wait(1_000);
    await post(['a']);
    gate.resolve();
    await until('the renewal', async () => Date.parse((await subscriptions())[0]!.ends) > Date.now());
    await post(['b']);
    await until('the last change', async () => subscriber.changes.includes(created('b')));
    assert.deepEqual(subscriber.changes, [created('a'), created('b')]);
    assert.deepEqual([subscriber.asked.length, ended], [2, []]);
  });

  itOnce('are not sent to a callback that does not confirm, in whichever way', async () => {
    const subscriber = await TestSubscriber.start();
    subscriber.confirms = false;
    await subscriber.request(hub(), { 'hub.mode': 'subscribe', 'hub.topic': topic() });
    await until('the verification', async () => subscriber.asked.length === 1);
    await until('no subscription', async () => (await subscriptions()).length === 0);
    await post(['a']);
    await wait(700);
    assert.deepEqual(subscriber.deliveries, []);
  });

  itOnce('end with a subscriber that answers 410, and with a set', async () => {
    const [gone, other] = [await TestSubscriber.start(), await TestSubscriber.start()];
    gone.react = (_request, response) => response.writeHead(410).end();
    await subscribe(gone);
    await subscribe(other);
    await post(['a']);
    await hasReceived(gone, 1);
    await until('the end of one', async () => ended.length > 0);
    assert.deepEqual(ended, ['it answers with the status 410']);
    assert.equal((await subscriptions()).length, 1);
    await started.app.sets.remove('papers');
    await until('the end of the other', async () => (await subscriptions()).length === 0);
    await until('the denial', async () => other.asked.at(-1)!['hub.mode'] === 'denied');
  });

  itOnce('are not delayed by subscribers that hang, fail, redirect, or send without an end', async () => {
    const elsewhere = await TestSubscriber.start();
    const reactions: Record<string, TestSubscriber['react']> = {
      hangs: () => {},
      fails: (_request, response) => response.writeHead(500).end(),
      redirects: (_request, response) => response.writeHead(307, { Location: elsewhere.callback }).end(),
      endless: (_request, response) => {
        const more = () => {
          while (response.write('x'.repeat(65_536))) if (response.destroyed) return;
        };
        response
          .writeHead(200)
          .on('drain', more)
          .on('error', () => {});
        more();
      },
      cuts: (request) => request.socket.destroy(),
    };
    const bad = new Map<string, TestSubscriber>();
    for (const [name, react] of Object.entries(reactions)) {
      const subscriber = await TestSubscriber.start();
      subscriber.react = react;
      bad.set(name, subscriber);
      await subscribe(subscriber);
    }
    const good = await TestSubscriber.start();
    await subscribe(good);
    for (let at = 0; at < 4; at++) {
      const began = Date.now();
      await post([`n-${at}`]);
      await hasReceived(good, at + 1);
      // One that hangs is given up after ten seconds.
      assert.ok(Date.now() - began < 8_000, `${Date.now() - began} ms`);
    }
    assert.deepEqual(elsewhere.deliveries, []);
    // A subscriber that recovers gets everything, in order; what failed is tried again.
    bad.get('fails')!.deliveries.length = 0;
    bad.get('fails')!.react = (_request, response) => response.writeHead(204).end();
    await hasReceived(bad.get('fails')!, 4);
    assert.deepEqual(bad.get('fails')!.changes, good.changes);
    for (const subscriber of bad.values()) assert.equal(subscriber.mostAtOnce, 1);
    const failing = (await subscriptions()).find(({ callback }: { callback: string }) => {
      return callback === bad.get('redirects')!.callback;
    });
    await until('its problem', async () => {
      const all = await subscriptions();
      const own = all.find(({ id }: { id: string }) => id === failing.id);
      return own.problem === 'it answers with the status 307' && own.failures >= 1;
    });
  });

  itOnce('are not sent to private networks, unless the settings name them', async () => {
    await closeApps();
    await start({ subscriberNetworks: [] });
    const subscriber = await TestSubscriber.start();
    const { port } = new URL(subscriber.callback);
    for (const host of ['127.0.0.1', 'localhost', '[::1]', '[::ffff:127.0.0.1]', '0.0.0.0', '169.254.169.254']) {
      const form = { 'hub.mode': 'subscribe', 'hub.topic': topic(), 'hub.callback': `http://${host}:${port}/` };
      const { status, text } = await subscriber.request(hub(), form);
      assert.equal(status, 400, host);
      assert.match(text, /TIDEMARK_SUBSCRIBER_NETWORKS/, host);
    }
    assert.deepEqual(await subscriptions(), []);
    assert.deepEqual(subscriber.asked, []);
  });

  itOnce('are not for requests that are wrong', async () => {
    const subscriber = await TestSubscriber.start();
    const right = { 'hub.mode': 'subscribe', 'hub.topic': topic() };
    const wrong: [Record<string, string>, number, string?][] = [
      [{ ...right, 'hub.mode': 'publish' }, 400, 'hub.mode'],
      [{ 'hub.mode': 'subscribe' }, 400, 'hub.topic'],
      [{ ...right, 'hub.callback': 'ftp://example.org/' }, 400, 'hub.callback'],
      [{ ...right, 'hub.callback': 'http://a:b@example.org/' }, 400, 'hub.callback'],
      [{ ...right, 'hub.callback': 'http://example.org/#x' }, 400, 'hub.callback'],
      [{ ...right, 'hub.callback': 'http://example.org/#' }, 400, 'hub.callback'],
      [{ ...right, 'hub.callback': 'http://example.org/ ' }, 400, 'hub.callback'],
      [{ ...right, 'hub.callback': `http://example.org/${'x'.repeat(2_000)}` }, 400, 'hub.callback'],
      [{ ...right, 'hub.lease_seconds': '-1' }, 400, 'hub.lease_seconds'],
      [{ ...right, 'hub.secret': 'x'.repeat(200) }, 400, 'hub.secret'],
      [{ ...right, 'hub.topic': 'https://example.org/' }, 404, 'hub.topic'],
      [{ ...right, 'hub.topic': topic('none') }, 404],
    ];
    for (const [form, status, field] of wrong) {
      const answer = await subscriber.request(hub(), form);
      assert.deepEqual([answer.status, JSON.parse(answer.text).error.field], [status, field], JSON.stringify(form));
    }
    const json = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{}' };
    assert.equal((await ask(hub(), json)).status, 415);
    assert.deepEqual(await subscriptions(), []);
  });

  /** Subscribes so many callbacks of one subscriber. */
  async function subscribeMany(subscriber: TestSubscriber, count: number): Promise<void> {
    for (let at = 0; at < count; at++) {
      const callback = `${subscriber.callback}&number=${at}`;
      const form = { 'hub.mode': 'subscribe', 'hub.topic': topic(), 'hub.callback': callback };
      assert.equal((await subscriber.request(hub(), form)).status, 202);
    }
  }

  itOnce('are confirmed while many callbacks of another host do not answer', async () => {
    const [hanging, good] = [await TestSubscriber.start(), await TestSubscriber.start()];
    hanging.hangs = true;
    await subscribeMany(hanging, 60);
    await until('the verification', async () => hanging.asked.length > 0);
    const began = Date.now();
    // The others are at 127.0.0.1.
    await subscribe(good, { 'hub.callback': good.callback.replace('127.0.0.1', 'localhost') });
    // A callback that hangs is given up after ten seconds.
    assert.ok(Date.now() - began < 8_000, `${Date.now() - began} ms`);
  });

  itOnce('ask each callback once to confirm', async () => {
    const subscriber = await TestSubscriber.start();
    await subscribeMany(subscriber, 60);
    await until('all', async () =>
      (await started.app.notifications.subscriptions.list()).every(({ active }) => active),
    );
    assert.equal(subscriber.asked.length, 60);
  });

  itOnce('are requested by TLS also when the scheme of a callback is in capitals', async () => {
    const subscriber = await TestSubscriber.start();
    const callback = subscriber.callback.replace('http:', 'HTTPS:');
    await subscriber.request(hub(), { 'hub.mode': 'subscribe', 'hub.topic': topic(), 'hub.callback': callback });
    // This subscriber does not speak TLS.
    await until('the end', async () => ended.length > 0);
    assert.match(ended[0]!, /SSL|TLS|wrong version/i);
  });

  itOnce('have a limit for each host', async () => {
    const subscriber = await TestSubscriber.start();
    subscriber.hangs = true;
    const statuses: number[] = [];
    for (let at = 0; at < 101; at++) {
      // Whatever the port.
      const callback = at < 100 ? `${subscriber.callback}&number=${at}` : 'http://127.0.0.1:9/';
      const form = { 'hub.mode': 'subscribe', 'hub.topic': topic(), 'hub.callback': callback };
      statuses.push((await subscriber.request(hub(), form)).status);
    }
    assert.deepEqual(statuses, [...Array(100).fill(202), 503]);
  });

  itOnce('of a private set are for those who may read it, as long as they may', async () => {
    await closeApps();
    await start({ token: new Secret('open-sesame') });
    const admin = { Authorization: 'Bearer open-sesame' };
    const { app } = started;
    const [anonymous, reader] = [await TestSubscriber.start(), await TestSubscriber.start()];
    await subscribe(anonymous);
    await app.sets.change('papers', { private: true });
    await until('the denial', async () => anonymous.asked.at(-1)!['hub.mode'] === 'denied');
    const form = { 'hub.mode': 'subscribe', 'hub.topic': topic(), 'hub.secret': 'not to be shown' };
    assert.equal((await anonymous.request(hub(), form)).status, 404);
    const { token, record } = await app.access.tokens.create({ name: 'reader', scopes: ['read:papers'] });
    assert.equal((await reader.request(hub(), form, { Authorization: `Bearer ${token}` })).status, 202);
    await until('one active', async () => (await subscriptions(admin))[0]?.state === 'active');
    await post(['a'], {}, admin);
    await hasReceived(reader, 1);
    const { text } = await ask(`${started.url}/api/subscriptions`, { headers: admin });
    assert.equal(JSON.parse(text).subscriptions[0].signed, true);
    assert.doesNotMatch(text, /not to be shown/);
    await app.access.tokens.revoke(record.id);
    await until('the denial', async () => reader.asked.at(-1)!['hub.mode'] === 'denied');
    assert.deepEqual(anonymous.changes, []);
  });

  itOnce('of a private set end for those who needed no token, when the first one is made', async () => {
    const subscriber = await TestSubscriber.start();
    await started.app.sets.change('papers', { private: true });
    await subscribe(subscriber);
    await post(['a']);
    await hasReceived(subscriber, 1);
    const { token } = await started.app.access.tokens.create({ name: 'admin', scopes: ['administer'] });
    await post(['b'], {}, { Authorization: `Bearer ${token}` });
    await until('the denial', async () => subscriber.asked.at(-1)!['hub.mode'] === 'denied');
    assert.equal(subscriber.changes.length, 1);
  });

  describe('of the framework', () => {
    const at = (document: string, set = 'papers') => `${started.url}/sets/${set}/${document}.xml`;
    const has = (subscriber: TestSubscriber, ...changes: readonly string[]) =>
      until(changes.join(', '), async () => changes.every((change) => subscriber.changes.includes(change)));

    itOnce('are of one set, and of the Source Description', async () => {
      const [subscriber, other] = [await TestSubscriber.start(), await TestSubscriber.start()];
      await subscribe(subscriber, { 'hub.topic': framework() });
      await started.app.sets.add({ slug: 'maps', urlPrefix: 'https://data.example.org/maps/' });
      const description = `updated ${started.url}/.well-known/resourcesync`;
      // Its subscription ends with its set.
      await has(subscriber, description);
      await subscribe(other, { 'hub.topic': framework('maps') });
      await started.app.sets.remove('papers');
      await has(other, description);
      assert.ok(subscriber.changes.every((change) => !change.includes('/maps/')));
      assert.ok(other.changes.every((change) => !change.includes('/papers/')));
      const { body, headers } = subscriber.deliveries[0]!;
      assert.match(body, /<rs:md capability="framework-notification"\/>/);
      assert.match(body, /change="updated" datetime="[^"]+" capability="description"/);
      assert.deepEqual(relationsOf(headers.link), { hub: [hub()], self: [framework()] });
      await until('the denial', async () => subscriber.asked.at(-1)!['hub.mode'] === 'denied');
    });

    itOnce('say when dumps and archives are made', async () => {
      const root = join(started.folder, 'files');
      await mkdir(root);
      const { app } = started;
      await app.sets.add({ slug: 'maps', origin: originOfRoot(root), keepVersions: true, windowChanges: 1 });
      const write = async (content: string) => {
        await writeFile(join(root, 'a.txt'), content);
        const set = await app.sets.bySlug('maps');
        await sync({ set, source: app.sources.sourceOf(set), updater: app.updater });
      };
      await write('one');
      await app.sets.markReady('maps');
      const subscriber = await TestSubscriber.start();
      await subscribe(subscriber, { 'hub.topic': framework('maps') });
      const list = (change: string, document: string) => `${change} ${at(document, 'maps')}`;
      await app.publishing.dumps.build('maps', {});
      await has(subscriber, list('created', 'resourcedump'), list('updated', 'capabilitylist'));
      await app.publishing.listArchives.keep('maps');
      await has(subscriber, list('created', 'resourcelist-archive'), list('created', 'resourcedump-archive'));
      const dumps = () => subscriber.changes.filter((change) => change === list('created', 'resourcedump')).length;
      assert.equal(dumps(), 1);
      await write('two');
      await write('three');
      await app.publishing.dumps.build('maps', {});
      await app.publishing.listArchives.keep('maps');
      await until('the next dump', async () => dumps() === 2);
      await has(subscriber, list('created', 'changedump'), list('created', 'changedump-archive'));
      await has(subscriber, list('updated', 'resourcelist-archive'), list('updated', 'resourcedump-archive'));
      const ups = subscriber.deliveries.map(
        ({ body }) =>
          [
            /<rs:ln rel="up" href="([^"]+)"/.exec(body)?.[1],
            new Set([...body.matchAll(/ capability="([a-z-]+)"\/></g)].map(([, name]) => name === 'capabilitylist')),
          ] as const,
      );
      for (const [up, kinds] of ups) {
        const one = kinds.has(true) ? `${started.url}/.well-known/resourcesync` : at('capabilitylist', 'maps');
        assert.equal(up, kinds.size === 1 ? one : undefined);
      }
    });

    itOnce('call a list updated that begins anew, also when they are looked for while it is away', async () => {
      const { app } = started;
      await app.sets.add({ slug: 'maps', urlPrefix: 'https://data.example.org/maps/' });
      const subscriber = await TestSubscriber.start();
      await subscribe(subscriber, { 'hub.topic': framework('maps') });
      // As the first half of `tidemark renew` leaves a set.
      const stores = await openStores(app.configuration.store);
      const stored = (await stores.catalog.list<StoredSet>('set', 0)).find(({ body }) => body.slug === 'maps')!;
      const { epoch, ready } = stored.body;
      const body = { ...stored.body, epoch: epoch + 1, ready: false, moving: { ready, asImported: false } };
      await stores.catalog.put('set', stored.id, body, stored.version);
      await stores.close();
      await app.sets.add({ slug: 'other', urlPrefix: 'https://data.example.org/other/' });
      await has(subscriber, `updated ${started.url}/.well-known/resourcesync`);
      await app.sets.finishMoves();
      await has(subscriber, `updated ${at('resourcelist', 'maps')}`, `updated ${at('changelist', 'maps')}`);
      assert.ok(!subscriber.changes.some((change) => change.startsWith('created')), subscriber.changes.join());
    });

    itOnce('name a part of a list that has an index, and the index', async () => {
      await started.app.sets.add({ slug: 'maps', urlPrefix: PREFIX.replace('papers', 'maps'), pageEntries: 1 });
      const changes = ['a', 'b'].map((value) => ({ location: { value, type: 'rel_path' }, change: 'created' }));
      await askJson(`${started.url}/api/sets/maps/changes`, { changes });
      const list = at('resourcelist', 'maps');
      // Elasticsearch shows resources some time after they were posted; before, the list is not an index.
      await until('the index', async () => (await ask(list)).text.includes('<sitemapindex'));
      const subscriber = await TestSubscriber.start();
      await subscribe(subscriber, { 'hub.topic': framework('maps') });
      await started.app.sets.renew('maps');
      const part =
        /<loc>([^<]+)<\/loc><rs:md change="updated" [^>]+ capability="resourcelist"\/><rs:ln rel="index" href="([^"]+)"/;
      const [, uri, index] = await until(
        'the new list',
        async () => part.exec(subscriber.deliveries.map(({ body }) => body).join('')) ?? undefined,
      );
      assert.equal(index, list);
      const named = await ask(uri!);
      assert.equal(named.status, 200);
      assert.match(named.text, /<urlset/);
    });
  });

  itOnce('go to another hub, when the settings name one', async () => {
    await closeApps();
    const other = await TestSubscriber.start();
    const url = other.callback;
    await start({ hub: { kind: 'elsewhere', url }, subscriberNetworks: [] });
    await started.app.sets.add({ slug: 'secret', urlPrefix: 'https://data.example.org/secret/', private: true });
    assert.deepEqual(relationsOf((await ask(topic())).headers.link), { hub: [url], self: [topic()] });
    assert.equal((await other.request(hub(), { 'hub.mode': 'subscribe', 'hub.topic': topic() })).status, 404);
    let fails = 2;
    other.react = (_request, response) => response.writeHead(fails-- > 0 ? 503 : 202).end();
    await until(
      'it delivers',
      async () => (await started.app.notifications.subscriptions.progress()).progress[`hub ${url}`],
    );
    await post(['a']);
    await askJson(`${started.url}/api/sets/secret/changes`, {
      changes: [{ location: { value: 'hidden', type: 'rel_path' }, change: 'created' }],
    });
    await post(['b']);
    await until('both', async () => other.changes.includes(created('b')) && fails < 0);
    assert.ok(other.changes.includes(created('a')));
    assert.ok(other.deliveries.every(({ body }) => !body.includes('hidden')));
    const about = other.deliveries.find(({ body }) => body.includes(created('a').slice(8)))!;
    assert.deepEqual(relationsOf(about.headers.link), { hub: [url], self: [topic()] });
  });

  itOnce('are sent again to another hub that has answered 410', async () => {
    await closeApps();
    const other = await TestSubscriber.start();
    await start({ hub: { kind: 'elsewhere', url: other.callback }, subscriberNetworks: [] });
    other.react = (_request, response) => response.writeHead(410).end();
    const delivery = `hub ${other.callback}`;
    const progress = async () => (await started.app.notifications.subscriptions.progress()).progress[delivery];
    await until('it delivers', progress);
    await post(['a']);
    await until('its problem', async () => (await progress())?.problem === 'it answers with the status 410');
    other.deliveries.length = 0;
    other.react = (_request, response) => response.writeHead(204).end();
    await until('the next attempt', async () => other.changes.includes(created('a')));
  });

  itOnce('of a set that became private while another hub was away are not sent to it', async () => {
    await closeApps();
    const other = await TestSubscriber.start();
    await start({ hub: { kind: 'elsewhere', url: other.callback }, subscriberNetworks: [] });
    const { app } = started;
    await until(
      'it delivers',
      async () => (await app.notifications.subscriptions.progress()).progress[`hub ${other.callback}`],
    );
    let isAway = true;
    const taken: string[] = [];
    other.react = (_request, response, { body }) => {
      if (!isAway) taken.push(body);
      response.writeHead(isAway ? 503 : 202).end();
    };
    await app.sets.add({ slug: 'maps', urlPrefix: 'https://data.example.org/maps/' });
    const changes = [{ location: { value: 'hidden', type: 'rel_path' }, change: 'created' }];
    await askJson(`${started.url}/api/sets/maps/changes`, { changes });
    const failed = (text: string) =>
      until(`a failed delivery of ${text}`, async () => other.deliveries.some(({ body }) => body.includes(text)));
    await failed('hidden');
    await failed('capability="description"');
    await app.sets.change('maps', { private: true });
    // A request that began before may be under way: what is tried next comes after it.
    other.deliveries.length = 0;
    await post(['a']);
    await failed(created('a').slice(8));
    await failed('capability="description"');
    isAway = false;
    const wanted = [created('a').slice(8), 'capability="description"'];
    await until('the others', async () => wanted.every((text) => taken.some((body) => body.includes(text))));
    // The parts of a section are sent one after another.
    await post(['b']);
    await until('the next', async () => taken.some((body) => body.includes(created('b').slice(8))));
    assert.deepEqual(
      taken.filter((body) => /hidden|sets\/maps/.test(body)),
      [],
    );
  });

  itOnce('are shown to administrators, who end them', async () => {
    const subscriber = await TestSubscriber.start();
    await subscribe(subscriber);
    await post(['a']);
    await hasReceived(subscriber, 1);
    const [{ id }] = await until('it was sent', async () => {
      const all = await subscriptions();
      return all[0]?.sent !== undefined && all;
    });
    const page = await ask(`${started.url}/subscriptions`, { headers: { Accept: 'text/html' } });
    assert.match(page.text, /1 subscription\. Programs subscribe at/);
    assert.ok(page.text.includes(subscriber.callback));
    const { text } = await ask(`${started.url}/metrics`);
    assert.match(text, /tidemark_subscriptions\{state="active"\} 1\n/);
    assert.equal((await askJson(`${started.url}/api/subscriptions/none/remove`, {})).status, 404);
    assert.equal((await askJson(`${started.url}/api/subscriptions/${id}/remove`, {})).body.state, 'ending');
    await until('the denial', async () => subscriber.asked.at(-1)!['hub.mode'] === 'denied');
    await until('the end', async () => (await subscriptions()).length === 0);
  });
});
