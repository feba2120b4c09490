import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SQLITE } from '../support/each-store.ts';
import { findFreePort } from '../support/free-port.ts';
import { type MailServer, startMailServer } from '../support/mail-server.ts';
import { until } from '../support/until.ts';
import { Workplace } from '../support/workplace.ts';

describe('A server that is killed while it sends a message about an upload (134)', () => {
  let place: Workplace;
  let mail: MailServer;

  beforeEach(async () => {
    mail = await startMailServer();
    place = await Workplace.make(SQLITE);
  });
  afterEach(async () => {
    await place.close();
    await mail.close();
  });

  it('sends it when it starts again, and at most once more', async () => {
    const env = {
      TIDEMARK_SMTP_URL: mail.url,
      TIDEMARK_MAIL_FROM: 'tidemark@example.org',
      TIDEMARK_JOB_LEASE: '1s',
      TIDEMARK_UPLOAD_RETRIES: '0',
    };
    const done = async (...args: readonly string[]) => {
      const { exitCode, stderr } = await place.run(args, { env });
      assert.equal(exitCode, 0, stderr);
    };
    await done('organizations', 'add', 'lane', '--contact', 'Ada <ada@example.org>');
    await done('organizations', 'change', 'lane', '--notify-mail', 'on');
    await writeFile(join(place.folder, 'new.mrc'), 'this is no MARC');
    const serve = async (failpoint?: string) => {
      const port = await findFreePort();
      const server = place.start(['serve', '--no-sources', '--port', `${port}`], {
        env: { ...env, ...(failpoint !== undefined && { TIDEMARK_FAILPOINT: failpoint }) },
      });
      await server.says(/Serving/);
      return { server, port };
    };

    const { server, port } = await serve('message.sent:kill');
    await done('upload', 'lane', 'new.mrc', '--server', `http://127.0.0.1:${port}`);
    await server.exit();
    assert.equal(mail.received.length, 1);
    await serve();
    await until('it is sent again', async () => mail.received.length === 2);
    const ids = mail.received.map(({ source }) => /^Message-ID: (.*)\r$/m.exec(source)?.[1]);
    assert.equal(ids[0], ids[1], 'a program that shows mail cannot know that it is the same');
    await until('the job is done', async () => {
      const { stdout } = await place.run(['jobs', 'list', '--kind', 'send-upload-message', '--json'], { env });
      return JSON.parse(stdout).jobs.every(({ state }: { readonly state: string }) => state === 'done');
    });
    assert.equal(mail.received.length, 2);
  });
});
