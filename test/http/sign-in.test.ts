import assert from 'node:assert/strict';
import type { BrowserContext } from 'playwright-core';
import { Secret } from '../../src/config/configuration.ts';
import { useBrowser } from '../support/browser.ts';
import { SQLITE } from '../support/each-store.ts';
import { closeApps, type StartedApp, startApp } from '../support/start-app.ts';

const EVIL = 'http://evil.example.org/';

describe('Signing in with a browser', () => {
  const browser = useBrowser();
  let started: StartedApp;
  let context: BrowserContext;

  beforeEach(async () => {
    started = await startApp(SQLITE, { token: new Secret('open-sesame') });
    await started.app.sets.add({ slug: 'sealed', urlPrefix: 'https://data.example.org/', private: true });
  });

  afterEach(async () => {
    await context.close();
    await closeApps();
  });

  it('shows what the token may read, until it is revoked', async () => {
    const { token, record } = await started.app.tokens.create({ name: 'reader', scopes: ['read:sealed'] });
    context = await browser.context({ httpCredentials: { username: 'anybody', password: token } });
    const page = await context.newPage();
    await page.goto(started.url);
    assert.doesNotMatch((await page.textContent('main')) ?? '', /sealed/);

    await page.goto(`${started.url}/sign-in`);
    assert.equal(page.url(), `${started.url}/`);
    assert.match((await page.textContent('main')) ?? '', /sealed/);
    assert.equal((await page.goto(`${started.url}/sets/sealed/`))?.status(), 200);

    await started.app.tokens.revoke(record.id);
    assert.equal((await page.goto(`${started.url}/sets/sealed/`))?.status(), 401);
  });

  it('lets no page of another origin post with what the browser sends by itself', async () => {
    context = await browser.context({ httpCredentials: { username: 'anybody', password: 'open-sesame' } });
    const page = await context.newPage();
    await page.goto(`${started.url}/sign-in`);
    const action = `${started.url}/sets/sealed/pages/1-00001/refresh`;
    const body = `<form method="post" action="${action}"><button>win</button></form>`;
    await page.route(EVIL, (route) => route.fulfill({ contentType: 'text/html', body }));
    await page.goto(EVIL);
    const answered = page.waitForResponse(action);
    await page.click('button');
    const answer = await answered;
    assert.equal(answer.status(), 403);
    assert.match(await answer.text(), /may not post here/);
  });
});
