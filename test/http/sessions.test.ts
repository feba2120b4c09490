import assert from 'node:assert/strict';
import { seal } from '../../src/access/sealed-text.ts';
import { Secret } from '../../src/config/secret.ts';
import { startServer } from '../../src/http/server/server.ts';
import { type Answer, ask, askJson, JSON_BODY, type Question } from '../support/ask.ts';
import { describeOnEachStore } from '../support/each-store.ts';
import { closeEventStreams, EventStream } from '../support/event-stream.ts';
import { closeApps, type StartedApp, startApp } from '../support/start-app.ts';
import { until } from '../support/until.ts';
import { BROWSER } from '../support/web-source.ts';

const HOUR_MS = 3_600_000;
const ADMINISTRATOR = 'open-sesame';

describeOnEachStore('A session of a browser', (store, itOnce) => {
  let started: StartedApp;
  // One source and one private set for all tests: what they sign in with is their own.
  before(async () => {
    started = await startApp(store, { token: new Secret(ADMINISTRATOR) });
    await started.app.sets.add({ slug: 'sealed', urlPrefix: 'https://data.example.org/', private: true });
  });
  afterEach(closeEventStreams);
  after(closeApps);

  const own = () => ({ ...BROWSER, Origin: started.url });
  const signIn = (token: string, { headers = {}, to = '' }: { headers?: Record<string, string>; to?: string } = {}) =>
    ask(`${started.url}/sign-in`, {
      method: 'POST',
      headers: { ...own(), 'Content-Type': 'application/x-www-form-urlencoded', ...headers },
      body: new URLSearchParams({ token, to }).toString(),
    });
  const cookieOf = ({ headers }: Answer) => headers['set-cookie']![0]!.split(';')[0]!;
  const status = async (path: string, cookie: string, question: Question = {}) => {
    const headers = { Cookie: cookie, ...question.headers };
    return (await ask(started.url + path, { ...question, headers })).status;
  };

  itOnce('is not begun by trying many tokens, and a mistake does not count for long', async () => {
    const wrong = { 'X-Forwarded-For': '203.0.113.8' };
    const tokens = Array.from({ length: 40 }, (_, at) => `wrong-${at}`);
    const answers = await Promise.all(tokens.map((token) => signIn(token, { headers: wrong })));
    const statuses = answers.map((answer) => answer.status);
    assert.deepEqual([...new Set(statuses)].sort(), [403, 429]);
    assert.ok(statuses.filter((status) => status === 403).length <= 25, statuses.join());
    const refused = answers.find(({ status }) => status === 429)!;
    assert.ok(Number(refused.headers['retry-after']) <= 3);
    // Another address is not refused, and may sign in as often as it likes.
    const { token } = await started.app.access.tokens.create({ name: 'reader', scopes: ['read:sealed'] });
    const headers = { 'X-Forwarded-For': '203.0.113.9' };
    for (let times = 0; times < 25; times++) assert.equal((await signIn(token, { headers })).status, 303);
  });

  it('may do what its token may, at every server, until the token is revoked', async () => {
    const { token, record } = await started.app.access.tokens.create({ name: 'reader', scopes: ['read:sealed'] });
    const signedIn = await signIn(token, { to: 'sets/sealed/' });
    assert.deepEqual([signedIn.status, signedIn.headers.location], [303, './sets/sealed/']);
    const cookie = cookieOf(signedIn);
    assert.match(
      signedIn.headers['set-cookie']![0]!,
      /; Max-Age=43200; Path=\/; Expires=[^;]+; HttpOnly; SameSite=Lax$/,
    );
    assert.ok(!decodeURIComponent(cookie).includes(token.slice(-20)), 'the cookie shows the token');
    for (const path of ['/sets/sealed/', '/sets/sealed/resourcelist.xml', '/api/sets/sealed']) {
      assert.equal(await status(path, cookie), 200, path);
      assert.equal(await status(path, ''), 404, path);
    }
    assert.equal(await status('/api/tokens', cookie), 403);
    const other = await startServer(started.app, { host: '127.0.0.1', port: 0 });
    const { headers } = await ask(`${other.url}/sets/sealed/`, { headers: { Cookie: cookie } });
    assert.match(headers.vary ?? '', /\bCookie\b/);
    await other.close();
    await started.app.access.tokens.revoke(record.id);
    assert.equal(await status('/sets/sealed/', cookie), 404);
  });

  itOnce('is shown on pages of what does not exist, for a private set as for an unknown one', async () => {
    const pages = async (token: string) => {
      const cookie = cookieOf(await signIn(token));
      const paths = ['/nothing', '/sets/unknown/', '/sets/sealed/', '/organizations/unknown/'];
      const headers = { ...BROWSER, Cookie: cookie };
      return Promise.all(paths.map((path) => ask(started.url + path, { headers })));
    };
    const [nothing, unknown, , organization] = await pages(ADMINISTRATOR);
    for (const page of [nothing, unknown, organization]) {
      assert.equal(page!.status, 404);
      assert.match(page!.text, /Signed in as administrator[\s\S]*Sign out/);
      assert.match(page!.text, />Jobs</);
    }
    const { token } = await started.app.access.tokens.create({ name: 'poster', scopes: ['post:other'] });
    const [, other, sealed] = await pages(token);
    assert.match(other!.text, /Signed in as poster/);
    assert.deepEqual([sealed!.status, sealed!.text.replaceAll('sealed', 'unknown')], [404, other!.text]);
  });

  itOnce('is over after twelve hours, and when its reader signs out', async () => {
    const cookie = cookieOf(await signIn(ADMINISTRATOR));
    assert.equal(await status('/api/tokens', cookie), 200);
    const [name] = cookie.split('=');
    const stored = await started.app.catalog.get<{ key: string }>('session', 'key');
    const begun = (before: number) =>
      `${name}=${seal(Buffer.from(stored!.body.key, 'base64'), `${Date.now() - before} ${ADMINISTRATOR}`)}`;
    assert.equal(await status('/api/tokens', begun(11.9 * HOUR_MS)), 200);
    assert.equal(await status('/api/tokens', begun(12 * HOUR_MS)), 401);
    const headers = { ...own(), Cookie: cookie };
    const signedOut = await ask(`${started.url}/sign-out`, { method: 'POST', headers });
    assert.equal(signedOut.status, 303);
    assert.match(signedOut.headers['set-cookie']![0]!, /^tidemark_[0-9a-f]{8}=; Max-Age=0; /);
    assert.equal(await status('/api/tokens', cookie), 401, 'a copy of the cookie');
    assert.equal(await status('/api/tokens', cookieOf(await signIn(ADMINISTRATOR))), 200, 'signed in anew');
  });

  itOnce('ends with the streams of changes that were opened in it, when its reader signs out', async () => {
    const cookie = cookieOf(await signIn(ADMINISTRATOR));
    const at = `${started.url}/api/sets/sealed/changes`;
    const stream = await EventStream.open(`${at}/stream`, { Cookie: cookie });
    const other = await EventStream.open(`${at}/stream`, { Authorization: `Bearer ${ADMINISTRATOR}` });
    const post = (value: string) =>
      askJson(
        at,
        { changes: [{ location: { value, type: 'rel_path' }, change: 'updated' }] },
        { Authorization: `Bearer ${ADMINISTRATOR}` },
      );
    await post('before');
    await until('both have it', async () => stream.events.length === 1 && other.events.length === 1);
    await ask(`${started.url}/sign-out`, { method: 'POST', headers: { ...own(), Cookie: cookie } });
    await post('after');
    await until('one has it, and the other has ended', async () => other.events.length === 2 && stream.hasEnded);
    assert.equal(stream.events.length, 1);
  });

  itOnce('ends when the administrator has another token', async () => {
    const cookie = cookieOf(await signIn(ADMINISTRATOR));
    const configuration = { ...started.app.configuration, token: new Secret('another-token') };
    const other = await startServer({ ...started.app, configuration }, { host: '127.0.0.1', port: 0 });
    assert.equal((await ask(`${other.url}/api/tokens`, { headers: { Cookie: cookie } })).status, 401);
    await other.close();
  });

  itOnce('changes something only for pages of this server', async () => {
    const cookie = cookieOf(await signIn(ADMINISTRATOR));
    const change = (headers: Record<string, string>) =>
      status('/api/sets/sealed', cookie, {
        method: 'PATCH',
        body: '{"title":"T"}',
        headers: { ...JSON_BODY, ...headers },
      });
    for (const headers of [
      {},
      { 'Sec-Fetch-Site': 'none' },
      { 'Sec-Fetch-Site': 'same-site' },
      { 'Sec-Fetch-Site': 'cross-site' },
      { Origin: 'null' },
      { Origin: 'https://evil.example.org' },
      { Origin: `${started.url}.evil.example.org` },
      { Origin: 'https://evil.example.org', 'Sec-Fetch-Site': 'same-origin' },
    ] as const) {
      assert.equal(await change(headers as Record<string, string>), 403, JSON.stringify(headers));
    }
    assert.equal(await change({ Origin: started.url }), 200);
    assert.equal(await change({ 'Sec-Fetch-Site': 'same-origin' }), 200);
    // A program has a token, which no browser sends by itself.
    assert.equal(await change({ Authorization: `Bearer ${ADMINISTRATOR}` }), 200);
  });

  itOnce('is begun and ended by pages of this server only', async () => {
    for (const path of ['sign-in', 'sign-out']) {
      for (const Origin of ['https://evil.example.org', 'null', undefined]) {
        const headers = {
          'Content-Type': 'application/x-www-form-urlencoded',
          ...(Origin !== undefined && { Origin }),
        };
        const body = `token=${ADMINISTRATOR}`;
        const answer = await ask(`${started.url}/${path}`, { method: 'POST', headers, body });
        assert.deepEqual([answer.status, answer.headers['set-cookie']], [403, undefined], `${path} from ${Origin}`);
      }
    }
  });

  itOnce('is another one each time, whatever cookie the browser had', async () => {
    const { token } = await started.app.access.tokens.create({ name: 'attacker', scopes: ['metrics'] });
    const planted = cookieOf(await signIn(token));
    const cookie = cookieOf(await signIn(ADMINISTRATOR, { headers: { Cookie: planted } }));
    assert.notEqual(cookie, planted);
    assert.notEqual(cookieOf(await signIn(ADMINISTRATOR)), cookie);
    assert.equal(await status('/api/tokens', planted), 403, 'the one that was planted has not changed');
  });

  itOnce('is nothing that anybody can make up, change or cut', async () => {
    const cookie = cookieOf(await signIn(ADMINISTRATOR));
    const [name, value = ''] = cookie.split('=');
    const changed = Buffer.from(value, 'base64url');
    for (const made of [
      '',
      'x',
      ADMINISTRATOR,
      value.slice(0, -4),
      value.slice(4),
      `${value}AAAA`,
      Buffer.from(`${Date.now()} ${ADMINISTRATOR}`).toString('base64url'),
      ...[0, 12, 28, changed.length - 1]
        .map((at) => changed.with(at, changed[at]! ^ 1))
        .map((bytes) => Buffer.from(bytes).toString('base64url')),
    ]) {
      assert.equal(await status('/api/tokens', `${name}=${made}`), 401, made);
    }
    assert.equal(await status('/api/tokens', `other=1; ${name}=planted; ${cookie}; last=2`), 200);
  });

  itOnce('is not begun with a token that is unknown, revoked or expired', async () => {
    const { token, record } = await started.app.access.tokens.create({ name: 'reader', scopes: ['read:*'] });
    await started.app.access.tokens.revoke(record.id);
    for (const [given, problem] of [
      ['', 'The token is not valid.'],
      ['tdm_000000000000_x', 'The token is not valid.'],
      [`${ADMINISTRATOR}2`, 'The token is not valid.'],
      [token, 'The token was revoked.'],
    ] as const) {
      const answer = await signIn(given);
      assert.deepEqual([answer.status, answer.headers['set-cookie']], [403, undefined], given);
      assert.ok(answer.text.includes(problem), given);
    }
  });

  itOnce('leads to no other server, whatever the address says', async () => {
    for (const to of [
      'sets/sealed/?a=b#c',
      '//evil.example.org/',
      '/\\evil.example.org',
      '\\\\evil.example.org',
      'https://evil.example.org/',
      'javascript:alert(1)',
      '../..//evil.example.org',
      './/evil.example.org',
      '\t//evil.example.org',
      '\r\nSet-Cookie: a=b',
      '%2f%2fevil.example.org',
      '@evil.example.org',
      'ü//evil.example.org',
      'x'.repeat(5000),
    ]) {
      const { status: answered, headers } = await signIn(ADMINISTRATOR, { to });
      assert.equal(answered, 303, to);
      assert.equal(new URL(headers.location!, `${started.url}/sign-in`).origin, started.url, to);
      assert.equal(headers['set-cookie']!.length, 1);
    }
  });

  itOnce('has a cookie for https alone, where the source is reached by https', async () => {
    for (const [headers, pattern] of [
      [{ 'X-Forwarded-Proto': 'https' }, /^__Host-tidemark_[0-9a-f]{8}=.*; Path=\/;.*; Secure; SameSite=Lax$/],
      [{ 'X-Forwarded-Proto': 'http' }, /^tidemark_/],
    ] as const) {
      const answer = await signIn(ADMINISTRATOR, { headers });
      assert.match(answer.headers['set-cookie']![0]!, pattern);
      assert.equal(await status('/api/tokens', cookieOf(answer)), 200);
    }
  });

  itOnce('is asked for in place of a password, but only of people', async () => {
    const asked = await ask(`${started.url}/jobs?a=b`, { headers: BROWSER });
    assert.deepEqual([asked.status, asked.headers.location], [303, './sign-in?to=jobs%3Fa%3Db']);
    assert.equal(asked.headers['www-authenticate'], undefined);
    const posted = await ask(`${started.url}/sets/sealed/dump/build`, { method: 'POST', headers: own() });
    assert.equal(posted.status, 404, 'a private set stays unknown');
    for (const headers of [{}, BROWSER]) {
      const api = await ask(`${started.url}/api/jobs`, { headers });
      assert.equal(api.status, 401);
      assert.match(api.headers['www-authenticate']!, /^Bearer realm="tidemark", Basic/);
    }
    const wrong = await ask(`${started.url}/jobs`, { headers: { ...BROWSER, Authorization: 'Bearer none' } });
    assert.equal(wrong.status, 401);
  });
});
