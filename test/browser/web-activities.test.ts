import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { JOB_DEFINITIONS } from '../../src/jobs/job-list.ts';
import { JobRunner } from '../../src/jobs/job-runner.ts';
import { requireFits, useBrowser } from '../support/browser.ts';
import { SQLITE } from '../support/each-store.ts';
import { closeApps, type StartedApp, startApp } from '../support/start-app.ts';

describe('Pages of runs of activities in a browser', () => {
  const browser = useBrowser();
  let started: StartedApp;
  let runner: JobRunner;
  let from: string;

  beforeEach(async () => {
    const apiRoots: string[] = [];
    started = await startApp(SQLITE, { apiRoots });
    const roots = join(started.folder, 'roots');
    apiRoots.push(roots);
    await mkdir(roots);
    from = join(roots, 'records.ndjson');
    await started.app.records.organizations.add('lane', { contacts: [], title: 'Lane Library' });
    const worker = { name: 'tester', leaseMs: 30_000 };
    runner = new JobRunner({ definitions: JOB_DEFINITIONS, parts: started.app, worker, concurrency: 2 });
    runner.start();
  });
  afterEach(async () => {
    await runner.stop();
    await closeApps();
  });

  it('lead from a form to the numbers of a run, and through a drop that is accepted', async () => {
    await writeFile(from, lines(['a', 'b', 'c', 'd']));
    const page = await browser.open(`${started.url}/organizations/lane/activities/`);
    await page.getByText('No activity has run yet.').waitFor();
    await harvest(page);
    await page.getByRole('heading', { level: 1, name: 'harvest 1 succeeded' }).waitFor();
    await page.getByText(/^lane\/harvest\/.*-OriginalRecord\.v1\.avro$/).waitFor();

    await writeFile(from, lines(['a']));
    await page.getByRole('link', { name: 'Activities' }).click();
    await harvest(page);
    // An open run is loaded again by itself.
    await page.getByRole('heading', { level: 1, name: 'harvest 2 stopped' }).waitFor();
    await page.getByText('1 record would be 75.0 % fewer than the 4 records of the run before').waitFor();
    await page.locator('summary', { hasText: 'Accept the drop' }).click();
    await page.getByRole('button', { name: 'Accept the drop' }).click();
    await page.getByRole('heading', { level: 1, name: 'harvest 3 succeeded' }).waitFor();

    await page.getByRole('link', { name: 'Activities' }).click();
    const runs = page.getByRole('row').filter({ has: page.getByRole('link', { name: /^harvest \d$/ }) });
    assert.deepEqual(
      (await runs.allTextContents()).map((row) => /succeeded|stopped/.exec(row)?.[0]),
      ['succeeded', 'stopped', 'succeeded'],
    );
  });

  it('fit a phone, and keep what was entered when it is refused', async () => {
    // The browser complains of the answer, which is 400.
    const context = await browser.context({ viewport: { width: 360, height: 740 } });
    const page = await context.newPage();
    await page.goto(`${started.url}/organizations/lane/activities/`);
    await page.getByLabel('Activity').selectOption('mapping');
    await page.getByLabel('Input').fill('other/harvest/a.avro');
    await page.getByLabel('Write a plan').check();
    await page.getByRole('button', { name: 'Run it' }).click();
    await page.getByText(/input has to be a key of lane/i).waitFor();
    assert.equal(await page.getByLabel('Input').inputValue(), 'other/harvest/a.avro');
    assert.ok(await page.getByLabel('Write a plan').isChecked());
    await requireFits(page);
    await context.close();
  });

  async function harvest(page: Page): Promise<void> {
    await page.getByLabel('Activity').selectOption('harvest');
    await page.getByLabel('From').fill(from);
    await page.getByRole('button', { name: 'Run it' }).click();
  }
});

function lines(ids: readonly string[]): string {
  return ids.map((id) => `${JSON.stringify({ id, document: '<r/>', mimetype: 'application/xml' })}\n`).join('');
}
