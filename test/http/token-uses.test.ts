import assert from 'node:assert/strict';
import { TokenUses } from '../../src/access/token-uses.ts';
import { Secret } from '../../src/config/secret.ts';
import { ask, askJson } from '../support/ask.ts';
import { describeOnEachStore } from '../support/each-store.ts';
import { closeApps, type StartedApp, startApp } from '../support/start-app.ts';

const ADMINISTRATOR = { Authorization: 'Bearer open-sesame' };

describeOnEachStore('The last use of a token (134)', (store) => {
  let started: StartedApp;

  beforeEach(async () => {
    started = await startApp(store, { token: new Secret('open-sesame') });
  });
  afterEach(closeApps);

  const make = () => started.app.access.tokens.create({ name: 'a reader', scopes: ['read:*'] });
  const lastUses = async () =>
    (await askJson(`${started.url}/api/tokens`, undefined, ADMINISTRATOR)).body.tokens.map(
      ({ lastUse }: { lastUse?: { at: string; address: string } }) => lastUse,
    );

  it('is shown with its address, by the API and the page, and is none before', async () => {
    const { token } = await make();
    await make();
    const page = () => ask(`${started.url}/tokens`, { headers: { Accept: 'text/html', ...ADMINISTRATOR } });
    assert.deepEqual(await lastUses(), [undefined, undefined]);
    const before = Date.now();
    await ask(`${started.url}/api/sets`, {
      headers: { Authorization: `Bearer ${token}`, 'X-Forwarded-For': '192.0.2.1' },
    });

    const [used, other] = await lastUses();
    assert.equal(used.address, '192.0.2.1');
    assert.ok(Date.parse(used.at) >= before && Date.parse(used.at) <= Date.now());
    assert.equal(other, undefined);
    const { text } = await page();
    assert.match(text, /just now<\/time><span class="more-of">from 192\.0\.2\.1/);
    assert.match(text, />never</);
  });

  it('is stored once for many requests, and other processes see it', async () => {
    const { token, record } = await make();
    const headers = { Authorization: `Bearer ${token}` };
    await Promise.all(Array.from({ length: 20 }, () => ask(`${started.url}/api/sets`, { headers })));
    const { catalog } = started.app;
    assert.equal(await catalog.head('token-use'), 0, 'a request stored it');
    await started.app.access.uses.flush();

    const head = await catalog.head('token-use');
    const other = new TokenUses(catalog);
    assert.equal((await other.list()).get(record.id)?.address, '127.0.0.1');
    other.record(record.id, () => '192.0.2.2');
    await other.flush();
    await ask(`${started.url}/api/sets`, { headers });
    await started.app.access.uses.flush();
    assert.equal(await catalog.head('token-use'), head, 'two uses within five minutes were stored');
  });

  it('is stored again after five minutes, and when it could not be stored', async () => {
    const { catalog } = started.app;
    const clock = Date.now;
    let isAway = false;
    const get = catalog.get.bind(catalog);
    const uses = new TokenUses({
      get: (kind, id) => (isAway ? Promise.reject(new Error('the store is away')) : get(kind, id)),
      put: catalog.put.bind(catalog),
      list: catalog.list.bind(catalog),
    });
    const use = async (address: string) => {
      uses.record('a1', () => address);
      await uses.flush();
      return (await new TokenUses(catalog).list()).get('a1')?.address;
    };
    try {
      isAway = true;
      assert.equal(await use('192.0.2.1'), undefined);
      isAway = false;
      assert.equal(await use('192.0.2.2'), '192.0.2.2');
      Date.now = () => clock() + 301_000;
      assert.equal(await use('192.0.2.3'), '192.0.2.3');
    } finally {
      Date.now = clock;
    }
  });

  it('is stored when a server stops', async () => {
    const { token, record } = await make();
    await ask(`${started.url}/api/sets`, { headers: { Authorization: `Bearer ${token}` } });
    const stored: unknown[] = [];
    const { catalog } = started.app;
    const put = catalog.put.bind(catalog);
    catalog.put = (kind, id, body, version) => {
      if (kind === 'token-use') stored.push(id);
      return put(kind, id, body, version);
    };
    await started.app.close();
    assert.deepEqual(stored, [record.id]);
  });
});
