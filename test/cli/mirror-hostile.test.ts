import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { gzipSync } from 'node:zlib';
import { copyIn, LIST, MirroredSource } from '../support/mirrored-source.ts';
import { runTidemark } from '../support/run-tidemark.ts';
import { documentOf, ServedSource } from '../support/served-source.ts';
import { useTempFolder } from '../support/temp-folder.ts';

const AT = '2026-01-01T00:00:00Z';
const MD = `<rs:md capability="resourcelist" at="${AT}"/>`;

describe('a mirror of a hostile source', () => {
  const place = useTempFolder();
  let source: MirroredSource;

  beforeEach(async () => {
    source = await MirroredSource.start();
    source.put({ 'a.txt': 'one', 'b.txt': 'two' }).list(AT);
  });

  afterEach(() => source.close());

  const mirror = (...words: readonly string[]) =>
    runTidemark(['mirror', source.url, 'copy', ...words], { cwd: place.path });
  const copy = () => copyIn(place.at('copy'));

  it('writes nothing outside of the folder, whatever resources are named', async () => {
    const names = [
      '../../up.txt',
      '..%2f..%2fup.txt',
      '/etc/x',
      '%2e%2e/y',
      'CON',
      '.tidemark-mirror.db',
      'c:%5Cz',
      '%00',
    ];
    const { baseUrl } = source.served;
    for (const name of names) source.served.answers.set(new URL(`/files/${name}`, baseUrl).pathname, 'text');
    const entries = names.map((name) => `<url><loc>${baseUrl}/files/${name}</loc></url>`);
    source.served.document(LIST, `${MD}${entries.join('')}`);
    const { stdout } = await mirror();
    assert.match(stdout, /8 fetched/);
    assert.deepEqual(readdirSync(place.path), ['copy']);
    assert.equal(Object.keys(copy()).length, 8);
    assert.ok(Object.keys(copy()).every((path) => !/(^|\/)\.\.(\/|$)|^CON$/.test(path)));
    assert.match(readFileSync(place.at('copy/.tidemark-mirror.db'), 'latin1'), /^SQLite format 3/);
  });

  it('ends in an index that leads to itself, and deletes nothing', async () => {
    await mirror();
    const { baseUrl } = source.served;
    for (const page of [LIST, '/other.xml']) {
      const index = documentOf(`${MD}<sitemap><loc>${baseUrl}${page}</loc></sitemap>`, 'sitemapindex');
      source.served.answers.set(LIST, index);
      source.served.answers.set('/other.xml', index);
      const { stderr, exitCode } = await mirror();
      assert.equal(exitCode, 3);
      assert.match(stderr, /it is an index/);
    }
    assert.deepEqual(copy(), { 'a.txt': 'one', 'b.txt': 'two' });
  });

  it('ends in a document that takes too much memory, and deletes nothing', async () => {
    await mirror();
    for (const [content, problem] of [
      [`<url><loc>${'x'.repeat(2_000_000)}</loc></url>`, /more than/],
      ['<a>'.repeat(1_000), /nested/],
      ['<!-- '.padEnd(3_000_000), /million characters/],
    ] as const) {
      source.served.answers.set(LIST, gzipSync(documentOf(MD + content)));
      const { stderr, exitCode } = await mirror();
      assert.equal(exitCode, 3);
      assert.match(stderr, problem);
    }
    assert.deepEqual(copy(), { 'a.txt': 'one', 'b.txt': 'two' });
  });

  it('stops reading a resource that has more bytes than its list says', async () => {
    let sent = 0;
    source.served.answers.set('/files/a.txt', (_, response) => {
      response.writeHead(200);
      const send = () => {
        while (!response.destroyed && response.write('x'.repeat(10_000))) sent += 10_000;
      };
      response.on('drain', send);
      send();
    });
    const { stdout, exitCode } = await mirror();
    assert.equal(exitCode, 1);
    assert.match(stdout, /a\.txt: it has more bytes than the 3 of the list/);
    assert.ok(sent < 50_000_000);
    assert.deepEqual(copy(), { 'b.txt': 'two' });
  });

  it('takes no packed bytes for those of a resource', async () => {
    source.served.answers.set('/files/a.txt', (_, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('one')),
    );
    assert.match((await mirror()).stdout, /a\.txt: it comes with the Content-Encoding gzip/);
  });

  it('follows redirects to another host only where that is allowed, and takes no credentials there', async () => {
    const other = await ServedSource.start();
    const seen: IncomingMessage[] = [];
    other.answers.set('/a.txt', (request, response) => {
      seen.push(request);
      response.end('one');
    });
    const location = `${other.baseUrl.replace('127.0.0.1', 'localhost')}/a.txt`;
    source.served.answers.set('/files/a.txt', (_, response) => response.writeHead(302, { location }).end());
    place.write('token', 'SECRET\n');
    try {
      const refused = await mirror('--token-file', 'token');
      assert.equal(refused.exitCode, 1);
      assert.match(
        refused.stdout,
        /redirected to the host localhost:\d+: to follow it there, use --allow-host localhost:/,
      );
      assert.equal(seen.length, 0);
      const { stdout, exitCode } = await mirror('--token-file', 'token', '--allow-host', 'localhost');
      assert.equal(exitCode, 0, stdout);
      assert.deepEqual(copy(), { 'a.txt': 'one', 'b.txt': 'two' });
      assert.equal(seen[0]!.headers.authorization, undefined);
    } finally {
      await other.close();
    }
  });

  it('requests no host in a private network that only a list names', async () => {
    const other = await ServedSource.start();
    other.answers.set('/secret.txt', 'secret');
    const uri = `${other.baseUrl.replace('127.0.0.1', '127.0.0.2')}/secret.txt`;
    source.served.document(LIST, `${MD}<url><loc>${uri}</loc></url><url><loc>file:///etc/passwd</loc></url>`);
    try {
      const { stdout, exitCode } = await mirror();
      assert.equal(exitCode, 1);
      assert.match(stdout, /secret\.txt: .*private network.*: to read it all the same, use --allow-host 127\.0\.0\.2:/);
      assert.match(stdout, /passwd: it has the scheme file:/);
      assert.deepEqual(other.requests, []);
    } finally {
      await other.close();
    }
  });
});

