import assert from 'node:assert/strict';
import { PlatformTokens } from '../../../../src/datasets/fetch/platform-tokens.ts';
import { useTempFolder } from '../../../support/temp-folder.ts';

describe('PlatformTokens', () => {
  const folder = useTempFolder();

  async function headersFor(url: string, { networks = ['127.0.0.1'], isFromElsewhere = false } = {}) {
    folder.write('token', 'secret-1\n');
    const hosts = ['datadryad.example', '127.0.0.1:8080', 'localhost:8080', '10.0.0.1'];
    const files = hosts.map((host) => ({ host, file: folder.at('token') }));
    const tokens = new PlatformTokens(files, networks);
    await tokens.prepare(new URL(url));
    return tokens.headersFor(new URL(url), isFromElsewhere);
  }
  const SENT = { authorization: 'Bearer secret-1' };

  it('sends a token to its own host and port alone, encrypted, and after no redirect of another host', async () => {
    assert.deepEqual(await headersFor('https://datadryad.example/api'), SENT);
    assert.deepEqual(await headersFor('https://DATADRYAD.example:443/api'), SENT);
    for (const url of [
      'http://datadryad.example/api',
      'http://datadryad.example:443/api',
      'https://datadryad.example:8443/api',
      'https://www.datadryad.example/api',
      'https://datadryad.example.evil.example/api',
    ]) {
      assert.deepEqual(await headersFor(url), {}, url);
    }
    assert.deepEqual(await headersFor('https://datadryad.example/api', { isFromElsewhere: true }), {});
  });

  it('sends a token without encryption only in a private network that is allowed', async () => {
    for (const url of ['http://127.0.0.1:8080/', 'http://localhost:8080/']) {
      assert.deepEqual(await headersFor(url), SENT, url);
      assert.deepEqual(await headersFor(url, { networks: [] }), {}, url);
    }
    assert.deepEqual(await headersFor('http://10.0.0.1/'), {});
    assert.deepEqual(await headersFor('http://10.0.0.1/', { networks: ['10.0.0.0/8'] }), SENT);
  });

  it('reads the file each time, and names it when it cannot be read', async () => {
    const tokens = new PlatformTokens([{ host: 'a.example', file: folder.at('token') }], []);
    const url = new URL('https://a.example/');
    await assert.rejects(tokens.prepare(url), {
      code: 'invalid',
      message: /--platform-token of a\.example .*token cannot be read: it does not exist/,
    });
    for (const token of ['one', 'two']) {
      folder.write('token', token);
      await tokens.prepare(url);
      assert.deepEqual(tokens.headersFor(url, false), { authorization: `Bearer ${token}` });
    }
    folder.write('token', 'two words');
    await assert.rejects(
      tokens.prepare(url),
      (error: Error) => /has more in it/.test(error.message) && !/words/.test(error.message),
    );
  });
});
