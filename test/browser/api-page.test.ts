import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { AxeResults } from 'axe-core';
import { requireFits, useBrowser } from '../support/browser.ts';
import { SQLITE } from '../support/each-store.ts';
import { closeApps, startApp } from '../support/start-app.ts';

const AXE = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');
/** One part of each kind: the pages have many, and looking at all of them takes too long. */
const PARTS = {
  '': ['header', 'h1', 'pre', '.contents', '#errors', '#postChanges'],
  'reference/changes': ['h1', '.contents', '#postChanges'],
  'reference/shapes': ['h1', '#ChangeEvent'],
};

describe('The pages of the API', () => {
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
    it(`are accessible and fit, ${look}`, async () => {
      for (const [path, parts] of Object.entries(PARTS)) {
        const page = await browser.open(url + path, { ...options, javaScriptEnabled: true });
        await page.evaluate(AXE);
        const found = await page.evaluate<AxeResults>(
          `axe.run({ include: ${JSON.stringify(parts)} }, { resultTypes: ['violations'] })`,
        );
        assert.deepEqual(
          found.violations.map(({ help, nodes }) => `${help}: ${nodes[0]?.html}`),
          [],
        );
        await requireFits(page);
      }
    });
  }

  it('have a list of groups that opens at the current one, and samples that name a set that exists', async () => {
    const page = await browser.open(url, { viewport: { width: 1280, height: 900 } });
    const contents = page.getByRole('navigation', { name: 'API' });
    await contents.getByRole('link', { name: 'Changes', exact: true }).click();
    await contents.getByRole('link', { name: 'Posts change events' }).click();
    await page.waitForURL(/\/api\/reference\/changes#postChanges$/);
    assert.deepEqual(await contents.locator('[aria-current=page]').allInnerTexts(), ['Changes']);
    const samples = await page.locator('pre code').allInnerTexts();
    assert.ok(samples.some((text) => text.includes('/api/sets/maps/changes')));
    assert.ok(!samples.some((text) => /\/sets\/papers/.test(text)));
  });

  it('lead to what a program reads, without JavaScript', async () => {
    const page = await browser.open(url, { javaScriptEnabled: false });
    const [answer] = await Promise.all([
      page.waitForResponse(/openapi\.json$/),
      page.getByRole('link', { name: 'openapi.json' }).click(),
    ]);
    assert.equal((await answer.json()).openapi.slice(0, 3), '3.1');
  });
});
