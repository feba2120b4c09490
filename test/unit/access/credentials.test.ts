import assert from 'node:assert/strict';
import { readCredentials } from '../../../src/access/credentials.ts';
import { isLoopback } from '../../../src/access/loopback.ts';

describe('The credentials of a request', () => {
  const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;

  it('are a token of one word, as Bearer or as the password of Basic', () => {
    for (const shown of [
      'Bearer a~!',
      'BEARER  a~! ',
      ' bearer a~!',
      'Bearer\ta~!',
      basic('user:a~!'),
      basic(':a~!'),
    ]) {
      assert.deepEqual(readCredentials(shown), { kind: 'token', token: 'a~!' }, shown);
    }
    assert.deepEqual(readCredentials(basic('user:a:b')), { kind: 'token', token: 'a:b' });
  });

  it('are unknown when they are anything else', () => {
    for (const shown of [
      'Bearer',
      'Bearer a b',
      'Bearer é',
      'Bearer aé',
      'Bearer éa',
      basic('user'),
      basic('user:'),
      'a',
    ]) {
      assert.deepEqual(readCredentials(shown), { kind: 'unknown' }, shown);
    }
  });

  it('are none without the header', () => {
    for (const shown of [undefined, '', ' ']) assert.deepEqual(readCredentials(shown), { kind: 'none' });
  });
});

describe('The names of this machine', () => {
  it('are localhost and the addresses of the loopback interface', () => {
    for (const host of ['localhost', 'LocalHost', '127.0.0.1', '127.10.200.3', '::1', '[::1]']) {
      assert.ok(isLoopback(host), host);
    }
  });

  it('are not names that are like them', () => {
    for (const host of [
      '',
      '127.0.0',
      '127.0.0.1.2',
      '1127.0.0.1',
      '127.0.0.1.org',
      '128.0.0.1',
      '::2',
      'x[::1',
      '::1]x',
      'localhost.org',
    ]) {
      assert.equal(isLoopback(host), false, host);
    }
  });
});
