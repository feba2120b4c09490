import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { SQLITE } from '../support/each-store.ts';
import { findFreePort } from '../support/free-port.ts';
import { cleanEnvironment, MAIN } from '../support/run-tidemark.ts';
import { until } from '../support/until.ts';
import { Workplace } from '../support/workplace.ts';

describe('a command whose output no process reads any more', () => {
  let place: Workplace;

  beforeEach(async () => {
    place = await Workplace.make(SQLITE);
  });

  afterEach(() => place.close());

  it('posts all events, and ends with the exit code of that', async () => {
    await done('sets add papers --url-prefix https://example.org/');
    const event = (number: number) => `{"location": {"value": "${number}", "type": "rel_path"}, "change": "created"}`;
    writeFileSync(join(place.folder, 'events'), Array.from({ length: 20_000 }, (_, at) => event(at)).join('\n'));
    assert.equal((await unread('changes post papers events --results all')).exitCode, 0);
    assert.match(await done('sets list'), /papers +20,000 +20,000/);
    assert.equal((await unread('changes list papers')).exitCode, 0);

    appendFileSync(join(place.folder, 'events'), '\n{"change": "created"}');
    assert.equal((await unread('changes post papers events')).exitCode, 1);
  });

  it('ends with the exit code of what it has found', async () => {
    mkdirSync(join(place.folder, 'maps'));
    writeFileSync(join(place.folder, 'maps/a.txt'), 'a');
    await done('sets add maps --root maps');
    await done('scan maps');
    assert.equal((await unread('verify maps --root')).exitCode, 0);
    rmSync(join(place.folder, 'maps/a.txt'));
    assert.equal((await unread('verify maps --root')).exitCode, 1);
  });

  it('writes the report of a validation', async () => {
    const { exitCode, stderr } = await unread('validate http://127.0.0.1:1/ --junit report.xml');
    assert.equal(exitCode, 3);
    assert.match(stderr, /cannot be read: the server refuses the connection\n$/);
    assert.match(
      readFileSync(join(place.folder, 'report.xml'), 'utf8'),
      /errors="1"(.|\n)*<error message="http:\S+ cannot be read: the server refuses the connection"\/>/,
    );
  });

  it('ends when it would go on for ever, and leaves nothing behind', async () => {
    mkdirSync(join(place.folder, 'temporary'));
    const port = await findFreePort();
    const demo = await unread(`demo --every 1s --port ${port}`, { TMPDIR: join(place.folder, 'temporary') });
    assert.equal(demo.exitCode, 0, demo.stderr);
    assert.deepEqual(readdirSync(join(place.folder, 'temporary')), []);
  });

  it('goes on without a reader of its messages', async () => {
    const port = await findFreePort();
    const server = start(`serve --port ${port} --log-format text`);
    server.stderr.destroy();
    const ended = once(server, 'exit');
    const isReady = () =>
      fetch(`http://127.0.0.1:${port}/healthz`).then(
        ({ ok }) => ok,
        () => false,
      );
    try {
      await until('the server answers', async () => server.exitCode !== null || (await isReady()));
      await fetch(`http://127.0.0.1:${port}/nothing`);
      assert.ok(await isReady());
    } finally {
      server.kill();
    }
    assert.deepEqual(await ended, [0, null]);

    const failing = start('sets show nothing');
    failing.stderr.destroy();
    assert.deepEqual(await once(failing, 'exit'), [2, null]);
  });

  async function done(command: string): Promise<string> {
    const { exitCode, stdout, stderr } = await place.run(command.split(' '));
    assert.equal(exitCode, 0, stderr);
    return stdout;
  }

  /** Runs a command in a process of its own, with a pipe as output that was closed at the other end. */
  async function unread(command: string, env: Readonly<Record<string, string>> = {}) {
    const child = start(command, env);
    child.stdout.destroy();
    const [stderr, [exitCode]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
    return { stderr, exitCode: exitCode as number | null };
  }

  function start(command: string, env: Readonly<Record<string, string>> = {}) {
    return spawn(process.execPath, [MAIN, ...command.split(' ')], {
      cwd: place.folder,
      env: { ...cleanEnvironment(), ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: 60_000,
    });
  }
});
