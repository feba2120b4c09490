import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AccessPolicy, accessPolicy } from '../../../src/access/access-policy.ts';
import {
  identify,
  identifyMetricsReader,
  refuseForeignPage,
  type SenderHeaders,
} from '../../../src/access/identify-principal.ts';
import { type Action, may } from '../../../src/access/may.ts';
import { ADMINISTRATOR, ANONYMOUS, LOCAL_ADMINISTRATOR, type Principal } from '../../../src/access/principal.ts';
import type { Scope } from '../../../src/access/scope.ts';
import { TokenRegistry } from '../../../src/access/token-registry.ts';
import { Secret } from '../../../src/config/secret.ts';
import { isTidemarkError } from '../../../src/core/errors.ts';
import { openStores, type Stores } from '../../../src/stores/open-stores.ts';

const TOKEN = new Secret('open-sesame');
const BASE_URL = 'https://data.example.org';
const OPEN = { slug: 'open' };
const HIDDEN = { slug: 'hidden', private: true };

const READING: readonly Action[] = ['read-documents', 'read-resource', 'read-state'];

function bearer(...scopes: readonly Scope[]): Principal {
  return { kind: 'token', id: '0'.repeat(12), name: 'of a test', scopes, limits: {} };
}

describe('Access', () => {
  it('lets everybody read what is public, and administrators do everything', () => {
    for (const action of READING) assert.ok(may(ANONYMOUS, action, OPEN));
    for (const action of ['probe', 'read-source', 'read-state'] as const) assert.ok(may(ANONYMOUS, action, undefined));
    for (const action of ['probe', 'read-source'] as const) assert.ok(may(ANONYMOUS, action, HIDDEN));
    for (const action of ['post-changes', 'read-postings', 'administer', 'read-metrics'] as const) {
      assert.equal(may(ANONYMOUS, action, OPEN), false);
      assert.ok(may(ADMINISTRATOR, action, OPEN));
      assert.ok(may(ADMINISTRATOR, action, HIDDEN));
    }
    for (const action of READING) assert.ok(may(ADMINISTRATOR, action, HIDDEN));
  });

  it('to a private set is for those whose token may read it', () => {
    for (const action of READING) {
      assert.equal(may(ANONYMOUS, action, HIDDEN), false);
      for (const scope of ['read:open', 'post:hidden', 'post:*', 'metrics'] as const) {
        assert.equal(may(bearer(scope), action, HIDDEN), false, scope);
      }
      for (const scope of ['read:hidden', 'read:*', 'administer'] as const) {
        assert.ok(may(bearer(scope), action, HIDDEN), scope);
      }
      assert.ok(may(bearer('post:open', 'read:hidden'), action, HIDDEN));
    }
  });

  it('by a token is no more than its scopes say', () => {
    const allowed = (scope: Scope) =>
      (['post-changes', 'read-postings', 'administer', 'read-metrics'] as const).filter((action) =>
        may(bearer(scope), action, HIDDEN),
      );
    assert.deepEqual(allowed('read:hidden'), []);
    assert.deepEqual(allowed('post:hidden'), ['post-changes', 'read-postings']);
    assert.deepEqual(allowed('post:*'), ['post-changes', 'read-postings']);
    assert.deepEqual(allowed('post:open'), []);
    assert.deepEqual(allowed('metrics'), ['read-metrics']);
    assert.deepEqual(allowed('administer'), ['post-changes', 'read-postings', 'administer', 'read-metrics']);
    assert.equal(may(bearer('post:hidden'), 'post-changes', undefined), false);
  });

  it('is open on this machine, and needs a token or nothing but reading elsewhere', () => {
    const mode = (host: string, settings: object = {}, validTokens = 0) =>
      accessPolicy({ token: undefined, publicReadOnly: false, baseUrl: BASE_URL, ...settings }, host, validTokens).mode;
    for (const host of ['127.0.0.1', '127.0.0.2', '::1', 'localhost']) assert.equal(mode(host), 'local');
    for (const host of ['0.0.0.0', '::', '192.168.1.4', 'data.example.org', '127.0.0.1.example.org']) {
      assert.throws(
        () => mode(host),
        (error) => isTidemarkError(error, 'invalid') && error.details.field === 'host',
      );
      assert.equal(mode(host, { token: TOKEN }), 'token');
      assert.equal(mode(host, {}, 1), 'token');
      assert.equal(mode(host, { publicReadOnly: true }), 'read-only');
      assert.equal(mode(host, { publicReadOnly: true }, 1), 'read-only');
    }
    assert.equal(mode('127.0.0.1', { publicReadOnly: true }), 'read-only');
    assert.equal(mode('127.0.0.1', {}, 1), 'local');
  });

  it('is not for pages of another origin', () => {
    const refused = (headers: SenderHeaders) => {
      try {
        refuseForeignPage(headers, BASE_URL);
        return false;
      } catch (error) {
        return isTidemarkError(error, 'forbidden');
      }
    };
    const host = 'localhost:8080';
    assert.equal(refused({ host }), false);
    assert.equal(refused({ host, origin: 'http://localhost:8080' }), false);
    assert.equal(refused({ host, origin: BASE_URL, 'sec-fetch-site': 'same-origin' }), false);
    assert.equal(refused({ host, 'sec-fetch-site': 'none' }), false);
    assert.equal(refused({ host, 'sec-fetch-site': 'same-origin' }), false);
    assert.equal(refused({ host: 'LOCALHOST:8080', origin: 'http://localhost:8080' }), false);
    assert.ok(refused({ origin: 'http://localhost:8080' }), 'no host');
    for (const origin of ['http://localhost:9090', 'https://evil.example.org', 'null', `${BASE_URL}.evil`]) {
      assert.ok(refused({ host, origin }), origin);
    }
    const same = { 'sec-fetch-site': 'same-origin' } as const;
    assert.equal(refused({ host: 'LOCALHOST:8080', origin: 'https://localhost:8080', ...same }), false);
    assert.ok(refused({ host, origin: 'https://evil.example.org', ...same }));
    assert.ok(refused({ host, origin: 'null', ...same }));
    assert.ok(refused({ host, origin: 'http://localhost:8080', 'sec-fetch-site': 'cross-site' }));
    assert.ok(
      refused({ host, origin: 'https://localhost:8080' }),
      'not the scheme by which a server is reached itself',
    );
    for (const own of ['data.example.org', 'DATA.example.org']) {
      assert.ok(refused({ host: own, origin: 'http://data.example.org' }), 'not the scheme of the base URL');
    }
    for (const site of ['cross-site', 'same-site']) assert.ok(refused({ host, 'sec-fetch-site': site }), site);
  });
});

