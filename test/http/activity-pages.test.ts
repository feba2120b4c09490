import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { JOB_DEFINITIONS } from '../../src/jobs/job-list.ts';
import { JobRunner } from '../../src/jobs/job-runner.ts';
import { ask } from '../support/ask.ts';
import { SQLITE } from '../support/each-store.ts';
import { closeApps, type StartedApp, startApp } from '../support/start-app.ts';
import { until } from '../support/until.ts';

describe('Pages of runs of activities', () => {
  let started: StartedApp;
  let runner: JobRunner;
  let roots: string;

  beforeEach(async () => {
    const apiRoots: string[] = [];
    started = await startApp(SQLITE, { apiRoots });
    roots = join(started.folder, 'roots');
    apiRoots.push(roots);
    await mkdir(roots);
    await started.app.records.organizations.add('lane', { contacts: [] });
    const worker = { name: 'tester', leaseMs: 30_000 };
    runner = new JobRunner({ definitions: JOB_DEFINITIONS, parts: started.app, worker, concurrency: 2 });
    runner.start();
  });
  afterEach(async () => {
    await runner.stop();
    await closeApps();
  });

  const home = () => `${started.url}/organizations/lane/activities/`;
  const post = async (path: string, fields: Readonly<Record<string, string>>) => {
    const headers = {
      'content-type': 'application/x-www-form-urlencoded',
      'sec-fetch-site': 'same-origin',
      accept: 'text/html',
    };
    return ask(home() + path, { method: 'POST', headers, body: String(new URLSearchParams(fields)) });
  };
  const page = async (path = '') => (await ask(home() + path, { headers: { accept: 'text/html' } })).text;
  const ended = (path: string, state: string) =>
    until(`${path} ${state}`, async () => {
      const text = await page(path);
      return new RegExp(`<span class="state [a-z]+">${state}</span>`).test(text) && text;
    });
  const records = (name: string, ids: readonly string[]) =>
    writeFile(
      join(roots, name),
      ids.map((id) => `${JSON.stringify({ id, document: '<r/>', mimetype: 'application/xml' })}\n`).join('') +
        '{"id":"<b>bad"}\n',
    );

  it('have a form that runs one, and show its numbers, errors, artifact and options', async () => {
    await records('some.ndjson', ['a', 'b', 'c']);
    const from = join(roots, 'some.ndjson');
    const added = await post('', { activity: 'harvest', from, input: '', transform: '', writePlan: 'yes' });
    assert.deepEqual([added.status, added.headers.location], [303, './harvest/1/'], added.text);
    const text = await ended('harvest/1/', 'succeeded');
    assert.match(text, /lane\/harvest\/\d{8}\/\d{8}_\d{6}-lane-OriginalRecord\.v1\.avro/);
    assert.match(text, /lane\/plan\//);
    assert.match(text, /&lt;b&gt;bad/);
    assert.match(text, /no-document 1/);
    assert.match(text, new RegExp(`from <code>${from}</code>, writePlan`));
    assert.match(text, /<a href="[^"]*jobs\/run-activity\/lane~harvest~1">/);
    assert.match((await ask(`${started.url}/organizations/lane/`)).text, /href="\.\/activities\/harvest\/1\/"/);
  });

  it('show the form again with what is wrong', async () => {
    const wrong = await post('', { activity: 'harvest', from: '/etc/passwd' });
    assert.equal(wrong.status, 400);
    assert.match(wrong.text, /This server may not read that/);
    assert.match(wrong.text, /value="\/etc\/passwd"/);
  });

  it('let a drop be accepted', async () => {
    await records('some.ndjson', ['a', 'b', 'c', 'd']);
    const from = join(roots, 'some.ndjson');
    await post('', { activity: 'harvest', from });
    await ended('harvest/1/', 'succeeded');
    await records('some.ndjson', ['a']);
    await post('', { activity: 'harvest', from });
    assert.match(await ended('harvest/2/', 'stopped'), /1 record would be 75\.0 % fewer than the 4 records/);
    const accepted = await post('harvest/2/again?drop=accept', {});
    assert.deepEqual([accepted.status, accepted.headers.location], [303, '../3/'], accepted.text);
    await ended('harvest/3/', 'succeeded');
  });

  it('show the latest runs when a link names no place in the list', async () => {
    for (const after of ['', 'x']) assert.equal((await ask(`${home()}?after=${after}`)).status, 200, after);
  });

  it('show schedules', async () => {
    await started.app.records.organizations.schedule('lane', 'mapping', {
      activity: 'mapping',
      after: 'harvest',
      options: {},
    });
    assert.match(await page(), /after each new harvest/);
  });
});
