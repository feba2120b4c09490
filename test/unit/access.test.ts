import assert from 'node:assert/strict';
import { type AccessPolicy, accessPolicy } from '../../src/access/access-policy.ts';
import { identify, refuseForeignPage, type SenderHeaders } from '../../src/access/identify.ts';
import { type Action, may } from '../../src/access/may.ts';
import { ADMINISTRATOR, ANONYMOUS } from '../../src/access/principal.ts';
import { Secret } from '../../src/config/configuration.ts';
import { isTidemarkError } from '../../src/domain/errors.ts';

const TOKEN = new Secret('open-sesame');
const BASE_URL = 'https://data.example.org';

describe('Access', () => {
  it('lets everybody read, and administrators post', () => {
    const reading: readonly Action[] = ['probe', 'read-source', 'read-documents', 'read-resource', 'read-state'];
    for (const action of reading) assert.ok(may(ANONYMOUS, action, undefined));
    for (const action of ['post-changes', 'administer'] as const) {
      assert.equal(may(ANONYMOUS, action, undefined), false);
      assert.ok(may(ADMINISTRATOR, action, undefined));
    }
  });

  it('is open on this machine, and needs a token or nothing but reading elsewhere', () => {
    const mode = (host: string, settings: object = {}) =>
      accessPolicy({ token: undefined, publicReadOnly: false, baseUrl: BASE_URL, ...settings }, host).mode;
    for (const host of ['127.0.0.1', '127.0.0.2', '::1', 'localhost']) assert.equal(mode(host), 'local');
    for (const host of ['0.0.0.0', '::', '192.168.1.4', 'data.example.org', '127.0.0.1.example.org']) {
      assert.throws(
        () => mode(host),
        (error) => isTidemarkError(error, 'invalid') && error.details.field === 'host',
      );
      assert.equal(mode(host, { token: TOKEN }), 'token');
      assert.equal(mode(host, { publicReadOnly: true }), 'read-only');
    }
    assert.equal(mode('127.0.0.1', { publicReadOnly: true }), 'read-only');
  });

  it('knows the bearer of the token', () => {
    const policy: AccessPolicy = { mode: 'token', token: TOKEN };
    const sender = (authorization?: string) => identify({ authorization }, policy);
    assert.equal(sender('Bearer open-sesame'), ADMINISTRATOR);
    assert.equal(sender('bearer open-sesame'), ADMINISTRATOR);
    assert.equal(sender('Bearer open-sesam'), undefined);
    assert.equal(sender('Bearer open-sesame2'), undefined);
    assert.equal(sender('Basic b3Blbg=='), ANONYMOUS);
    assert.equal(sender(), ANONYMOUS);
    assert.equal(identify({ authorization: 'Bearer open-sesame' }, { mode: 'read-only' }), ANONYMOUS);
  });

  it('of a local server is for names of this machine', () => {
    const sender = (headers: SenderHeaders) => identify(headers, { mode: 'local', publicHost: 'data.example.org' });
    for (const host of ['127.0.0.1:8080', 'localhost', 'LOCALHOST:1', '[::1]:8080']) {
      assert.equal(sender({ host }), ADMINISTRATOR);
    }
    for (const host of ['evil.example.org', '127.0.0.1.evil.example.org', 'localhost.evil', '', undefined]) {
      assert.throws(
        () => sender({ host }),
        (error) => isTidemarkError(error, 'forbidden'),
        `${host}`,
      );
    }
  });

  it('of a local server is no more than reading for what came from outside', () => {
    const sender = (headers: SenderHeaders) => identify(headers, { mode: 'local', publicHost: 'data.example.org' });
    assert.equal(sender({ host: 'data.example.org' }), ANONYMOUS);
    assert.equal(sender({ host: '127.0.0.1', 'x-forwarded-for': '203.0.113.7' }), ANONYMOUS);
    assert.equal(sender({ host: 'localhost', forwarded: 'for=203.0.113.7' }), ANONYMOUS);
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
    assert.equal(refused({ host, origin: BASE_URL }), false);
    for (const origin of ['http://localhost:9090', 'https://evil.example.org', 'null', `${BASE_URL}.evil`]) {
      assert.ok(refused({ host, origin }), origin);
    }
  });
});
