import assert from 'node:assert/strict';
import type { BrowserContext, Page } from 'playwright-core';
import { Secret } from '../../src/config/secret.ts';
import { useBrowser } from '../support/browser.ts';
import { SQLITE } from '../support/each-store.ts';
import { closeApps, type StartedApp, startApp } from '../support/start-app.ts';

const EVIL = 'http://evil.example.org/';

async function signInWith(page: Page, token: string): Promise<void> {
  await page.getByLabel('Token').fill(token);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

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
    const { token, record } = await started.app.access.tokens.create({ name: 'reader', scopes: ['read:sealed'] });
    context = await browser.context({ javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto(started.url);
    assert.doesNotMatch((await page.textContent('main')) ?? '', /sealed/);

    assert.equal((await page.goto(`${started.url}/sets/sealed/`))?.status(), 404);
    await page.goto(`${started.url}/status?a=b`);
    await page.getByRole('link', { name: 'Sign in' }).click();
    await signInWith(page, `${token}x`);
    await page.getByRole('alert').getByText('The token is not valid.').waitFor();
    await signInWith(page, token);
    await page.waitForURL(`${started.url}/status?a=b`);
    await page.goto(started.url);
    assert.match((await page.textContent('main')) ?? '', /sealed/);
    assert.equal((await page.goto(`${started.url}/sets/sealed/`))?.status(), 200);

    await started.app.access.tokens.revoke(record.id);
    assert.equal((await page.goto(`${started.url}/sets/sealed/`))?.status(), 404);
  });

  it('leads to the form from a page that needs a token, and ends with a button', async () => {
    context = await browser.context();
    const page = await context.newPage();
    await page.goto(`${started.url}/jobs`);
    await signInWith(page, 'open-sesame');
    await page.waitForURL(`${started.url}/jobs`);
    const [cookie] = await context.cookies();
    assert.deepEqual([cookie?.httpOnly, cookie?.sameSite, cookie?.path], [true, 'Lax', '/']);
    assert.equal(await page.evaluate('document.cookie'), '');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.waitForURL(`${started.url}/`);
    assert.deepEqual(await context.cookies(), []);
    await context.addCookies([cookie!]);
    await page.goto(`${started.url}/jobs`);
    await page.getByLabel('Token').waitFor();
  });

  it('says that a form was not sent when the session has ended, and leads back to it', async () => {
    context = await browser.context();
    const page = await context.newPage();
    await page.goto(`${started.url}/tokens?a=b`);
    await signInWith(page, 'open-sesame');
    await page.getByLabel('Name').fill('Reading room');
    await page.getByLabel('Scopes').fill('metrics');
    await context.clearCookies();
    await page.getByRole('button', { name: 'Make the token' }).click();
    await page.getByText('Nothing was changed, because you are not signed in').waitFor();
    await signInWith(page, 'open-sesame');
    await page.waitForURL(`${started.url}/tokens?a=b`);
    assert.deepEqual(await started.app.access.tokens.list(), []);
  });

  it('lets no page of another origin post with what the browser sends by itself', async () => {
    context = await browser.context();
    const page = await context.newPage();
    await page.goto(`${started.url}/sign-in`);
    await signInWith(page, 'open-sesame');
    await page.getByText('Signed in as administrator').waitFor();
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
