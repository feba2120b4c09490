import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { AxeResults } from 'axe-core';
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { Secret } from '../../src/config/secret.ts';
import { requestId } from '../../src/datasets/results/requests.ts';
import { requireFits, useBrowser } from '../support/browser.ts';
import { SQLITE } from '../support/each-store.ts';
import { endRequest, shownFiles } from '../support/ended-requests.ts';
import { OaiServer, oaiRecords } from '../support/oai-server.ts';
import { closeApps, type StartedApp, startApp } from '../support/start-app.ts';
import { marc } from '../support/upload-packages.ts';
import { ProcessedStream } from '../support/upload-processing.ts';
import { event, post, publishSets } from '../support/web-source.ts';

const AXE = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');
const DATASET = 'https://doi.org/10.5072/FK2/ABC';
/** One of each kind: looking at all of them takes too long. */
const LOOKED_AT = [
  '/',
  '/status',
  '/sign-in',
  '/tokens',
  '/add-set',
  '/sets/maps/settings',
  '/sets/scans/settings',
  '/validate',
  '/jobs',
  '/jobs/build/running',
  '/jobs/fetch/failed',
  '/tokens/made',
  '/subscriptions',
  '/organizations/',
  '/add-organization',
  '/organizations/lane/',
  '/organizations/lane/settings',
  '/organizations/lane/upload',
  '/organizations/lane/streams/main/',
  '/organizations/lane/streams/main/uploads/1/',
  '/organizations/lane/streams/main/uploads/2/',
  '/collections/',
  '/collections/arxiv/',
  '/collections/arxiv/settings',
  '/collections/arxiv/harvests/1/',
  '/datasets/',
  `/datasets/${requestId({ ingest_type: 'dataset', base_url: DATASET })}/`,
  '/sets/maps/',
  '/sets/maps/changes',
  '/sets/maps/find?q=sheet%201',
  '/sets/maps/resource?key=%2Fnorth%2Fsheet%25201.tiff',
  '/sets/maps/resource?key=%2Fnorth%2Fsheet%25202.tiff',
  '/sets/maps/pages',
  '/sets/hostile/postings',
  '/sets/scans/',
  '/.well-known/resourcesync',
  '/sets/maps/resourcelist.xml',
  '/sets/maps/resourcelist-1-00000001.xml',
  '/sets/maps/changelist.xml',
  '/sets/hostile/resourcelist.xml',
  '/sets/scans/resourcelist.xml',
];
const NARROW = { width: 320, height: 700 };
const WIDE = { width: 1280, height: 900 };

/** What axe looks for that depends on colours and on the width. */
const LOOKS = ['color-contrast', 'link-in-text-block', 'scrollable-region-focusable', 'target-size'];

