import assert from 'node:assert/strict';
import { removedOrganizationSchema, removedStreamSchema } from '../../src/api/removal-view.ts';
import { Secret } from '../../src/config/secret.ts';
import { JOB_DEFINITIONS } from '../../src/jobs/job-list.ts';
import { JobRunner } from '../../src/jobs/job-runner.ts';
import { ask } from '../support/ask.ts';
import { SQLITE } from '../support/each-store.ts';
import { closeApps, type StartedApp, startApp } from '../support/start-app.ts';
import { TwoStreams } from '../support/two-streams.ts';
import { until } from '../support/until.ts';

const ADMINISTRATOR = bearer('open-sesame');

describe('131: removals by API and forms', () => {
  let started: StartedApp;
  let streams: TwoStreams;
  let manager: { Authorization: string };
  let runner: JobRunner;

  beforeEach(async () => {
    started = await startApp(SQLITE, { token: new Secret('open-sesame') });
    const { app } = started;
    streams = await TwoStreams.make(app);
    await streams.put('old', { a: 'A' });
    await streams.makeDefault('new');
    await app.records.organizations.add('sul', { contacts: [] });
    for (const stream of ['main', 'next']) await app.records.organizations.addStream('sul', stream);
    manager = bearer((await app.access.tokens.create({ name: 'manager', scopes: ['manage:lane'] })).token);
    const worker = { name: 'tester', leaseMs: 30_000 };
    runner = new JobRunner({ definitions: JOB_DEFINITIONS, parts: app, worker, concurrency: 2 });
  });
  afterEach(async () => {
    await runner.stop();
    await closeApps();
  });

  const remove = async (path: string, headers: { Authorization: string }, confirm = '?confirm=yes') => {
    const { status, text } = await ask(`${started.url}/api/organizations/${path}${confirm}`, {
      method: 'DELETE',
      headers,
    });
    return { status, body: JSON.parse(text) };
  };
  const form = (path: string, headers: { Authorization: string }, fields: Record<string, string>) =>
    ask(`${started.url}/organizations/${path}/remove`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded', Origin: started.url, ...headers },
      body: new URLSearchParams(fields).toString(),
    });
  const left = async () =>
    (await started.app.records.organizations.list()).map(
      ({ id, streams }) => `${id}: ${streams.map(({ id, removing }) => (removing ? `(${id})` : id)).join(' ')}`,
    );

  it('says what a stream would free, and a job removes it once that is confirmed', async () => {
    for (const confirm of ['', '?confirm=no']) {
      const { status, body } = await remove('lane/streams/old', ADMINISTRATOR, confirm);
      assert.equal(status, 409);
      assert.match(body.error.message, /1 upload\b.*1 record\b.*Confirm that it is to be removed/);
    }
    assert.deepEqual(await left(), ['lane: old new', 'sul: main next']);
    const { status, body } = await remove('lane/streams/old', ADMINISTRATOR);
    assert.equal(status, 202);
    const { job, records } = removedStreamSchema.parse(body);
    assert.equal(records, 1);
    assert.deepEqual(await left(), ['lane: (old) new', 'sul: main next']);
    runner.start();
    await until('it is removed', async () => (await left())[0] === 'lane: new');
    await until('the job has ended', async () => (await started.app.jobs.queue.get(job)).state === 'done');
    assert.equal((await remove('lane/streams/old', ADMINISTRATOR)).status, 404);
  });

  it('keeps the default stream', async () => {
    const { status, body } = await remove('lane/streams/new', ADMINISTRATOR);
    assert.equal(status, 409);
    assert.match(body.error.message, /is the default of lane/);
    assert.equal((await form('lane/streams/new', ADMINISTRATOR, { confirm: 'new' })).status, 400);
    assert.deepEqual(await left(), ['lane: old new', 'sul: main next']);
  });

  it('removes an organization, by the API and by its form', async () => {
    assert.equal((await remove('lane', ADMINISTRATOR, '')).status, 409);
    const { status, body } = await remove('lane', ADMINISTRATOR);
    assert.equal(status, 202);
    assert.equal(removedOrganizationSchema.parse(body).streams, 2);
    const wrong = await form('sul', ADMINISTRATOR, { confirm: 'lane' });
    assert.equal(wrong.status, 400);
    assert.match(wrong.text, /Type sul to remove it: another text was given/);
    const right = await form('sul', ADMINISTRATOR, { confirm: 'sul' });
    assert.deepEqual([right.status, right.headers.location], [303, '../']);
    runner.start();
    await until('both are removed', async () => (await left()).length === 0);
  });

  it('asks on the page of a stream for its id', async () => {
    const { text } = await ask(`${started.url}/organizations/lane/streams/old/`, { headers: manager });
    assert.match(text, /Type the id of the stream, old/);
    assert.equal((await form('lane/streams/old', manager, {})).status, 400);
    assert.equal((await form('lane/streams/old', manager, { confirm: 'new' })).status, 400);
    assert.deepEqual(await left(), ['lane: old new', 'sul: main next']);
    assert.equal((await form('lane/streams/old', manager, { confirm: 'old' })).status, 303);
    assert.deepEqual(await left(), ['lane: (old) new', 'sul: main next']);
  });

  it('lets those who manage an organization remove streams and uploads of it, but neither others nor itself', async () => {
    const upload = '?reason=a%20test';
    for (const path of ['sul', 'lane']) assert.equal((await remove(path, manager)).status, 403, path);
    for (const path of ['sul', 'lane']) assert.equal((await form(path, manager, { confirm: path })).status, 403);
    assert.equal((await remove('sul/streams/next', manager)).status, 403);
    assert.equal((await form('sul/streams/next', manager, { confirm: 'next' })).status, 403);
    assert.equal((await remove('sul/uploads/main/1', manager, upload)).status, 403);
    const reader = bearer((await started.app.access.tokens.create({ name: 'u', scopes: ['upload:lane'] })).token);
    assert.equal((await remove('lane/uploads/old/1', reader, upload)).status, 403);
    assert.equal((await remove('lane/streams/old', reader)).status, 403);
    assert.deepEqual(await left(), ['lane: old new', 'sul: main next']);

    const { status, body } = await remove('lane/uploads/old/1', manager, upload);
    assert.deepEqual([status, body.removes], [202, 1]);
    assert.equal((await remove('lane/streams/old', manager)).status, 202);
  });
});

function bearer(token: string): { Authorization: string } {
  return { Authorization: `Bearer ${token}` };
}