describe('requests of a mirror', () => {
  const place = useTempFolder();
  let source: MirroredSource;
  let headers: IncomingMessage['headers'][];

  beforeEach(async () => {
    source = await MirroredSource.start();
    source.put({ 'a.txt': 'one', 'b.txt': 'two', 'c.txt': 'three' }).list(AT);
    headers = [];
    source.served.answers.set('/files/a.txt', (request, response) => {
      headers.push(request.headers);
      response.end('one');
    });
  });

  afterEach(() => source.close());

  const mirror = (url: string, ...words: readonly string[]) =>
    runTidemark(['mirror', url, 'copy', ...words], { cwd: place.path });

  it('have the token, the login of the URL or that of netrc, and none of them is stored', async () => {
    place.write('token', 'SECRET-TOKEN\n');
    place.write(
      'netrc',
      'machine example.org login no password no\nmachine 127.0.0.1\n login me password SECRET-WORD\n',
    );
    place.write('netrc-without-user', 'machine 127.0.0.1 password SECRET-WORD\n');
    const withLogin = (login: string) => source.url.replace('//', `//${login}@`);
    const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;
    for (const [url, words, expected] of [
      [source.url, ['--token-file', 'token'], 'Bearer SECRET-TOKEN'],
      [source.url, ['--netrc', 'netrc'], basic('me:SECRET-WORD')],
      [source.url, ['--netrc', 'netrc-without-user'], basic(':SECRET-WORD')],
      [withLogin('me:SECRET%20URL'), [], basic('me:SECRET URL')],
      [withLogin(':SECRET'), [], basic(':SECRET')],
      [withLogin('100%:SECRET'), [], basic('100%:SECRET')],
    ] as const) {
      const { stdout, stderr, exitCode } = await mirror(url, ...words);
      assert.equal(exitCode, 0, stderr);
      assert.equal(headers.pop()?.authorization, expected);
      assert.doesNotMatch(stdout + stderr, /SECRET/);
      for (const name of readdirSync(place.at('copy')).filter((name) => name.startsWith('.tidemark-mirror.db'))) {
        assert.doesNotMatch(readFileSync(place.at(`copy/${name}`), 'latin1'), /SECRET/);
      }
      place.remove('copy');
    }
    const { stderr, exitCode } = await mirror(source.url, '--token-file', 'nothing');
    assert.equal(exitCode, 2);
    assert.match(stderr, /nothing cannot be read: it does not exist/);
  });

  it('have no token of a server of the user, and a source that asks for one says which option is for it', async () => {
    const { served } = source;
    const { exitCode } = await runTidemark(['mirror', source.url, 'copy'], {
      cwd: place.path,
      env: { TIDEMARK_TOKEN: 'SECRET-TOKEN' },
    });
    assert.equal(exitCode, 0);
    assert.equal(headers.pop()?.authorization, undefined);
    for (const path of ['/', '/.well-known/resourcesync', '/set.xml', LIST]) {
      served.answers.set(path, (_, response) => response.writeHead(401).end());
    }
    for (const folder of ['copy', 'another-copy']) {
      const { exitCode, stderr } = await runTidemark(['mirror', source.url, folder], { cwd: place.path });
      assert.notEqual(exitCode, 0);
      assert.match(stderr, /answers 401: it needs credentials \(--token-file or --netrc; /);
    }
  });

  it('lead to no set where all are private, and the option for credentials is named', async () => {
    source.served.document('/.well-known/resourcesync', '<rs:md capability="description"/>');
    const { exitCode, stderr } = await mirror(source.url);
    assert.equal(exitCode, 2);
    assert.match(stderr, /resourcesync names no set: a private one needs credentials \(--token-file/);
  });

  it('name an address for the owner of the source', async () => {
    await mirror(source.url, '--from-contact', 'me@example.org');
    assert.match(String(headers[0]?.['user-agent']), /^tidemark\/\S+ \(me@example\.org\)$/);
  });

  it('wait as long as the server says, and try again', async () => {
    const times: number[] = [];
    source.served.answers.set('/files/b.txt', (_, response) => {
      times.push(Date.now());
      if (times.length === 1) response.writeHead(503, { 'retry-after': '1' }).end();
      else response.end('two');
    });
    const { exitCode, stderr } = await mirror(source.url);
    assert.equal(exitCode, 0);
    assert.match(stderr, /^127\.0\.0\.1:\d+: the server answers 503: asking again in 1 second$/m);
    assert.ok(times[1]! - times[0]! >= 950, String(times));
  });

  it('end when there were too many, for longer than a call waits', async () => {
    const { served } = source;
    let requests = 0;
    for (let number = 0; number < 50; number++) source.put({ [`n${number}.txt`]: 'text' });
    source.list(AT);
    for (let number = 0; number < 50; number++) {
      served.answers.set(`/files/n${number}.txt`, (_, response) => {
        requests++;
        response.writeHead(429, { 'retry-after': '3600' }).end();
      });
    }
    const { exitCode, stdout } = await mirror(source.url, '--connections', '2');
    assert.equal(exitCode, 1);
    assert.match(stdout, /the server asks for no request before/);
    assert.ok(requests <= 2, String(requests));
  });

  it('are no more in a second than are allowed, and no more at a time', async () => {
    let underWay = 0;
    let most = 0;
    const times: number[] = [];
    for (let number = 0; number < 8; number++) source.put({ [`n${number}.txt`]: 'text' });
    source.list(AT);
    for (let number = 0; number < 8; number++) {
      source.served.answers.set(`/files/n${number}.txt`, (_, response) => {
        times.push(Date.now());
        most = Math.max(most, ++underWay);
        setTimeout(() => {
          underWay -= 1;
          response.end('text');
        }, 100);
      });
    }
    assert.equal((await mirror(source.url, '--connections', '2', '--rate', '20')).exitCode, 0);
    assert.equal(most, 2);
    assert.ok(times.at(-1)! - times[0]! >= 300, String(times));
  });
});
