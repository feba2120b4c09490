import assert from 'node:assert/strict';
import { Secret } from '../../src/config/secret.ts';
import { isTidemarkError, TidemarkError } from '../../src/core/errors.ts';
import { startServer } from '../../src/http/server/server.ts';
import { ask, askJson } from '../support/ask.ts';
import { describeOnEachStore } from '../support/each-store.ts';
import { headOf, sendRaw, statusOf } from '../support/raw-http.ts';
import { closeApps, type StartedApp, startApp } from '../support/start-app.ts';
import { until } from '../support/until.ts';

const CHANGES = { changes: [{ location: { value: 'a', type: 'rel_path' }, change: 'created' }] };

describeOnEachStore('Access over HTTP', (store, itOnce) => {
  let started: StartedApp;
  afterEach(closeApps);

  async function start(settings: Parameters<typeof startApp>[1] = {}): Promise<void> {
    started = await startApp(store, settings);
    await started.app.sets.add({ slug: 'papers', urlPrefix: 'https://data.example.org/papers/' });
  }

  const post = (headers: Record<string, string> = {}) =>
    askJson(`${started.url}/api/sets/papers/changes`, CHANGES, headers);
  const read = (headers: Record<string, string> = {}) =>
    ask(`${started.url}/sets/papers/capabilitylist.xml`, { headers });

  itOnce('without a token is for requests from this machine', async () => {
    await start({ baseUrl: 'https://data.example.org' });
    assert.equal((await post()).status, 200);
    assert.equal((await post({ Host: 'localhost' })).status, 200);
    const proxied = ['Forwarded', 'Via', 'X-Real-IP', 'X-Forwarded-For', 'X-Forwarded-Host', 'X-Forwarded-Proto'];
    for (const headers of [{ Host: 'data.example.org' }, ...proxied.map((name) => ({ [name]: '203.0.113.7' }))]) {
      assert.equal((await read(headers as Record<string, string>)).status, 200);
      assert.equal((await post(headers as Record<string, string>)).status, 403, JSON.stringify(headers));
    }
    assert.equal((await read({ Host: 'evil.example.org' })).status, 403);
    assert.equal((await post({ Host: 'evil.example.org' })).status, 403);
  });

  itOnce('without a token is not for what a proxy sends by HTTP/1.0 under the address of this server', async () => {
    await start();
    const posted = async (version: string) => {
      const body = JSON.stringify(CHANGES);
      const head = headOf('POST /api/sets/papers/changes', {
        'Content-Type': 'application/json',
        'Content-Length': String(body.length),
      });
      const { host } = new URL(started.url);
      const text = head.replace('HTTP/1.1', version).replace('Host: 127.0.0.1', `Host: ${host}`);
      return statusOf(await sendRaw(started.url, text + body));
    };
    assert.deepEqual([await posted('HTTP/1.0'), await posted('HTTP/1.1')], [403, 200]);
  });

  itOnce('without a token is as for everybody while tokens cannot be read, and refused for that alone', async () => {
    await start();
    const { tokens } = started.app.access;
    const areKept = tokens.areKept.bind(tokens);
    // For one question: the store answers again before the next.
    const failOnce = () => {
      tokens.areKept = async () => {
        tokens.areKept = areKept;
        throw new TidemarkError('unavailable', 'for a test');
      };
    };
    failOnce();
    assert.equal((await read()).status, 200);
    failOnce();
    assert.equal((await post()).status, 503);
    assert.equal((await post()).status, 200);
  });

  itOnce('is refused to pages of another origin', async () => {
    await start();
    assert.equal((await post({ Origin: 'https://evil.example.org' })).status, 403);
    assert.equal((await post({ Origin: 'null' })).status, 403);
    assert.equal((await post({ Origin: started.url })).status, 200);
    const refresh = `${started.url}/api/sets/papers/pages/1-00001/refresh`;
    const foreign = await ask(refresh, { method: 'POST', headers: { Origin: 'https://evil.example.org' } });
    assert.equal(foreign.status, 403);
  });

  itOnce('is refused to a page of this host that came by another scheme', async () => {
    await start({ baseUrl: 'https://data.example.org', token: new Secret('open-sesame') });
    const from = async (Origin: string, more: Record<string, string> = {}) => {
      const headers = { Authorization: 'Bearer open-sesame', Host: 'data.example.org', Origin, ...more };
      return (await post(headers)).status;
    };
    assert.equal(await from('https://data.example.org'), 200);
    assert.equal(await from('http://data.example.org'), 403);
    assert.equal(await from('http://data.example.org', { 'Sec-Fetch-Site': 'cross-site' }), 403);
    const { host } = new URL(started.url);
    assert.equal(await from(`http://${host}`, { Host: host }), 200);
    assert.equal(await from(`https://${host}`, { Host: host }), 403);
    assert.equal(await from(`https://${host}`, { Host: host, 'Sec-Fetch-Site': 'same-origin' }), 200);
    assert.equal(await from(`http://${host}`, { Host: host, 'Sec-Fetch-Site': 'cross-site' }), 403);
  });

  itOnce('with a token is public for reading, and needs the token for posting', async () => {
    await start({ token: new Secret('open-sesame') });
    assert.equal((await read({ Host: 'any.example.org' })).status, 200);
    const refused = await post();
    assert.equal(refused.status, 401);
    assert.match(refused.headers['www-authenticate'] ?? '', /^Bearer/);
    assert.equal((await post({ Authorization: 'Bearer wrong' })).status, 401);
    assert.equal((await read({ Authorization: 'Bearer wrong' })).status, 401);
    assert.equal((await post({ Authorization: 'Bearer open-sesame' })).status, 200);
    const refresh = `${started.url}/api/sets/papers/pages/1-00001/refresh`;
    assert.equal((await ask(refresh, { method: 'POST' })).status, 401);
  });

  itOnce('to a public read-only server never permits posting', async () => {
    await start({ publicReadOnly: true });
    assert.equal((await read()).status, 200);
    assert.equal((await post()).status, 403);
    assert.equal((await post({ Authorization: 'Bearer any' })).status, 403);
  });

  itOnce('is checked before the body is read', async () => {
    await start({ token: new Secret('open-sesame') });
    const { status } = await ask(`${started.url}/api/sets/papers/changes`, { method: 'POST', body: 'no JSON' });
    assert.equal(status, 401);
  });

  itOnce('is not given at a public address without a token', async () => {
    await start();
    const starting = startServer(started.app, { host: '0.0.0.0', port: 0 });
    await assert.rejects(starting, (error) => {
      assert.ok(isTidemarkError(error, 'invalid'));
      assert.equal(error.details.field, 'host');
      assert.match(error.message, /tokens create.*TIDEMARK_TOKEN.*--public-read-only/);
      return true;
    });
  });

  itOnce('is not given at a port that is taken', async () => {
    await start();
    const starting = startServer(started.app, { host: '127.0.0.1', port: started.server.port });
    await assert.rejects(starting, (error) => isTidemarkError(error, 'invalid') && error.details.field === 'port');
  });

  itOnce('is offered to a browser as it is', async () => {
    await start({ token: new Secret('open-sesame') });
    const password = (token: string) => `Basic ${Buffer.from(`me:${token}`).toString('base64')}`;
    assert.equal((await ask(`${started.url}/sign-in`)).status, 200);
    assert.equal((await ask(`${started.url}/sign-in`, { headers: { Authorization: password('wrong') } })).status, 401);
    const signedIn = { Authorization: password('open-sesame') };
    assert.equal((await ask(`${started.url}/sign-in`, { headers: signedIn })).status, 303);
    assert.equal((await post(signedIn)).status, 200);
    // What a browser sends by itself, a page of another origin could make it send.
    assert.equal((await post({ ...signedIn, Origin: 'https://evil.example.org' })).status, 403);
    assert.equal((await post({ ...signedIn, 'Sec-Fetch-Site': 'cross-site' })).status, 403);
    assert.equal((await post({ ...signedIn, Origin: started.url, 'Sec-Fetch-Site': 'same-origin' })).status, 200);
  });

  it('to a local server needs a token as soon as one was made', async () => {
    await start();
    assert.equal((await post()).status, 200);
    const { token, record } = await started.app.access.tokens.create({ name: 'first', scopes: ['post:papers'] });
    await until('no client may post', async () => (await post()).status === 401);
    assert.equal((await post({ Authorization: `Bearer ${token}` })).status, 200);
    assert.equal((await read()).status, 200);
    await started.app.access.tokens.revoke(record.id);
    assert.equal((await post({ Authorization: `Bearer ${token}` })).status, 401);
    assert.equal((await post()).status, 401);
  });

  itOnce('at a public address is given to a sender with a token of the store', async () => {
    await start();
    const { token, record } = await started.app.access.tokens.create({ name: 'first', scopes: ['administer'] });
    const server = await startServer(started.app, { host: '0.0.0.0', port: 0 });
    try {
      const list = (headers = {}) => ask(`http://127.0.0.1:${server.port}/api/tokens`, { headers });
      assert.equal((await list()).status, 401);
      assert.equal((await list({ Authorization: `Bearer ${token}` })).status, 200);
    } finally {
      await server.close();
    }
    await started.app.access.tokens.revoke(record.id);
    const starting = startServer(started.app, { host: '0.0.0.0', port: 0 });
    await assert.rejects(starting, (error) => isTidemarkError(error, 'invalid') && error.details.field === 'host');
  });

  itOnce('comes with headers that keep browsers from guessing', async () => {
    await start();
    const { headers } = await ask(started.url);
    assert.equal(headers['x-content-type-options'], 'nosniff');
    assert.match(String(headers['content-security-policy']), /default-src 'none'/);
    assert.equal(headers['x-powered-by'], undefined);
    assert.equal(headers['strict-transport-security'], undefined);
  });
});
