import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { tokenSchema } from '../../src/api/token-view.ts';
import { Secret } from '../../src/config/secret.ts';
import { madeTokenSchema, tokensSchema } from '../../src/http/routes/token-routes.ts';
import { type RunningServer, startServer } from '../../src/http/server/server.ts';
import { ask, askJson, JSON_BODY, NDJSON_BODY } from '../support/ask.ts';
import { describeOnEachStore } from '../support/each-store.ts';
import { closeApps, type StartedApp, startApp } from '../support/start-app.ts';

const ADMINISTRATOR = { Authorization: 'Bearer open-sesame' };
const CHANGES = { changes: [{ location: { value: 'a', type: 'rel_path' }, change: 'created' }] };

describeOnEachStore('Tokens over HTTP', (store, itOnce) => {
  let started: StartedApp;
  afterEach(closeApps);

  async function start(settings: Parameters<typeof startApp>[1] = {}): Promise<void> {
    started = await startApp(store, { token: new Secret('open-sesame'), ...settings });
    await started.app.sets.add({ slug: 'papers', urlPrefix: 'https://data.example.org/papers/' });
  }

  const make = (token: object, headers = ADMINISTRATOR) => askJson(`${started.url}/api/tokens`, token, headers);
  const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });
  const post = (headers: Record<string, string>, value: object = CHANGES) =>
    askJson(`${started.url}/api/sets/papers/changes`, value, headers);
  const read = (headers: Record<string, string> = {}) => ask(`${started.url}/api/sets/papers`, { headers });
  const list = async () => {
    const { body } = await askJson(`${started.url}/api/tokens`, undefined, ADMINISTRATOR);
    return tokensSchema.parse(body).tokens;
  };

  it('are made, used, listed and revoked', async () => {
    await start();
    const asked = Date.now();
    const made = await make({ name: 'harvester', scopes: ['post:papers'], expires: '90d', requestsPerMinute: null });
    assert.equal(made.status, 201);
    assert.equal(made.headers['cache-control'], 'no-store');
    const { token, ...view } = madeTokenSchema.parse(made.body);
    assert.equal((await post(bearer(token))).body.applied, 1);
    const [{ lastUse, ...listed }] = (await list()) as [typeof view];
    assert.deepEqual([listed, lastUse?.address], [view, '127.0.0.1']);
    assert.ok(!JSON.stringify(await list()).includes(token.slice(17)));
    assert.equal(view.state, 'valid');
    assert.equal(view.requestsPerMinute, null);
    const lifetimeBegan = Date.parse(view.expires!) - 90 * 86_400_000;
    assert.ok(lifetimeBegan >= asked && lifetimeBegan <= Date.now(), view.expires!);

    const revoke = () => ask(`${started.url}/api/tokens/${view.id}/revoke`, { method: 'POST', headers: ADMINISTRATOR });
    const revoked = tokenSchema.parse(JSON.parse((await revoke()).text));
    assert.equal(revoked.state, 'revoked');
    assert.equal((await post(bearer(token))).status, 401);
    assert.deepEqual(JSON.parse((await revoke()).text), revoked);
    const [{ lastUse: _, ...after }] = (await list()) as [typeof view];
    assert.deepEqual(after, revoked);
  });

  itOnce('are not made of invalid fields, and the answer names the field', async () => {
    await start();
    const good = { name: 'a', scopes: ['read:papers'] };
    const wrong: readonly (readonly [object, string, number?])[] = [
      [{ scopes: ['administer'] }, 'name'],
      [{ ...good, name: '' }, 'name'],
      [{ ...good, name: 'two\nlines' }, 'name'],
      [{ ...good, scopes: [] }, 'scopes'],
      [{ ...good, scopes: ['all'] }, 'scopes'],
      [{ ...good, scopes: ['read:papers', 'read:mistyped'] }, 'set', 404],
      [{ ...good, expires: '2020-01-01' }, 'expires'],
      [{ ...good, expires: 'soon' }, 'expires'],
      [{ ...good, requestsPerMinute: 0 }, 'requestsPerMinute'],
      [{ ...good, admin: true }, 'admin'],
      [[], 'body'],
    ];
    for (const [token, field, status = 400] of wrong) {
      const answer = await make(token);
      assert.equal(answer.status, status, JSON.stringify(token));
      assert.ok(field in answer.body.error || answer.body.error.field === field, JSON.stringify(answer.body));
    }
    assert.equal((await make({ ...good, scopes: [] })).body.error.message, 'scopes is wrong: at least 1 entry');
    assert.match((await ask(`${started.url}/api/openapi.json`)).text, /download:ORG.*group:NAME/);
    const huge = await ask(`${started.url}/api/tokens`, {
      method: 'POST',
      headers: { ...ADMINISTRATOR, ...JSON_BODY },
      body: JSON.stringify({ ...good, name: 'x'.repeat(100_000) }),
    });
    assert.equal(huge.status, 413);
    assert.deepEqual(await list(), []);
  });

  itOnce('allow a limited number of requests in a minute', async () => {
    await start({ tokenRequests: 2 });
    const { token } = (await make({ name: 'a', scopes: ['post:papers'] })).body;
    const own = (await make({ name: 'b', scopes: ['post:papers'], requestsPerMinute: 1 })).body;
    const free = (await make({ name: 'c', scopes: ['post:papers'], requestsPerMinute: null })).body;
    for (let count = 0; count < 2; count++) assert.equal((await read(bearer(token))).status, 200);
    const refused = await askJson(`${started.url}/api/sets/papers`, undefined, bearer(token));
    assert.equal(refused.status, 429);
    const seconds = Number(refused.headers['retry-after']);
    assert.ok(seconds >= 1 && seconds <= 30, `${seconds}`);
    assert.equal(refused.body.error.code, 'too-many-requests');
    assert.equal((await post(bearer(token))).status, 429);
    assert.equal((await ask(`${started.url}/api/sets/absent`, { headers: bearer(token) })).status, 429);
    assert.equal((await read(bearer(own.token))).status, 200);
    assert.equal((await read(bearer(own.token))).status, 429);
    for (const headers of [ADMINISTRATOR, bearer(free.token), {}]) {
      for (let count = 0; count < 4; count++) assert.equal((await read(headers)).status, 200);
    }
    assert.equal((await ask(`${started.url}/healthz`, { headers: bearer(token) })).status, 200);
  });

  itOnce('allow a limited number of bytes of bodies in a minute, counted as they arrive', async () => {
    await start({ tokenBody: 20_000 });
    const { token } = (await make({ name: 'a', scopes: ['post:papers'] })).body;
    const line = (number: number) =>
      `${JSON.stringify({ location: { value: `f${number}`, type: 'rel_path' }, change: 'created' })}\n`;
    const body = Array.from({ length: 20_000 }, (_, number) => line(number)).join('');
    const posted = await ask(`${started.url}/api/sets/papers/changes`, {
      method: 'POST',
      headers: { ...NDJSON_BODY, ...bearer(token) },
      body,
    });
    assert.equal(posted.status, 429);
    assert.ok(Number(posted.headers['retry-after']) >= 1);
    const { error } = JSON.parse(posted.text);
    assert.equal(error.code, 'too-many-requests');
    assert.deepEqual([error.complete, `${error.retryAfter}`], [false, posted.headers['retry-after']]);
    const { resources } = await started.app.index.summary((await started.app.sets.bySlug('papers')).id);
    assert.ok(error.applied <= resources, `${error.applied} of ${resources}`);
    assert.ok(resources < 10_000, `${resources}`);
    // Nothing more is read, and reading is not posting.
    assert.equal((await post(bearer(token))).status, 429);
    // It is refused before a byte of another body was read.
    const another = await ask(`${started.url}/api/sets/papers/changes`, { method: 'POST', headers: bearer(token) });
    assert.equal(another.status, 429, another.text);
    assert.equal((await read(bearer(token))).status, 200);
    assert.equal((await post(ADMINISTRATOR)).status, 200);
  });

  itOnce('are not needed for reading, which may be limited by address', async () => {
    await start({ anonymousRequests: 2 });
    const description = (from: string) =>
      ask(`${started.url}/.well-known/resourcesync`, { headers: { 'X-Forwarded-For': from } });
    const statuses: number[] = [];
    for (let count = 0; count < 4; count++) statuses.push((await description('203.0.113.7')).status);
    assert.deepEqual(statuses, [200, 200, 429, 429]);
    assert.equal((await description('203.0.113.8')).status, 200);
  });

  itOnce('are in no log, no error and no store', async () => {
    await start();
    const logged: string[] = [];
    const sink = new Writable({
      write(chunk, _encoding, done) {
        logged.push(String(chunk));
        done();
      },
    });
    const logger = pino({ level: 'trace' }, sink);
    const port = 0;
    const server: RunningServer = await startServer(started.app, {
      host: '127.0.0.1',
      port,
      logger,
      accessLog: logger,
    });
    const { token, id } = (await make({ name: 'a', scopes: ['post:papers'] })).body;
    const unknown = `tdm_${'0'.repeat(12)}_${'S'.repeat(43)}`;
    const answers: string[] = [];
    const secrets = [token, unknown, 'open-sesame'];
    const send = async (path: string, headers: Record<string, string>, body?: string) => {
      const method = body === undefined ? 'GET' : 'POST';
      const { text, headers: answered } = await ask(`${server.url}${path}`, { method, headers, ...(body && { body }) });
      answers.push(text, JSON.stringify(answered));
    };
    try {
      for (const secret of secrets) {
        const headers = bearer(secret);
        await send('/api/tokens', headers);
        await send('/api/sets/papers/changes', { ...headers, ...JSON_BODY }, '{"changes": 1}');
        await send('/api/tokens', { ...headers, ...JSON_BODY }, '{');
        await send('/api/tokens', { ...headers, ...JSON_BODY }, `{"name":"b","scopes":["${secret}"],"expires":"x"}`);
        await send('/sets/papers/nothing', { Authorization: `Basic ${btoa(`me:${secret}`)}`, Accept: 'text/html' });
        await send('/', { Authorization: `Digest ${secret}`, Accept: 'text/html' });
        await send(`/api/sets?token=${secret}`, {});
      }
      // A store that fails is logged with what was asked of it.
      started.app.index.watermark = () => Promise.reject(new Error('a fault'));
      await send('/readyz', bearer(token));
    } finally {
      await server.close();
    }
    const log = logged.join('');
    assert.match(log, /a fault/);
    assert.match(log, new RegExp(id));
    const kept = JSON.stringify(await started.app.catalog.list('token'));
    for (const secret of secrets) {
      const part = secret.slice(-20);
      assert.ok(!log.includes(part) && !log.includes(btoa(`me:${secret}`)), 'a token is in the log');
      assert.ok(!kept.includes(part), 'a token is in the store');
    }
    const echoed = answers.filter((text) => text.includes(token.slice(-20)) || text.includes('SSSSSSSSSS'));
    assert.deepEqual(echoed, []);
  });
});
