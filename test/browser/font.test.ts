import assert from 'node:assert/strict';
import { ask } from '../support/ask.ts';
import { useBrowser } from '../support/browser.ts';
import { SQLITE } from '../support/each-store.ts';
import { closeApps, type StartedApp, startApp } from '../support/start-app.ts';

describe('The font of pages', () => {
  const browser = useBrowser();
  let started: StartedApp;
  beforeEach(async () => {
    started = await startApp(SQLITE);
    await started.app.sets.add({ slug: 'maps', urlPrefix: 'https://data.example.org/maps/' });
  });
  afterEach(closeApps);

  it('is loaded by pages at every depth, and only what their text needs', async () => {
    for (const path of ['/', '/status', '/sets/maps/', '/jobs']) {
      const page = await browser.open(started.url + path);
      await page.evaluate('document.fonts.ready');
      const loaded = await page.evaluate<string[]>(
        `[...document.fonts].filter(({ family, status }) => family === 'Public Sans' && status === 'loaded').map(({ unicodeRange }) => unicodeRange.slice(0, 8))`,
      );
      assert.deepEqual(loaded, ['U+0-FF, '], path);
    }
  });

  it('is sent with a time for which it may be kept, also to a client that sends no token', async () => {
    const { text } = await ask(`${started.url}/sets/maps/`, { headers: { Accept: 'text/html' } });
    const [, href] = /<link rel="preload" href="([^"]+)"/.exec(text)!;
    const { status, headers } = await ask(new URL(href!, `${started.url}/sets/maps/`).href);
    assert.deepEqual(
      [status, headers['content-type'], headers['cache-control']],
      [200, 'font/woff2', 'public, max-age=31536000, immutable'],
    );
  });
});
