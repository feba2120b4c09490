import { requireFits, useBrowser } from '../support/browser.ts';
import { SQLITE } from '../support/each-store.ts';
import { endRequest, shownFiles } from '../support/ended-requests.ts';
import { closeApps, type StartedApp, startApp } from '../support/start-app.ts';

const PHONE = { viewport: { width: 360, height: 740 } };
const URL_OF_DOI = 'https://doi.org/10.5072/FK2/ABC';

describe('Pages of datasets', () => {
  const browser = useBrowser();
  let started: StartedApp;
  beforeEach(async () => {
    started = await startApp(SQLITE);
  });
  afterEach(closeApps);

  it('lead from an empty source to a request, to what failed and why, and to another attempt', async () => {
    // An answer with 400 is no complaint here.
    const context = await browser.context();
    const page = await context.newPage();
    await page.goto(started.url);
    await page.getByRole('link', { name: 'Datasets', exact: true }).click();
    await page.getByText('No dataset was requested yet').waitFor();
    const address = page.getByLabel('Add a dataset');
    await address.fill('ftp://example.org/a');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('alert').getByText('use a URL with http or https').waitFor();
    await address.fill('doi:10.5072/FK2/ABC');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'doi:10.5072/FK2/ABC waiting' }).waitFor();

    const message =
      '2 files differ from what the platform says: see which, and --accept-mismatch stores them all the same';
    const result = { hit: false, status: 'mismatch-md5', message } as const;
    await endRequest(started.app, { url: URL_OF_DOI, result, files: shownFiles(1000, [7, 800]) });
    // It reloads itself.
    await page.getByRole('heading', { level: 1, name: 'doi:10.5072/FK2/ABC mismatch-md5' }).waitFor();
    await page.getByText(message).waitFor();
    await page.getByText('1,000 files. 2 files failed, and so the dataset is not stored.').waitFor();
    await page.getByRole('row', { name: /"survey\/part 800\.csv" has another MD5/ }).waitFor();
    await page.getByRole('link', { name: 'Last »' }).click();
    await page.getByRole('rowheader', { name: 'survey/part 1000.csv' }).waitFor();

    await page.getByRole('link', { name: 'Datasets', exact: true }).last().click();
    await page.getByLabel('Status').selectOption('success');
    await page.getByRole('button', { name: 'Filter' }).click();
    await page.getByText('There is no such request.').waitFor();
    await page.getByLabel('Status').selectOption('mismatch-md5');
    await page.getByRole('button', { name: 'Filter' }).click();
    await page.getByRole('link', { name: 'doi:10.5072/FK2/ABC' }).click();
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('It is requested again. It waits for a process').waitFor();
    await context.close();
  });

  it('fit on a phone', async () => {
    const message = 'dataverse.example.org denies 1 file: ask its owner';
    const result = { hit: false, status: 'platform-restricted', message } as const;
    const id = await endRequest(started.app, {
      url: `https://example.org/${'long'.repeat(40)}`,
      result,
      files: shownFiles(3),
    });
    await endRequest(started.app, { url: URL_OF_DOI, files: shownFiles(2) });
    for (const path of ['datasets/', `datasets/${id}/`]) {
      await requireFits(await browser.open(`${started.url}/${path}`, PHONE));
    }
  });
});