/** What axe finds on a page, in a line each. */
async function findings(page: Page, rules?: readonly string[]): Promise<readonly string[]> {
  const found = await page.evaluate<AxeResults>(
    `axe.run({ resultTypes: ['violations'], runOnly: ${JSON.stringify(rules)} })`,
  );
  return found.violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${help}\n${html}\n${failureSummary}`),
  );
}

/** A job with progress and a log, and one that failed with a long address in its error. */
async function runJob({ app: { jobs } }: StartedApp): Promise<void> {
  await jobs.queue.add('build', 'running', {});
  const claim = async (kind: string) => {
    const worker = { name: 'tester', leaseMs: 60_000 };
    return (await jobs.queue.claimer({ kinds: [kind], worker, mostDeaths: 1 }).claim())!;
  };
  await (await claim('build')).putLog(['a line'], { done: 1, total: 3, text: 'page 1' });
  await jobs.queue.add('fetch', 'failed', {});
  const failing = await claim('fetch');
  const error = `${'https://catalog.library.example.org/export/of/all/records/'.repeat(2)} was not fetched`;
  await failing.putLog([error]);
  await failing.finish({ state: 'failed', error });
}

/** An organization with an upload that was processed, and one that waits. */
async function deliver({ app }: StartedApp): Promise<void> {
  const stream = await ProcessedStream.make(app);
  const bad = Buffer.from(marc('2'));
  bad.write('x', 26);
  const files = { 'new.mrc': Buffer.concat([marc('1'), bad]), 'read.me': '%PDF-1.4', 'gone.txt': '7\n8\n' };
  await stream.process(await stream.upload(files));
  await stream.upload({ 'later.mrc': marc('3') });
}

/** A collection with a harvest that has errors. */
async function harvest({ app }: StartedApp): Promise<void> {
  const [first, ...others] = oaiRecords(5);
  const repository = await OaiServer.start({ records: [{ ...first!, datestamp: 'soon' }, ...others] });
  const { collections, harvestRunner } = app.records;
  await collections.add('arxiv', { baseUrl: repository.url, format: 'oai_dc', schedule: '15 2 * * *' });
  const attempt = { signal: new AbortController().signal, report() {}, log() {} };
  await harvestRunner.runHere('arxiv', { kind: 'full' }, attempt);
  await repository.close();
}

/** A request of a dataset that failed. */
async function ingest({ app }: StartedApp): Promise<void> {
  const result = { hit: false, status: 'mismatch-md5', message: '1 file differs: ask the platform' } as const;
  await endRequest(app, { url: DATASET, result, files: shownFiles(4, [3]) });
}

const shows = (page: Page, title: string) =>
  page.getByRole('heading', { level: 1, name: title, exact: true }).waitFor();

describe('Pages in a real browser', () => {
  const browser = useBrowser();

  describe('are accessible', () => {
    let started: StartedApp;
    let context: BrowserContext;
    /** One for all, which is faster by far than one for each. */
    let page: Page;
    before(async () => {
      started = await startApp(SQLITE, { harvestNetworks: ['127.0.0.1'] });
      await publishSets(started);
      await runJob(started);
      await deliver(started);
      await harvest(started);
      await ingest(started);
      context = await browser.context({ viewport: WIDE });
      await context.addInitScript(AXE);
      page = await context.newPage();
    });
    after(async () => {
      await context?.close();
      await closeApps();
    });

    for (const path of LOOKED_AT) {
      it(`wide and light, narrow and dark: ${path}`, async () => {
        await page.emulateMedia({ colorScheme: 'light' });
        await page.setViewportSize(WIDE);
        await page.goto(started.url + path);
        for (const summary of await page.locator('summary').all()) await summary.click();
        assert.deepEqual(await findings(page), []);
        await page.emulateMedia({ colorScheme: 'dark' });
        await page.setViewportSize(NARROW);
        assert.deepEqual(await findings(page, LOOKS), [], 'in dark mode, on a small phone');
        await requireFits(page);
      });
    }
  });

  describe('work', () => {
    let started: StartedApp;
    before(async () => {
      started = await startApp(SQLITE);
      await publishSets(started);
    });
    after(closeApps);

    const open = (path: string, options?: BrowserContextOptions) => browser.open(started.url + path, options);

    for (const javaScriptEnabled of [true, false]) {
      const how = javaScriptEnabled ? 'with' : 'without';
      it(`lead from the sets to a resource, and to the documents, ${how} JavaScript`, async () => {
        const page = await open('/', { javaScriptEnabled });
        await page.getByRole('link', { name: 'Old maps' }).click();
        await shows(page, 'Old maps');
        await page.getByLabel('Search the resources').fill('sheet 12');
        await page.getByRole('button', { name: 'Search' }).click();
        await page.getByRole('link', { name: 'north/sheet 12.tiff' }).click();
        await shows(page, 'north/sheet 12.tiff');
        // It fails when there are two.
        await page.getByRole('cell', { name: 'created' }).waitFor();

        await page.getByRole('link', { name: 'Old maps' }).click();
        await page.getByRole('link', { name: 'Capability List' }).click();
        await page.getByRole('link', { name: /resourcelist\.xml$/ }).click();
        await page.getByRole('link', { name: /resourcelist-1-00000001\.xml$/ }).click();
        await shows(page, 'Page of the Resource List');
        await page.getByRole('link', { name: 'history' }).first().click();
        await page.waitForURL(/\/sets\/maps\/resource\?uri=/);
      });

      it(`render a page of the list anew by a button, ${how} JavaScript`, async () => {
        const page = await open('/sets/maps/pages', { javaScriptEnabled });
        await page.getByRole('button', { name: 'Refresh page 1-00000002' }).click();
        await page.getByText('The page 1-00000002 was rendered anew.').waitFor();
      });

      it(`cancel and retry a job by buttons, with the keyboard, ${how} JavaScript`, async () => {
        const job = `build/waiting-${how}`;
        await started.app.jobs.queue.add('build', `waiting-${how}`, {});
        const page = await open('/jobs', { javaScriptEnabled });
        // Nothing happens before it is confirmed.
        const press = async (name: string, confirmation: string) => {
          const confirm = page.getByRole('button', { name: confirmation });
          assert.equal(await confirm.isVisible(), false);
          await page.locator('summary', { hasText: name }).focus();
          await page.keyboard.press('Enter');
          await confirm.focus();
          await page.keyboard.press('Enter');
        };
        await press(`Cancel ${job} …`, `Cancel it ${job}`);
        await page.getByText(`The job ${job} was cancelled.`).waitFor();
        await page.getByRole('link', { name: job, exact: true }).click();
        await press(`Retry ${job} …`, `Retry it ${job}`);
        await page.getByText(`The job ${job} is queued`).waitFor();
      });
    }

    it('can be used with the keyboard alone', async () => {
      const page = await open('/sets/maps/');
      await page.keyboard.press('Tab');
      assert.equal(await page.locator(':focus').innerText(), 'Skip to the content');
      await page.keyboard.press('Enter');
      await page.keyboard.press('Tab');
      assert.equal(await page.locator(':focus').innerText(), 'All sets');
      for (let at = 0; at < 20; at++) {
        await page.keyboard.press('Tab');
        if (await page.locator('input:focus').count()) break;
      }
      await page.keyboard.type('sheet 3');
      await page.keyboard.press('Enter');
      await page.getByRole('link', { name: 'north/sheet 3.tiff' }).waitFor();
    });

    it('lead to the XML of a document, which the browser shows as a tree that can be folded', async () => {
      const page = await open('/sets/maps/resourcelist.xml');
      await page.getByRole('link', { name: 'What programs read' }).click();
      await page.waitForURL(/format=xml/);
      const font = `getComputedStyle(document.querySelector('.folder .line')).fontFamily`;
      assert.match(await page.evaluate<string>(font), /monospace/);
    });

    it('show every column of changes on a phone', async () => {
      const page = await open('/sets/maps/changes', { viewport: { width: 360, height: 700 } });
      const row = page.getByRole('row', { name: 'north/sheet 12.tiff' });
      for (const text of ['north/sheet 12.tiff', 'created', '2.50 MB']) {
        const box = (await row.getByText(text).boundingBox())!;
        assert.ok(box.x >= 0 && box.x + box.width <= 360, `${text}: ${JSON.stringify(box)}`);
      }
    });

    it('show every tab of a set on a phone', async () => {
      const page = await open('/sets/maps/settings', { viewport: { width: 390, height: 700 } });
      const tabs = await page.getByRole('navigation', { name: 'This set' }).getByRole('link').all();
      assert.equal(tabs.length, 6);
      for (const tab of tabs) {
        const { x, width } = (await tab.boundingBox())!;
        assert.ok(x >= 0 && x + width <= 390, `${await tab.innerText()}: ${x} to ${x + width}`);
      }
    });

    it('are read again while a set is being read', async () => {
      await started.app.sets.add({ slug: 'empty', urlPrefix: 'https://data.example.org/empty/' });
      const page = await open('/');
      await page.getByText('being read').waitFor();
      await page.evaluate('document.body.dataset.again = "0.1"; plan()');
      await post(started, 'empty', [event('new')]);
      const row = page.getByRole('row', { name: 'empty' });
      await row.getByRole('cell', { name: '1', exact: true }).first().waitFor();
      await started.app.sets.markReady('scans');
      await page.getByText('being read').waitFor({ state: 'detached' });
      // It would go on to ask a server that is closed.
      await page.context().close();
    });

    it('show changes of a set as they happen', async () => {
      const page = await open('/sets/maps/');
      await post(started, 'maps', [event('seen at once')]);
      await page.getByRole('link', { name: 'seen at once' }).first().waitFor();
      // It would go on to ask a server that is closed.
      await page.context().close();
    });

    it('follow changes again after a proxy has answered for a server that was away', async () => {
      const context = await browser.context();
      try {
        const page = await context.newPage();
        await page.clock.install();
        const stream = /\/changes\/stream/;
        await page.route(stream, (route) => route.fulfill({ status: 502 }), { times: 1 });
        const refused = page.waitForResponse(stream);
        await page.goto(`${started.url}/sets/maps/`);
        await refused;
        const admitted = page.waitForRequest(stream);
        await page.clock.runFor(10_000);
        await admitted;
      } finally {
        await context.close();
      }
    });

    it('follow a base URL with a path that only a proxy knows of', async () => {
      const page = await open('/sets/maps/resourcelist.xml');
      const links = await page.evaluate<string[]>(
        `[...document.querySelectorAll('a[href]')].map((a) => a.getAttribute('href'))`,
      );
      assert.deepEqual(
        links.filter((href) => href.startsWith('/')),
        [],
      );
    });
  });

  describe('after signing in', () => {
    let started: StartedApp;
    beforeEach(async () => {
      started = await startApp(SQLITE, { token: new Secret('the-administrator') });
      const { sets } = started.app;
      await sets.add({ slug: 'letters', urlPrefix: 'https://data.example.org/letters/', private: true });
    });
    afterEach(closeApps);

    it('show private sets, and let an administrator use the buttons', async () => {
      const page = await browser.open(started.url);
      assert.equal(await page.getByRole('link', { name: 'letters' }).count(), 0);
      await page.getByRole('link', { name: 'Sign in' }).click();
      await page.getByLabel('Token').fill('the-administrator');
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByText('Signed in as administrator').waitFor();
      await page.getByRole('link', { name: 'letters' }).click();
      await page.getByRole('link', { name: 'Pages' }).click();
      await page.getByRole('button', { name: 'Refresh page 1-00000001' }).click();
      await page.getByText('The page 1-00000001 was rendered anew.').waitFor();
    });
  });
});