describe('The sender of a request', () => {
  const LOCAL: AccessPolicy = { mode: 'local', publicHost: 'data.example.org' };
  let folder: string;
  let stores: Stores;
  let tokens: TokenRegistry;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tidemark-'));
  });

  beforeEach(async () => {
    stores = await openStores({ kind: 'sqlite', file: join(await mkdtemp(join(folder, 's')), 'tidemark.db') });
    tokens = new TokenRegistry(stores.catalog);
  });

  afterEach(() => stores.close());
  after(() => rm(folder, { recursive: true }));

  const senderTo = (policy: AccessPolicy) => (headers: SenderHeaders) => identify(headers, { policy, tokens });
  const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;

  it('is one with the token of the environment, as Bearer or as a password', async () => {
    const sender = senderTo({ mode: 'token', token: TOKEN });
    for (const authorization of [
      'Bearer open-sesame',
      'bearer  open-sesame ',
      basic('anybody:open-sesame'),
      basic(':open-sesame'),
    ]) {
      assert.equal(await sender({ authorization }), ADMINISTRATOR, authorization);
    }
    for (const authorization of [
      'Bearer open-sesam',
      'Bearer open-sesame2',
      'Bearer',
      'Bearer open sesame',
      basic('open-sesame'),
      basic('open-sesame:'),
      basic('a:b:open-sesame'),
      'Basic %%%',
      'Digest username="open-sesame"',
      'open-sesame',
    ]) {
      assert.equal((await sender({ authorization })).kind, 'unidentified', authorization);
    }
    const unknown = await sender({ authorization: 'Digest x' });
    assert.match(unknown.kind === 'unidentified' ? unknown.reason : '', /^send "Authorization: Bearer TOKEN"/);
    assert.equal(await sender({}), ANONYMOUS);
    assert.equal(await sender({ authorization: '' }), ANONYMOUS);
  });

  it('is one with a token of the store, until it expires or is revoked', async () => {
    const { token, record } = await tokens.create({ name: 'harvester', scopes: ['post:open', 'metrics'] });
    for (const policy of [{ mode: 'token', token: TOKEN }, { mode: 'token', token: undefined }, LOCAL] as const) {
      const sender = senderTo(policy);
      assert.deepEqual(await sender({ host: 'localhost', authorization: `Bearer ${token}` }), {
        kind: 'token',
        id: record.id,
        name: 'harvester',
        scopes: ['post:open', 'metrics'],
        limits: {},
      });
      const other = `${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`;
      assert.deepEqual(await sender({ host: 'localhost', authorization: `Bearer ${other}` }), {
        kind: 'unidentified',
        reason: 'the token is not valid',
      });
    }
    await tokens.revoke(record.id);
    const expired = await tokens.create({ name: 'late', scopes: ['post:open'], expires: Date.now() - 1 });
    const reasonOf = async (shown: string) => {
      const sender = await senderTo({ mode: 'token', token: TOKEN })({ authorization: `Bearer ${shown}` });
      return sender.kind === 'unidentified' && sender.reason;
    };
    assert.equal(await reasonOf(token), 'the token was revoked');
    assert.equal(await reasonOf(expired.token), 'the token has expired');
  });

  it('of a local server is its administrator, under names of this machine, until a token is made', async () => {
    const sender = senderTo(LOCAL);
    for (const host of ['127.0.0.1:8080', 'localhost', 'LOCALHOST:1', '[::1]:8080']) {
      assert.equal(await sender({ host }), LOCAL_ADMINISTRATOR);
      assert.equal(await sender({ host, authorization: 'Bearer any' }), LOCAL_ADMINISTRATOR);
    }
    for (const host of ['evil.example.org', '127.0.0.1.evil.example.org', 'localhost.evil', '', undefined]) {
      await assert.rejects(sender({ host }), { code: 'forbidden' }, `${host}`);
    }
    await assert.rejects(sender({ host: 'evil.example.org' }), /this server is not evil\.example\.org:/);
    await assert.rejects(sender({}), /this server is not for requests without Host:/);
    const { record, token } = await tokens.create({ name: 'first', scopes: ['administer'] });
    assert.equal(await sender({ host: 'localhost' }), ANONYMOUS);
    assert.equal((await sender({ host: 'localhost', authorization: 'Bearer any' })).kind, 'unidentified');
    await assert.rejects(sender({ host: 'evil.example.org', authorization: `Bearer ${token}` }), { code: 'forbidden' });
    await tokens.revoke(record.id);
    assert.equal(await sender({ host: 'localhost' }), ANONYMOUS);
  });

  it('of a local server is unknown when the request came from outside', async () => {
    const sender = senderTo(LOCAL);
    assert.equal(await sender({ host: 'data.example.org' }), ANONYMOUS);
    assert.equal(await sender({ host: '127.0.0.1', 'x-forwarded-for': '203.0.113.7' }), ANONYMOUS);
    assert.equal(await sender({ host: 'localhost', forwarded: 'for=203.0.113.7' }), ANONYMOUS);
  });

  it('of a server that only lets read keeps nothing but what is reading', async () => {
    const sender = senderTo({ mode: 'read-only' });
    assert.equal(await sender({ authorization: 'Bearer open-sesame' }), ANONYMOUS);
    const { token } = await tokens.create({ name: 'all', scopes: ['post:*', 'read:a', 'metrics', 'administer'] });
    const found = await sender({ authorization: `Bearer ${token}` });
    assert.deepEqual(found.kind === 'token' && found.scopes, ['read:a', 'metrics', 'read:*', 'metrics']);
    const { token: managing } = await tokens.create({ name: 'library', scopes: ['upload:lane', 'manage:sul'] });
    const library = await sender({ authorization: `Bearer ${managing}` });
    assert.deepEqual(library.kind === 'token' && library.scopes, ['download:lane', 'download:sul']);
  });

  it('is one who may only read metrics, if it could when the tokens were last read', async () => {
    const reader = (headers: SenderHeaders) => identifyMetricsReader(headers, { policy: LOCAL, tokens });
    const here = { host: 'localhost' };
    await assert.rejects(reader(here), { code: 'unavailable' });
    await tokens.areKept();
    const local = await reader(here);
    for (const action of ['read-metrics', 'administer', 'post-changes', 'read-state'] as const) {
      assert.equal(may(local!, action, HIDDEN), action === 'read-metrics');
    }
    assert.equal(await reader({ host: 'data.example.org' }), undefined);
    const { token, record } = await tokens.create({ name: 'all', scopes: ['administer'] });
    const { id, name, limits } = record;
    const authorization = `Bearer ${token}`;
    assert.deepEqual(await reader({ ...here, authorization }), {
      kind: 'token',
      id,
      name,
      scopes: ['metrics'],
      limits,
    });
    const { token: posting } = await tokens.create({ name: 'posting', scopes: ['post:*', 'read:*'] });
    for (const headers of [here, { ...here, authorization: `Bearer ${posting}` }]) {
      assert.equal(await reader(headers), undefined);
    }
    await tokens.revoke(id);
    assert.equal(await reader({ ...here, authorization }), undefined);
  });
});
