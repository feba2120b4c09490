import assert from 'node:assert/strict';
import { hash, randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { ArtifactStore } from '../../../../src/artifacts/artifact-store.ts';
import { openArtifacts } from '../../../../src/artifacts/open-artifacts.ts';
import { TidemarkError } from '../../../../src/core/errors.ts';
import { type FetchOptions, fetchUpload } from '../../../../src/records/arrivals/fetch-url.ts';
import { type FileServer, startFileServer, startRawServer } from '../../../support/file-server.ts';
import { useTempFolder } from '../../../support/temp-folder.ts';

describe('fetching the file of an upload', () => {
  const folder = useTempFolder();
  let artifacts: ArtifactStore;
  const servers: FileServer[] = [];

  beforeEach(() => {
    artifacts = openArtifacts({ kind: 'folder', folder: folder.at('artifacts') });
  });
  afterEach(async () => {
    await artifacts.close();
    for (const server of servers.splice(0)) await server.close();
  });

  const serve = async (listener: RequestListener): Promise<FileServer> => {
    const server = await startFileServer(listener);
    servers.push(server);
    return server;
  };
  const serveRaw = async (text: string, isEnded = true): Promise<FileServer> => {
    const server = await startRawServer((socket) => (isEnded ? socket.end(text) : socket.write(text)));
    servers.push(server);
    return server;
  };
  const fetched = (url: string, options: Partial<FetchOptions> = {}) => {
    const { signal } = new AbortController();
    return fetchUpload({ organization: 'lane', url }, { artifacts, networks: ['127.0.0.1'], signal, ...options });
  };
  const storedNames = (): readonly string[] => {
    const entries = readdirSync(folder.path, { recursive: true, withFileTypes: true });
    return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
  };
  const fails = async (work: Promise<unknown>, code: string, message: RegExp): Promise<void> => {
    const error = await work.then(
      () => assert.fail('it was fetched'),
      (reason: unknown) => reason,
    );
    assert.ok(error instanceof TidemarkError, String(error));
    assert.match(error.message, message);
    assert.equal(error.code, code);
    assert.deepEqual(storedNames(), []);
  };

  it('stores it as it comes, with the name that the server gives', async () => {
    const bytes = randomBytes(3_000_000);
    const steps: [number, number | undefined][] = [];
    const { url } = await serve((_request, response) => {
      response.writeHead(200, {
        'Content-Length': bytes.length,
        'Content-Disposition': `attachment; filename="plain.mrc"; filename*=UTF-8''n%C3%A4chtlich.mrc`,
      });
      response.end(bytes);
    });
    const [file, ...others] = await fetched(`${url}/get?id=7`, { onProgress: (...step) => void steps.push(step) });
    assert.deepEqual(others, []);
    assert.equal(file!.name, 'nächtlich.mrc');
    assert.equal(file!.sha256, hash('sha256', bytes));
    assert.match(file!.artifact, /^_uploads\/lane\/\d{8}\/[0-9a-f]{32}$/);
    assert.ok((await buffer((await artifacts.get(file!.artifact)).body)).equals(bytes));
    assert.deepEqual(steps.at(-1), [bytes.length, bytes.length]);
  });

  it('takes the name of the path where the server gives none that can be one', async () => {
    const dispositions = ['attachment; filename=".."', 'attachment; filename="a/b\\\\c.mrc"', 'no; such=(', 'inline'];
    const { url } = await serve((request, response) => {
      const at = Number(new URL(request.url!, 'http://localhost').searchParams.get('at'));
      const disposition = dispositions[at];
      response.writeHead(200, disposition === undefined ? {} : { 'Content-Disposition': disposition }).end('a');
    });
    const nameAt = async (path: string) => (await fetched(`${url}${path}`))[0]!.name;
    assert.equal(await nameAt('/files/new%20%C3%A4.mrc?at=0'), 'new ä.mrc');
    assert.equal(await nameAt('/files/new.mrc?at=1'), 'c.mrc');
    assert.equal(await nameAt('/files/new.mrc?at=2'), 'new.mrc');
    assert.equal(await nameAt('/files/..%2F..%2Fetc%2Fpasswd?at=3'), 'passwd');
    assert.equal(await nameAt('/?at=9'), 'upload');
    assert.equal(await nameAt('/%ff%0a.mrc?at=9'), '%ff%0a.mrc');
    assert.equal((await nameAt(`/${'n'.repeat(300)}`)).length, 255);
  });

  it('follows five redirects, and no more', async () => {
    const { url, requests } = await serve((request, response) => {
      const left = Number(request.url!.slice(1));
      if (left > 0) response.writeHead(302, { Location: `/${left - 1}` }).end();
      else response.end('there');
    });
    assert.equal((await fetched(`${url}/5`))[0]!.length, 5);
    assert.equal(requests.length, 6);
  });

  it('gives up after more redirects', async () => {
    const { url } = await serve((_request, response) => response.writeHead(302, { Location: '/again' }).end());
    await fails(
      fetched(url),
      'invalid',
      /redirected more than 5 times: upload the file by a URL that leads to it, or send/,
    );
  });

  it('never requests a private address, also by a name or a redirect', async () => {
    const inside = await serve((_request, response) => response.end('secret'));
    const outside = await serve((request, response) => {
      const to =
        request.url === '/scheme' ? 'file:///etc/passwd' : inside.url.replace('127.0.0.1', '[::ffff:127.0.0.2]');
      response.writeHead(302, {
        Location: request.url === '/name' ? inside.url.replace('127.0.0.1', 'localhost') : to,
      });
      response.end();
    });
    const forbidden = { networks: [] };
    await fails(
      fetched(inside.url, forbidden),
      'invalid',
      /private network.*: have its network allowed .* --upload-networks$/,
    );
    await fails(fetched(inside.url.replace('127.0.0.1', 'localhost'), forbidden), 'invalid', /private network/);
    await fails(fetched(inside.url.replace('127.0.0.1', '2130706433'), forbidden), 'invalid', /private network/);
    await fails(fetched('http://169.254.169.254/latest/meta-data', forbidden), 'invalid', /private network/);
    await fails(fetched('http://[::1]:8080/', forbidden), 'invalid', /private network/);
    await fails(fetched(`${outside.url}/`), 'invalid', /private network/);
    await fails(
      fetched(`${outside.url}/scheme`),
      'invalid',
      /was redirected to a URL with the scheme file:, which is neither http nor https: upload/,
    );
    assert.deepEqual(inside.requests, []);
  });

  it('refuses other schemes, passwords and what is not a URL', async () => {
    await fails(fetched('ftp://example.org/a.mrc'), 'invalid', /has the scheme ftp:/);
    await fails(fetched('file:///etc/passwd'), 'invalid', /has the scheme file:/);
    await fails(fetched('a.mrc'), 'invalid', /is not a URL/);
    const problem = fetched('https://ada:secret@example.org/a.mrc').catch((error: Error) => {
      assert.doesNotMatch(error.message, /secret/);
      throw error;
    });
    await fails(problem, 'invalid', /has a name or a password/);
  });

  it('says of each status whether it may pass, and shows nothing of the query', async () => {
    const { url } = await serve((request, response) => {
      response.writeHead(Number(request.url!.slice(1, 4))).end('no file');
    });
    for (const status of [204, 206, 304, 400, 401, 403, 404, 410]) {
      await fails(
        fetched(`${url}/${status}?signature=secret`),
        'invalid',
        new RegExp(`/${status} was not fetched: the server answered ${status}$`),
      );
    }
    for (const status of [408, 425, 429, 500, 502, 503, 504]) {
      await fails(fetched(`${url}/${status}`), 'unavailable', new RegExp(`the server answered ${status}$`));
    }
  });

  it('gives up on a file that takes too long, though bytes come all the time', async () => {
    const slow = await serve((_request, response) => {
      const timer = setInterval(() => response.write('x'), 20);
      response.on('close', () => clearInterval(timer));
    });
    await fails(fetched(slow.url, { longestMs: 200 }), 'unavailable', /0\.2 seconds/);
  });

  it('gives up on a server that hangs: before the answer, in it, and where none listens', async () => {
    const silent = await serveRaw('', false);
    await fails(fetched(silent.url, { idleMs: 200 }), 'unavailable', /sent nothing for 0.2 seconds/);
    const stuck = await serveRaw('HTTP/1.1 200 OK\r\nContent-Length: 900000\r\n\r\nbeginning', false);
    await fails(fetched(stuck.url, { idleMs: 200 }), 'unavailable', /sent nothing for 0.2 seconds/);
    const closed = await startFileServer(() => {});
    await closed.close();
    await fails(fetched(closed.url), 'unavailable', /refuses the connection/);
  });

  it('keeps nothing of a file that ends early', async () => {
    const short = await serveRaw('HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\nbeginning');
    await fails(fetched(short.url), 'unavailable', /was not fetched/);
    const long = await serveRaw(`HTTP/1.1 200 OK\r\nContent-Length: 900000\r\n\r\n${'b'.repeat(600_000)}`);
    await fails(fetched(long.url), 'unavailable', /was not fetched/);
    const chunked = await serveRaw('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nbegin\r\n');
    await fails(fetched(chunked.url), 'unavailable', /was not fetched/);
    const garbled = await serveRaw('no HTTP at all\r\n\r\n');
    await fails(fetched(garbled.url), 'unavailable', /was not fetched/);
  });

  it('stops at the largest size, whether it is announced or not', async () => {
    let sent = 0;
    const { url } = await serve((request, response) => {
      if (request.url === '/announced') return response.writeHead(200, { 'Content-Length': '900000000000' }).end('a');
      const more = (): void => {
        sent += 1_000_000;
        if (!response.destroyed) response.write(Buffer.alloc(1_000_000), () => setImmediate(more));
      };
      return more();
    });
    const mostBytes = 20_000_000;
    await fails(
      fetched(`${url}/announced`, { mostBytes }),
      'invalid',
      /more than 20.0 MB, the largest that is fetched \(--upload-fetch-size\)/,
    );
    await fails(fetched(`${url}/endless`, { mostBytes }), 'invalid', /more than 20.0 MB/);
    assert.ok(sent < 60_000_000, `${sent} bytes were sent`);
  });

  it('stops when the signal is aborted, with its reason', async () => {
    const stopping = new AbortController();
    const { url } = await serve((_request, response) => {
      response.writeHead(200).write('beginning', () => stopping.abort(new Error('the server stops')));
    });
    await assert.rejects(fetched(url, { signal: stopping.signal }), /the server stops/);
    assert.deepEqual(storedNames(), []);
  });
});
