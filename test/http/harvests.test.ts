import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { JOB_DEFINITIONS } from '../../src/jobs/job-list.ts';
import { JobRunner } from '../../src/jobs/job-runner.ts';
import { ask, askJson, JSON_BODY } from '../support/ask.ts';
import { SQLITE } from '../support/each-store.ts';
import { OaiServer, oaiRecords } from '../support/oai-server.ts';
import { closeApps, type StartedApp, startApp } from '../support/start-app.ts';
import { until } from '../support/until.ts';

describe('Collections and harvests over HTTP', () => {
  let started: StartedApp;
  let server: OaiServer;
  let runner: JobRunner;
  const apiRoots: string[] = [];

  beforeEach(async () => {
    [started, server] = await Promise.all([
      startApp(SQLITE, { harvestNetworks: ['127.0.0.1'], apiRoots }),
      OaiServer.start({ records: oaiRecords(5), pageSize: 2 }),
    ]);
    const worker = { name: 'tester', leaseMs: 30_000 };
    runner = new JobRunner({ definitions: JOB_DEFINITIONS, parts: started.app, worker, concurrency: 2 });
    runner.start();
  });
  afterEach(async () => {
    await runner.stop();
    await closeApps();
    await server.close();
  });

  const api = (path = '') => `${started.url}/api/collections${path}`;
  const add = (fields: object = {}) =>
    askJson(api(), { collection: 'arxiv', baseUrl: server.url, format: 'oai_dc', ...fields });
  const change = (method: string, fields?: object) =>
    ask(api('/arxiv'), { method, headers: JSON_BODY, ...(fields && { body: JSON.stringify(fields) }) });
  const ended = (number: number) =>
    until(`harvest ${number} has ended`, async () => {
      const { body } = await askJson(api(`/arxiv/harvests/${number}`));
      return body.state === 'ended' && body;
    });

  it('are added, changed, and removed', async () => {
    const added = await add({ title: 'Preprints', fullSchedule: '0 3 * * 0' });
    assert.deepEqual([added.status, added.headers.location], [201, 'collections/arxiv'], JSON.stringify(added.body));
    assert.equal(added.body.repository.name, 'Example');
    assert.deepEqual((await askJson(api())).body, { collections: [added.body] });
    const changed = await change('PATCH', { title: '', malformed: 'skip' });
    assert.equal(changed.status, 200, changed.text);
    const { title, malformed, fullSchedule } = JSON.parse(changed.text);
    assert.deepEqual([title, malformed, fullSchedule], [undefined, 'skip', '0 3 * * 0']);
    assert.equal((await add()).status, 409);
    assert.equal((await change('DELETE')).status, 204);
    assert.equal((await askJson(api('/arxiv'))).status, 404);
  });

  it('are refused with the field that is wrong', async () => {
    const wrong = await add({ format: 'mods' });
    assert.equal(wrong.status, 400);
    assert.match(JSON.stringify(wrong.body), /"format".*oai_dc|oai_dc.*"format"/);
    const file = await add({ transform: '/etc/sheet.xsl' });
    assert.equal(file.status, 403, JSON.stringify(file.body));
  });

  it('have sheets below a root that the server may read, and no modules', async () => {
    const sheet = join(started.folder, 'sheet.xsl');
    await writeFile(sheet, '<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"/>');
    apiRoots.push(started.folder);
    assert.equal((await add({ transform: join(started.folder, 'module.js') })).status, 403);
    const missing = await add({ transform: join(started.folder, 'none.xsl') });
    assert.deepEqual(
      [missing.status, /cannot be read/.test(JSON.stringify(missing.body))],
      [400, true],
      JSON.stringify(missing.body),
    );
    const added = await add({ transform: sheet });
    assert.deepEqual([added.status, added.body.transform], [201, sheet], JSON.stringify(added.body));
  });

  it('show what a harvest received, what became of it, and its responses', async () => {
    await add();
    const queued = await askJson(api('/arxiv/harvests'), { kind: 'full' });
    assert.deepEqual([queued.status, queued.headers.location], [201, 'harvests/1'], JSON.stringify(queued.body));
    const harvest = await ended(1);
    assert.deepEqual([harvest.status, harvest.outcome.created, harvest.firstErrors], [2, 5, []]);
    const [list] = harvest.lists;
    assert.deepEqual([list.pages, list.records, list.completeListSize, list.complete], [3, 5, 5, true]);
    const responses = await ask(`${started.url}/api/${harvest.responses}`);
    assert.equal(responses.status, 200);
    assert.match(responses.bytes.subarray(0, 100).toString('latin1'), /^000001\.xml\.gz/);
    assert.deepEqual((await askJson(api('/arxiv/harvests?limit=1'))).body.harvests[0].number, 1);
    assert.deepEqual((await askJson(api('/arxiv/harvests/1/errata'))).body, { errata: [] });
    assert.equal((await askJson(api('/arxiv/harvests/7'))).status, 404);
    assert.equal((await ask(`${started.url}/sets/arxiv/resourcelist.xml`)).text.match(/<url>/g)?.length, 5);
  });

  it('are hidden with a private organization', async () => {
    await started.app.records.organizations.add('sealed', { contacts: [], private: true });
    await add({ provider: 'sealed' });
    const token = { ...(await started.app.access.tokens.create({ name: 'reader', scopes: ['metrics'] })) }.token;
    const headers = { Authorization: `Bearer ${token}` };
    assert.deepEqual((await askJson(api(), undefined, headers)).body, { collections: [] });
    // As for one that never existed: route-access.test.ts compares the answers.
    assert.equal((await askJson(api('/arxiv'), undefined, headers)).status, 404);
  });
});
