import assert from 'node:assert/strict';
import { JOB_DEFINITIONS } from '../../src/jobs/job-list.ts';
import { JobRunner } from '../../src/jobs/job-runner.ts';
import { requireFits, useBrowser } from '../support/browser.ts';
import { SQLITE } from '../support/each-store.ts';
import { OaiServer, oaiRecords } from '../support/oai-server.ts';
import { closeApps, type StartedApp, startApp } from '../support/start-app.ts';

const PHONE = { viewport: { width: 360, height: 740 } };

describe('Pages of collections', () => {
  const browser = useBrowser();
  let started: StartedApp;
  let server: OaiServer;
  let runner: JobRunner;

  beforeEach(async () => {
    [started, server] = await Promise.all([
      startApp(SQLITE, { harvestNetworks: ['127.0.0.1'] }),
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

  it('lead from an empty source to a harvest, its errors, and a drop that is accepted', async () => {
    const page = await browser.open(`${started.url}/collections/`);
    await page.getByRole('link', { name: 'Add one' }).click();
    await page.getByLabel('Id', { exact: true }).fill('arxiv');
    await page.getByLabel('Address', { exact: true }).fill(server.url);
    await page.getByRole('button', { name: 'Add the collection' }).click();
    await page.getByRole('heading', { level: 1, name: 'arxiv' }).waitFor();
    await page.getByRole('link', { name: `${started.url}/oai/arxiv` }).waitFor();

    const [first, ...others] = oaiRecords(5);
    server.change({ records: [{ ...first!, datestamp: 'soon' }, ...others] });
    await page.locator('summary', { hasText: /^Harvest arxiv/ }).click();
    await page.getByRole('button', { name: 'Harvest arxiv', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'incremental 1 complete with errors' }).waitFor();
    await page.getByText('4 created, 0 updated, 0 deleted, 0 unchanged').waitFor();
    await page.getByRole('rowheader', { name: /oai:example\.org:1/ }).waitFor();

    server.change({ records: others.slice(3) });
    await page.goto(`${started.url}/collections/arxiv/`);
    await page.locator('summary', { hasText: /^Harvest in full arxiv/ }).click();
    await page.getByRole('button', { name: 'Harvest in full arxiv' }).click();
    await page.getByRole('heading', { level: 1, name: 'full 2 failed' }).waitFor();
    await page.locator('summary', { hasText: 'Accept the drop' }).click();
    await page.getByRole('button', { name: 'Accept the drop' }).click();
    await page.getByRole('heading', { level: 1, name: 'full 3 complete' }).waitFor();
    await page.getByText('0 created, 0 updated, 3 deleted, 1 unchanged').waitFor();
  });

  it('fit on a phone, and have a form that says what is wrong', async () => {
    await started.app.records.collections.add('arxiv', { baseUrl: server.url, format: 'oai_dc' });
    for (const path of ['collections/', 'collections/arxiv/', 'collections/arxiv/settings', 'add-collection']) {
      await requireFits(await browser.open(`${started.url}/${path}`, PHONE));
    }
    const context = await browser.context();
    const page = await context.newPage();
    await page.goto(`${started.url}/collections/arxiv/settings`);
    await page.getByLabel('Format', { exact: true }).fill('mods');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('alert').getByText('The repository has no format "mods"').waitFor();
    assert.equal(await page.getByLabel('Format', { exact: true }).inputValue(), 'mods');
    await page.getByLabel('Format', { exact: true }).fill('oai_dc');
    await page.getByLabel('Title', { exact: true }).fill('Preprints');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The collection was changed.').waitFor();
    await context.close();
  });
});
