import assert from 'node:assert/strict';
import { Subscriptions } from '../../../src/publish/notify/subscriptions.ts';
import { openStores, type Stores } from '../../../src/stores/open-stores.ts';
import { SQLITE } from '../../support/each-store.ts';
import { useTempFolder } from '../../support/temp-folder.ts';

describe('Subscriptions', () => {
  const folder = useTempFolder();
  let stores: Stores;

  beforeEach(async () => {
    stores = await openStores(SQLITE.place(folder.path, { mayBeMade: true }).location);
  });
  afterEach(() => stores.close());

  it('are limited, all of them and those of a host, and an ended one makes room', async () => {
    const subscriptions = new Subscriptions(stores.catalog, { all: 4, ofAHost: 2 });
    const pending = { mode: 'subscribe', subscriber: { kind: 'anonymous' }, asked: 0, leaseSeconds: 60 } as const;
    const request = (callback: string) => subscriptions.request({ topic: 'sets', callback }, pending);
    await request('http://a.example/1');
    await request('http://a.example:81/2');
    const full = { code: 'not-ready', message: 'a.example has 2 subscriptions, the most that a host may have' };
    await assert.rejects(request('https://a.example/3'), full);
    for (const callback of ['http://b.example/', 'http://c.example/']) await request(callback);
    const none = { code: 'not-ready', message: 'there are 4 subscriptions, the most that there may be' };
    await assert.rejects(request('http://d.example/'), none);
    // One that exists may be renewed.
    await request('http://a.example/1');
    const [first] = await subscriptions.list();
    assert.ok(await subscriptions.replace(first!, undefined));
    await request('http://d.example/');
    assert.equal((await subscriptions.list()).length, 4);
  });

  it('have a callback that can be called, and a secret of fewer than 200 bytes', async () => {
    const subscriptions = new Subscriptions(stores.catalog);
    const pending = { mode: 'subscribe', subscriber: { kind: 'anonymous' }, asked: 0, leaseSeconds: 60 } as const;
    const request = (callback: string, secret?: string) =>
      subscriptions.request({ topic: 'sets', callback }, { ...pending, secret });
    for (const callback of ['not a URL', 'file:///etc/passwd', 'http://a:b@c.example/', 'http://c.example/#']) {
      await assert.rejects(request(callback), { code: 'invalid' }, callback);
    }
    await assert.rejects(request('http://c.example/', 'x'.repeat(200)), { code: 'invalid' });
    assert.deepEqual(await subscriptions.list(), []);
  });
});
