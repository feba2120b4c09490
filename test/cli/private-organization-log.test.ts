import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ask, JSON_BODY } from '../support/ask.ts';
import { SQLITE } from '../support/each-store.ts';
import { findFreePort } from '../support/free-port.ts';
import { file, postForm } from '../support/multipart.ts';
import { until } from '../support/until.ts';
import { marc } from '../support/upload-packages.ts';
import { Workplace } from '../support/workplace.ts';

const ADMINISTRATOR = 'the-administrator-of-all';

describe('The log of a server with a private organization', () => {
  let place: Workplace;
  let files: Server;
  /** Whether the server has the file again, rather than a page that says so. */
  let isBack = false;

  beforeEach(async () => {
    place = await Workplace.make(SQLITE);
    files = createServer(({ url }, response) => {
      if (url === '/page.mrc') response.end(isBack ? marc('id-of-a-late-record') : 'text of an error page\n');
      else response.writeHead(404).end();
    }).listen(0, '127.0.0.1');
    await once(files, 'listening');
  });
  afterEach(async () => {
    await place.close();
    files.closeAllConnections();
    files.close();
  });

  const done = async (...args: readonly string[]) => {
    const { exitCode, stdout, stderr } = await place.run(args);
    assert.equal(exitCode, 0, stderr);
    return stdout;
  };

  it('names what happens by organization, stream and number, and has no secret, record, file or person', async () => {
    await done('organizations', 'add', 'sealed', '--private', '--contact', 'Ada Marsh <ada@sealed.example.org>');
    await done('streams', 'add', 'sealed', 'vault');
    const { token } = JSON.parse(
      await done('tokens', 'create', '--name', 'nightly', '--scope', 'upload:sealed', '--json'),
    );
    const port = await findFreePort();
    const serving = place.startProcess(
      ['serve', '--port', `${port}`, '--upload-networks', '127.0.0.1', '--upload-retries', '0'],
      {
        env: { TIDEMARK_TOKEN: ADMINISTRATOR, TIDEMARK_LOG_LEVEL: 'debug' },
      },
    );
    await serving.says(/Serving \d+ sets/);
    const uploads = `http://127.0.0.1:${port}/api/organizations/sealed/uploads`;
    const headers = { Authorization: `Bearer ${token}` };
    const administrator = { Authorization: `Bearer ${ADMINISTRATOR}` };
    const bad = Buffer.from(marc('id-of-a-bad-record', 'text of a record'));
    bad.write('x', 26);
    const posted = await postForm(
      uploads,
      [file('name-of-a-file.mrc', Buffer.concat([marc('id-of-a-record'), bad]))],
      headers,
    );
    assert.equal(posted.status, 201, posted.text);
    // The names of these parameters are not known as those of secrets.
    const url = `http://ada:pw@127.0.0.1:${(files.address() as AddressInfo).port}/new.mrc?sig=the-signature&key=the-key`;
    const wrong = await ask(uploads, {
      method: 'POST',
      headers: { ...headers, ...JSON_BODY },
      body: JSON.stringify({ url }),
    });
    assert.equal(wrong.status, 400);
    const body = JSON.stringify({ url: url.replace('ada:pw@', '') });
    const signed = await ask(uploads, { method: 'POST', headers: { ...headers, ...JSON_BODY }, body });
    assert.equal(signed.status, 201, signed.text);
    const page = JSON.stringify({ url: new URL('/page.mrc', url.replace('ada:pw@', '')).href });
    assert.equal(
      (await ask(uploads, { method: 'POST', headers: { ...headers, ...JSON_BODY }, body: page })).status,
      201,
    );
    const show = async (number: number) =>
      JSON.parse((await ask(`${uploads}/vault/${number}`, { headers })).text) as { status: string; failure?: object };
    const isNow = (number: number, status: string) =>
      until(`upload ${number} is ${status}`, async () => (await show(number)).status === status);
    await isNow(1, 'processed');
    await isNow(2, 'failed');
    await isNow(3, 'failed');
    assert.match(JSON.stringify((await show(3)).failure), /nothing was taken of page\.mrc: .*text of an error page/);
    // It is fetched again, since nothing was taken of what came.
    isBack = true;
    const retried = await ask(`${uploads}/vault/3/retry`, { method: 'POST', headers: administrator });
    assert.equal(retried.status, 200, retried.text);
    await isNow(3, 'processed');
    for (const query of ['?signature=the-signature', `?token=${token}`]) {
      assert.equal((await ask(`${uploads}${query}`)).status, 404);
    }
    await until('the log says so', async () => /process-upload\/sealed~vault~2 has failed/.test(serving.stderr));
    serving.signal('SIGTERM');
    await serving.exit();
    const log = serving.stdout + serving.stderr;
    assert.match(log, /did the job process-upload\/sealed~vault~1/);
    const hidden = [
      'the-signature',
      'the-key',
      ':pw@',
      token,
      ADMINISTRATOR,
      'id-of-a',
      'text of a',
      'ada@',
      'Ada Marsh',
    ];
    for (const text of [...hidden, 'name-of-a-file']) assert.ok(!log.includes(text), `${text} is in the log:\n${log}`);
  });
});
