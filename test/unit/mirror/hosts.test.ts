import assert from 'node:assert/strict';
import { Hosts } from '../../../src/client/mirror/requests/hosts.ts';

describe('Hosts that the user names', () => {
  const hosts = new Hosts('http://source.example/', [
    '::1',
    'bücher.example',
    'Files.example:443',
    'other.example:8080',
  ]);
  const named = (url: string) => hosts.isNamed(new URL(url));

  it('are the same in each spelling', () => {
    for (const url of [
      'http://source.example/a',
      'http://[0:0::1]/a',
      'https://xn--bcher-kva.example:8443/a',
      'https://files.example/a',
      'http://other.example:8080/a',
    ]) {
      assert.ok(named(url), url);
    }
  });

  it('include no other port than the one that they are named with', () => {
    assert.ok(!named('http://files.example/a'));
    assert.ok(!named('https://other.example/a'));
  });
});
