import assert from 'node:assert/strict';
import { NamedHosts } from '../../../src/client/read/named-hosts.ts';

describe('Hosts that the user names', () => {
  const hosts = new NamedHosts('http://source.example/', [
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

  it('get the credentials of the source at its own port, and by https where the source has none', () => {
    const cases: readonly (readonly [source: string, own: readonly string[], others: readonly string[]])[] = [
      [
        'http://source.example/a',
        ['http://source.example/b', 'https://source.example/'],
        ['http://source.example:8080/', 'https://source.example:8443/', 'http://other.source.example/'],
      ],
      [
        'https://source.example/a',
        ['https://source.example/b', 'https://source.example:443/'],
        ['http://source.example/', 'http://source.example:443/', 'https://source.example:8443/'],
      ],
      [
        'http://source.example:8080/',
        ['http://source.example:8080/b', 'https://source.example/'],
        ['http://source.example/', 'https://source.example:8080/'],
      ],
    ];
    for (const [source, own, others] of cases) {
      const isSource = (url: string) => new NamedHosts(source, ['other.source.example']).isSource(new URL(url));
      for (const url of own) assert.ok(isSource(url), `${url} of ${source}`);
      for (const url of others) assert.ok(!isSource(url), `${url} of ${source}`);
    }
  });

  it('include no other port than the one that they are named with', () => {
    assert.ok(!named('http://files.example/a'));
    assert.ok(!named('https://other.example/a'));
  });
});
