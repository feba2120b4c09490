import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { Secret } from '../../src/config/secret.ts';
import { JOB_DEFINITIONS } from '../../src/jobs/job-list.ts';
import { JobRunner } from '../../src/jobs/job-runner.ts';
import { Scheduler } from '../../src/jobs/scheduler.ts';
import { putUploadState } from '../../src/records/arrivals/upload-state.ts';
import type { MessageSettingChanges } from '../../src/records/message-settings.ts';
import { ask, askJson } from '../support/ask.ts';
import { describeOnEachStore } from '../support/each-store.ts';
import { type FileServer, startFileServer } from '../support/file-server.ts';
import { type MailServer, startMailServer } from '../support/mail-server.ts';
import { file, postForm } from '../support/multipart.ts';
import { closeApps, type StartedApp, startApp } from '../support/start-app.ts';
import { until } from '../support/until.ts';

const PASSWORD = 'open sésame';
const SECRET = 'the key of lane';

describeOnEachStore('A message about an upload that has failed (134)', (store, itOnce) => {
  let started: StartedApp;
  let mail: MailServer;
  let receiver: FileServer;
  let runner: JobRunner | undefined;
  let posted: { readonly body: string; readonly signature: unknown }[];
  let status: number;

  beforeEach(async () => {
    mail = await startMailServer(PASSWORD);
    posted = [];
    status = 204;
    receiver = await startFileServer(async (request, response) => {
      posted.push({ body: await text(request), signature: request.headers['x-hub-signature'] });
      response.writeHead(status).end();
    });
    const settings = { smtpUrl: new Secret(mail.url), mailFrom: 'tidemark@example.org' };
    started = await startApp(store, { ...settings, subscriberNetworks: ['127.0.0.1'] });
    const contacts = [{ name: 'Ada, of Lane', email: 'ada@example.org' }, { name: 'Bo' }];
    await started.app.records.organizations.add('lane', { title: 'Lane Library', contacts });
  });
  afterEach(async () => {
    await runner?.stop();
    runner = undefined;
    await closeApps();
    await Promise.all([mail.close(), receiver.close()]);
  });

  const want = (messages: MessageSettingChanges) => started.app.records.organizations.change('lane', { messages });
  const upload = async (count = 1) => {
    for (let at = 0; at < count; at++) {
      await postForm(`${started.url}/api/organizations/lane/uploads`, [file('new.mrc', '12345')]);
    }
  };
  const settle = async (number: number, body: object) => {
    const { catalog } = started.app;
    const name = { organization: 'lane', stream: 'main', number };
    const before = await catalog.get<object>('upload-state', `lane/main/${String(number).padStart(9, '0')}`);
    await putUploadState(catalog, name, { body, before: before as never });
  };
  const fail = (number: number, error = 'new.mrc is empty') =>
    settle(number, { failure: { at: Date.now(), error, isFinal: true } });
  const definitions = JOB_DEFINITIONS.filter(({ kind }) => kind === 'send-upload-message');
  /** As a server does every few seconds. */
  const addDue = () => new Scheduler({ definitions, parts: started.app, onTrouble: assert.fail }).addDue();
  const run = async () => {
    await addDue();
    runner = new JobRunner({
      ...{ definitions, parts: started.app, concurrency: 4 },
      worker: { name: 'tester', leaseMs: 30_000 },
    });
    runner.start();
  };
  const jobs = async (): Promise<{ state: string; error?: string; waits?: { reason: string } }[]> =>
    (await askJson(`${started.url}/api/jobs?kind=send-upload-message`)).body.jobs;
  const ended = () =>
    until('messages are sent', async () => {
      const all = await jobs();
      return all.length > 0 && all.every(({ state }) => state === 'done' || state === 'failed') && all;
    });

  it('is mailed to its contacts, and posted to its URL, with a signature, once for each upload', async () => {
    await want({ mail: true, url: `${receiver.url}/failed`, secret: SECRET });
    await upload(2);
    await fail(1);
    await settle(2, { applied: { at: Date.now(), created: 1, updated: 0, deleted: 0, unchanged: 0, superseded: 0 } });
    await run();
    await addDue();
    await ended();

    assert.equal(mail.received.length, 1);
    const [{ to, user, source }] = mail.received as [(typeof mail.received)[0]];
    assert.deepEqual([to, user], [['ada@example.org'], 'tidemark']);
    assert.match(source, /^Subject: Upload 1 of Lane Library has failed\r$/m);
    const plain = source.replaceAll(/=\r\n/g, '');
    for (const line of [
      'The upload lane/main/1 has failed. Nothing of it is published.',
      'Files: new.mrc (5 B)',
      'Why: new.mrc is empty.',
      `Its page: ${started.app.configuration.baseUrl}/organizations/lane/streams/main/uploads/1/`,
    ]) {
      assert.ok(plain.includes(line), `${line}\n\n${plain}`);
    }
    assert.equal(posted.length, 1);
    const [{ body, signature }] = posted as [(typeof posted)[0]];
    const { organization, uploads } = JSON.parse(body);
    assert.equal(organization, 'lane');
    assert.deepEqual(
      [uploads.length, uploads[0].event, uploads[0].number, uploads[0].error],
      [1, 'failed', 1, 'new.mrc is empty'],
    );
    assert.equal(signature, `sha256=${createHmac('sha256', SECRET).update(body).digest('hex')}`);
  });

  itOnce('is sent again until it is accepted, and a mail that was accepted is not repeated for that', async () => {
    await want({ mail: true, url: `${receiver.url}/failed` });
    status = 404;
    await upload();
    await fail(1);
    await run();
    const [waiting] = await until('it was refused', async () => {
      const all = await jobs();
      return all.some(({ error }) => error?.includes('404')) && all.filter(({ error }) => error !== undefined);
    });
    assert.match(waiting!.error!, /did not take the message: it answers with the status 404/);
    await until('the mail is sent', async () => mail.received.length === 1);
    assert.equal((await jobs()).filter(({ state }) => state === 'done').length, 1);
  });

  itOnce('names neither the password nor the secret when it cannot be sent', async () => {
    await want({ mail: true, url: `${receiver.url}/failed`, secret: SECRET });
    mail.refuses = 1;
    await upload();
    await fail(1);
    await run();
    await until('it was refused', async () => (await jobs()).some(({ error }) => error?.includes('come again later')));
    const shown = [
      JSON.stringify(await jobs()),
      (await ask(`${started.url}/api/organizations/lane`)).text,
      (await ask(`${started.url}/organizations/lane/settings`)).text,
      JSON.stringify(started.app.configuration),
    ].join('\n');
    for (const secret of [SECRET, PASSWORD, encodeURIComponent(PASSWORD)]) assert.ok(!shown.includes(secret), secret);
    assert.match(shown, /"signed":true/);
  });

  it('is one for many after ten within an hour', async () => {
    await want({ mail: true });
    await upload(14);
    for (let number = 1; number <= 14; number++) await fail(number);
    await run();
    await until('ten are sent, and the others wait', async () => {
      const states = (await jobs()).map(({ state, waits }) => (waits === undefined ? state : 'waits'));
      return (
        states.filter((one) => one === 'done').length === 10 && states.filter((one) => one === 'waits').length === 4
      );
    });
    assert.equal(mail.received.length, 10);

    // An hour later.
    await runner?.stop();
    const {
      catalog,
      jobs: { queue },
    } = started.app;
    const budget = (await catalog.get<{ sent: number[] }>('upload-messages', 'lane/mail'))!;
    const sent = budget.body.sent.map((at) => at - 3_600_000);
    await catalog.put('upload-messages', 'lane/mail', { ...budget.body, sent }, budget.version);
    for (const { name } of (await askJson(`${started.url}/api/jobs?kind=send-upload-message&state=queued`)).body.jobs) {
      await queue.retry(name).catch(() => {});
    }
    await run();
    await ended();
    assert.equal(mail.received.length, 11);
    const digest = mail.received.at(-1)!.source;
    assert.match(digest, /^Subject: 4 uploads of Lane Library need your attention\r$/m);
  });

  itOnce('is not about what was before it was wanted, nor about what was processed since', async () => {
    await upload(3);
    await fail(1);
    await new Promise((resolve) => setTimeout(resolve, 5));
    await want({ mail: true });
    await fail(2);
    await addDue();
    await settle(2, { applied: { at: Date.now(), created: 1, updated: 0, deleted: 0, unchanged: 0, superseded: 0 } });
    await run();
    await ended();
    assert.equal(mail.received.length, 0);
    await fail(3);
    await addDue();
    await until('the third is sent', async () => mail.received.length === 1);
    assert.match(mail.received[0]!.source, /Upload 3 of Lane Library has failed/);
  });

  itOnce('is not about what was a day ago, when no server has run meanwhile', async () => {
    await want({ mail: true });
    await upload();
    await fail(1);
    const clock = Date.now;
    try {
      Date.now = () => clock() + 25 * 3_600_000;
      await addDue();
    } finally {
      Date.now = clock;
    }
    assert.deepEqual(await jobs(), []);
  });

  itOnce('is one for an upload that has failed again meanwhile', async () => {
    await want({ mail: true });
    await upload();
    await fail(1);
    await addDue();
    await new Promise((resolve) => setTimeout(resolve, 5));
    await fail(1, 'it is still empty');
    await run();
    await ended();
    assert.equal((await jobs()).length, 2);
    assert.equal(mail.received.length, 1);
    assert.match(mail.received[0]!.source, /it is still empty/);
  });

  itOnce('goes to a URL without a password, and is signed with a secret of some length', async () => {
    for (const url of [
      'https://lane:sesame@lane.example/',
      'ftp://lane.example/',
      'lane.example',
      'file:///etc/passwd',
    ]) {
      await assert.rejects(want({ url }), { code: 'invalid' }, url);
    }
    for (const secret of ['1234567', 'x'.repeat(201)]) {
      await assert.rejects(want({ url: 'https://lane.example/', secret }), { code: 'invalid' }, secret);
    }
    await want({ url: 'https://lane.example/', secret: SECRET });
    const { messages } = await want({ url: null, mail: true });
    assert.deepEqual({ ...messages, since: 0 }, { mail: true, since: 0 }, 'the secret stays');
  });

  itOnce('is also about errors, when that is wanted', async () => {
    await want({ mail: true });
    await upload(2);
    const reasons = [{ reason: 'it has no field 001', count: 3 }];
    const totals = { files: 1, records: 5, deletions: 0, errors: 3 };
    const counts = { created: 5, updated: 0, deleted: 0, unchanged: 0, superseded: 0 };
    const withErrors = () => ({ read: { at: 1, files: [], totals, reasons }, applied: { at: Date.now(), ...counts } });
    await settle(1, withErrors());
    await addDue();
    assert.deepEqual(await jobs(), []);
    await want({ errors: true });
    await settle(2, withErrors());
    await run();
    await ended();
    assert.match(mail.received[0]!.source, /Subject: Upload 2 of Lane Library has 3 errors/);
    assert.match(mail.received[0]!.source, /3: it has no field 001/);
  });

  itOnce('is not posted into a private network that is not allowed', async () => {
    await closeApps();
    started = await startApp(store);
    await started.app.records.organizations.add('lane', { contacts: [] });
    await want({ url: `${receiver.url}/failed` });
    await upload();
    await fail(1);
    await run();
    await until('it was refused', async () => (await jobs()).some(({ error }) => /private network/.test(error ?? '')));
    assert.equal(posted.length, 0);
  });
});
