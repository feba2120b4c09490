import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { appendFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ask, askJson, JSON_BODY } from '../support/ask.ts';
import { findFreePort } from '../support/free-port.ts';
import { CTRL_C, InTerminal, itInTerminal } from '../support/in-terminal.ts';
import { killTidemarks, runTidemark, startProcess, startTidemark } from '../support/run-tidemark.ts';
import { itOnSmallDisk } from '../support/small-disk.ts';
import { until } from '../support/until.ts';

const TOKEN = 'open-sesame-0815';
const PRESIGNED = 'X-Amz-Signature=5e1f1e55';

describe('The log of a server', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tidemark-'));
  });
  afterEach(async () => {
    await killTidemarks();
    await rm(folder, { recursive: true });
  });

  /** What a server logs of these requests. */
  async function logOf(requests: (url: string) => Promise<unknown>, args: readonly string[] = []): Promise<string> {
    const port = await findFreePort();
    writeFileSync(join(folder, 'token'), `${TOKEN}\n`);
    const env = { TIDEMARK_TOKEN_FILE: 'token' };
    const running = startProcess(['serve', '--port', String(port), ...args], { cwd: folder, env });
    await running.says(/Serving/);
    await requests(`http://127.0.0.1:${port}`);
    running.signal('SIGTERM');
    assert.equal(await running.exit(), 0);
    return running.stderr;
  }

  const linesOf = (log: string) =>
    log
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line))
      .filter(({ msg }) => msg === 'request');

  it('has a line for each request, and no secret', async () => {
    const headers = { Authorization: `Bearer ${TOKEN}`, Cookie: `session=${TOKEN}`, 'X-Request-Id': 'mine-1' };
    const began = performance.now();
    const log = await logOf(
      async (url) => {
        await ask(`${url}/api/sets?limit=5&token=${TOKEN}&${PRESIGNED}`, { headers });
        await ask(`${url}/api/sets/none/changes`, {
          method: 'POST',
          headers: { ...JSON_BODY, ...headers },
          body: '{}',
        });
        await ask(`${url}/.well-known/resourcesync`);
        await ask(`${url}/api/sets/papers/changes?x=${TOKEN}`, {
          method: 'POST',
          headers: { Authorization: 'Bearer wrong-1' },
        });
      },
      ['--log-level', 'debug'],
    );
    const [first, second, third, fourth] = linesOf(log);
    assert.deepEqual([second.level, third.level], ['info', 'debug']);
    assert.match(first.time, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    assert.equal(first.requestId, 'mine-1');
    assert.equal(first.method, 'GET');
    assert.equal(first.path, '/api/sets?limit=5&token=[hidden]&X-Amz-Signature=[hidden]');
    assert.equal(first.route, '/api/sets');
    assert.equal(first.sender, 'administrator');
    assert.equal(second.status, 404);
    assert.equal(third.sender, 'anonymous');
    assert.equal(third.status, 200);
    assert.ok(third.bytes > 300 && third.ms > 0 && third.ms < performance.now() - began);
    assert.equal(fourth.status, 401);
    assert.equal(fourth.sender, undefined);
    assert.equal(linesOf(log).length, 4);
    assert.doesNotMatch(log, /open-sesame|5e1f1e55|wrong-1/);
  });

  it('is JSON throughout for a program that reads it, with its start and its end', async () => {
    const port = await findFreePort();
    const running = startProcess(['serve', '--port', String(port)], { cwd: folder });
    await running.says(/Serving 0 sets/);
    // The first only reads: its line has the level debug.
    await ask(`http://127.0.0.1:${port}/healthz`);
    await ask(`http://127.0.0.1:${port}/none`);
    running.signal('SIGTERM');
    assert.equal(await running.exit(), 0);
    const lines = `${running.stdout}${running.stderr}`.trimEnd().split('\n');
    const messages = lines.map((line) => JSON.parse(line).msg);
    // Lines of requests are written some time later.
    messages.splice(messages.indexOf('request'), 1);
    assert.doesNotMatch(running.stderr, /healthz/);
    assert.deepEqual(messages, [
      `Serving 0 sets on http://localhost:${port}/ (http://localhost:${port}/.well-known/resourcesync).`,
      'stopping: what is under way ends first',
      'stopped',
    ]);
    assert.equal(running.stdout, `${lines[0]}\n`);
  });

  it('is lines for people when that is chosen', async () => {
    const log = await logOf((url) => ask(`${url}/none`), ['--log-format', 'text']);
    assert.match(log, /^\d\d:\d\d:\d\d {2}GET \/none {2}404 {2}\d+ B {2}[\d.]+ ms$/m);
    assert.match(log, /stopping: what is under way ends first\n(?:.*\n)*.*stopped\n$/);
  });

  itInTerminal('is lines for people on a terminal, unless JSON is chosen', async () => {
    mkdirSync(join(folder, 'maps'));
    writeFileSync(join(folder, 'maps/a.txt'), 'a');
    const env = { TIDEMARK_PORT: String(await findFreePort()) };
    await runTidemark(['sets', 'add', 'maps', '--root', 'maps'], { cwd: folder, env });
    const people = new InTerminal(['serve'], { cwd: folder, env });
    try {
      await people.says(/Serving 1 set on .* Press Ctrl-C to stop\./);
      await people.says(
        /^\d\d:\d\d:\d\d {2}scanned \S+maps {2}set=maps extent=full duration_s=[\d.]{1,7} files=1.* created=1$/m,
      );
      people.type(CTRL_C);
      assert.equal(await people.exit(), 0);
      assert.doesNotMatch(people.text, /[{}]/);
    } finally {
      people.kill();
    }
    const json = new InTerminal(['serve', '--log-format', 'json'], { cwd: folder, env });
    try {
      await json.says(/^\{"level":"info",.*"set":"maps"/m);
    } finally {
      json.kill();
    }
  });

  it('has no lines of requests when a setting leaves them out', async () => {
    const log = await logOf((url) => ask(`${url}/none`), ['--access-log', 'false']);
    assert.deepEqual(linesOf(log), []);
  });

  it('has beside it the figures that tidemark status shows', async () => {
    const port = await findFreePort();
    const TIDEMARK_PORT = String(port);
    const asked = (args: readonly string[], env: Readonly<Record<string, string>> = { TIDEMARK_TOKEN: TOKEN }) =>
      runTidemark(['status', ...args], { cwd: folder, env: { TIDEMARK_PORT, ...env } });
    // A server that does not answer within two seconds is reported as stopped.
    const found = (...of: Parameters<typeof asked>) =>
      until('the server answers in time', async () => {
        const { stdout } = await asked(...of);
        return !/Server +none|"state":"none"/.test(stdout) && stdout;
      });
    const running = startTidemark(['serve'], { cwd: folder, env: { TIDEMARK_PORT, TIDEMARK_TOKEN: TOKEN } });
    await running.says(/Serving/);
    await ask(`http://127.0.0.1:${port}/healthz`);

    const [forProgram, forPerson, forStranger] = await Promise.all([
      found(['--json']),
      found([]),
      found(['--json'], {}),
    ]);
    const { server, log } = JSON.parse(forProgram);
    assert.equal(server.state, 'running');
    assert.equal(server.url, `http://localhost:${port}`);
    assert.ok(server.status.requests.answered >= 1);
    assert.equal(log.commitsWaiting, 0);
    assert.match(forPerson, /Server {7}runs at .*localhost.*, for /);
    assert.match(forPerson, /0 events applied, 0 unchanged, 0 rejected/);
    assert.match(forPerson, /0 sets, 0 resources, 0 changes/);
    assert.equal(JSON.parse(forStranger).server.state, 'refuses');

    running.signal('SIGTERM');
    await running.exit();
    const alone = await asked(['--json']);
    assert.deepEqual(JSON.parse(alone.stdout).server, { state: 'none' });
  });

  itOnSmallDisk('loses lines while its disk is full, and the server nothing', 1, async (disk) => {
    // What uses the disk ends before it goes.
    await using _ = { [Symbol.asyncDispose]: killTidemarks };
    const port = await findFreePort();
    const url = `http://127.0.0.1:${port}`;
    const log = join(disk.folder, 'log');
    const running = startProcess(['serve', '--port', String(port)], { cwd: folder, stderrFile: log });
    await until('it serves', async () => (await ask(`${url}/healthz`).catch(() => undefined))?.status === 200);
    await disk.fill();
    // The last block of the file may have room.
    await assert.rejects(appendFile(log, ' '.repeat(5_000)), { code: 'ENOSPC' });
    // A line of the administration, and those of many requests.
    const set = { set: 'maps', urlPrefix: 'https://maps.example.org/' };
    assert.equal((await askJson(`${url}/api/sets`, set)).status, 201);
    for (let number = 0; number < 200; number++) assert.equal((await ask(`${url}/nothing-${number}`)).status, 404);
    await disk.empty();

    assert.equal((await askJson(`${url}/api/sets`, { ...set, set: 'books' })).status, 201);
    for (const lost of ['1 line', '\\d+ lines']) {
      const notice = new RegExp(`"msg":"${lost} of this log could not be written: ENOSPC`);
      await until(
        lost,
        async () => (await ask(`${url}/healthz`)).status === 200 && notice.test(await readFile(log, 'utf8')),
      );
    }
    await disk.fill();
    running.signal('SIGTERM');
    assert.equal(await running.exit(), 0);
  });
});
