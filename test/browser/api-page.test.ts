import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { AxeResults } from 'axe-core';
import { requireFits, useBrowser } from '../support/browser.ts';
import { SQLITE } from '../support/each-store.ts';
import { closeApps, startApp } from '../support/start-app.ts';

const AXE = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');
/** One part of each kind: the page has many, and looking at all of them takes too long. */
const PARTS = ['header', 'h1', 'pre', '.contents', '#sourceDescription', '#postChanges', '#errors', '#ChangeEvent'];

describe('The page of the API', () => {
  const browser = useBrowser();
  let url: string;
  before(async () => {
    const { url: base, app } = await startApp(SQLITE);
    await app.sets.add({ slug: 'maps', urlPrefix: 'https://data.example.org/maps/' });
    url = `${base}/api/`;
  });
  after(closeApps);

  for (const [look, options] of [
    ['wide and light', { viewport: { width: 1280, height: 900 }, colorScheme: 'light' }],
    ['narrow and dark', { viewport: { width: 320, height: 700 }, colorScheme: 'dark' }],
  ] as const) {
    it(`is accessible and fits, ${look}`, async () => {
      const page = await browser.open(url, { ...options, javaScriptEnabled: true });
      await page.evaluate(AXE);
      const found = await page.evaluate<AxeResults>(
        `axe.run({ include: ${JSON.stringify(PARTS)} }, { resultTypes: ['violations'] })`,
      );
      assert.deepEqual(
        found.violations.map(({ help, nodes }) => `${help}: ${nodes[0]?.html}`),
        [],
      );
      await page.evaluate(`for (const one of document.querySelectorAll('details')) one.open = true`);
      await requireFits(page);
    });
  }

  it('has a list of operations that opens, and samples that name a set that exists', async () => {
    const page = await browser.open(url, { viewport: { width: 1280, height: 900 } });
    await page.locator('summary', { hasText: 'Changes' }).click();
    await page
      .getByRole('navigation', { name: 'Operations' })
      .getByRole('link', { name: 'Posts change events' })
      .click();
    await page.waitForURL(/#postChanges$/);
    const samples = await page.locator('pre code').allInnerTexts();
    assert.ok(samples.some((text) => text.includes('/api/sets/maps/changes')));
    assert.ok(!samples.some((text) => /\/sets\/papers/.test(text)));
  });

  it('leads to what a program reads, without JavaScript', async () => {
    const page = await browser.open(url, { javaScriptEnabled: false });
    const [answer] = await Promise.all([
      page.waitForResponse(/openapi\.json$/),
      page.getByRole('link', { name: 'openapi.json' }).click(),
    ]);
    assert.equal((await answer.json()).openapi.slice(0, 3), '3.1');
  });
});
