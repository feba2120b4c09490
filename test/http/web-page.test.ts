import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { type Browser, chromium, type Page } from 'playwright-core';
import { ask, askJson } from '../support/ask.ts';
import { describeOnEachStore } from '../support/each-store.ts';
import { closeApps, type StartedApp, startApp } from '../support/start-app.ts';

const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';
const ARGUMENTS = ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--no-first-run'];

describeOnEachStore('Pages for people', (store) => {
  let started: StartedApp;
  beforeEach(async () => {
    started = await startApp(store);
  });
  afterEach(closeApps);

  it('escape what was posted', async () => {
    const urlPrefix = 'https://data.example.org/maps/';
    await started.app.sets.add({ slug: 'maps', title: '<script>alert("1")</script> & more', urlPrefix });
    const changes = [
      { location: { value: `<b>'"&`, type: 'rel_path' }, change: 'created' },
      { location: { value: 'javascript:alert(1)', type: 'url' }, change: 'created' },
    ];
    assert.equal((await askJson(`${started.url}/api/sets/maps/changes`, { changes })).body.applied, 2);
    for (const path of ['/', '/sets/maps/']) {
      const { status, text } = await ask(started.url + path);
      assert.equal(status, 200);
      assert.ok(text.includes('&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; more'));
      assert.doesNotMatch(text, /<script|<b>|href="javascript:/);
    }
  });

  it('show 100 sets at a time', async () => {
    for (let at = 100; at < 205; at++) {
      await started.app.sets.add({ slug: `set-${at}`, urlPrefix: `https://data.example.org/${at}/` });
    }
    const cards = async (query: string) => [...(await ask(`${started.url}/${query}`)).text.matchAll(/class="card"/g)];
    assert.equal((await cards('')).length, 100);
    assert.equal((await cards('?page=2')).length, 5);
    assert.equal((await cards('?page=99')).length, 5);
    assert.equal((await cards('?page=x')).length, 100);
    assert.match((await ask(started.url)).text, /href="\?page=2">Next/);
  });

  it('of a set have an address with a slash', async () => {
    await started.app.sets.add({ slug: 'maps', urlPrefix: 'https://data.example.org/maps/' });
    const { status, headers } = await ask(`${started.url}/sets/maps`);
    assert.deepEqual([status, headers.location], [308, 'maps/']);
  });

  describe('in a browser', () => {
    let browser: Browser | undefined;
    const complaints: string[] = [];
    before(async function () {
      if (existsSync(CHROMIUM)) {
        browser = await chromium.launch({ executablePath: CHROMIUM, args: ARGUMENTS });
        return;
      }
      assert.notEqual(process.env.CI, 'true', `there is no browser at ${CHROMIUM}`);
      console.log(`      there is no browser at ${CHROMIUM}: set CHROMIUM`);
      this.skip();
    });
    after(() => browser?.close());
    afterEach(() => assert.deepEqual(complaints.splice(0), [], 'the browser complains'));

    async function show(path: string, options: Parameters<Browser['newPage']>[0] = {}): Promise<Page> {
      const page = await browser!.newPage(options);
      page.on('console', (message) => complaints.push(message.text()));
      page.on('pageerror', (error) => complaints.push(error.message));
      await page.goto(started.url + path);
      return page;
    }

    async function publish(): Promise<void> {
      const urlPrefix = `${started.url}/sets/maps/resources/`;
      await started.app.sets.add({ slug: 'maps', title: 'Old maps', urlPrefix });
      await started.app.sets.add({ slug: 'scans', root: started.folder });
      const name = `${'a long name '.repeat(20)}.tiff`;
      const changes = ['north.tiff', 'south.tiff', name].map((value) => ({
        location: { value, type: 'rel_path' },
        change: 'created',
        length: 2_500_000,
      }));
      assert.equal((await askJson(`${started.url}/api/sets/maps/changes`, { changes })).body.applied, 3);
    }

    it('lead from the sets to their documents', async () => {
      await publish();
      const page = await show('/');
      const [maps, scans] = await page.locator('.card').allInnerTexts();
      assert.match(maps ?? '', /Old maps maps live\s+resources\s+3\s+changes\s+3\s/);
      assert.match(scans ?? '', /scans\s+scanning…/);
      assert.equal(await page.locator('time').count(), 1);

      await page.getByRole('link', { name: 'Old maps' }).click();
      assert.equal(await page.getByRole('heading', { level: 1 }).innerText(), 'Old maps live');
      assert.equal(await page.getByRole('cell', { name: 'created' }).count(), 3);
      assert.equal(await page.getByRole('cell', { name: '2.5 MB' }).count(), 3);
      const documents = await page.locator('table').first().getByRole('link').all();
      assert.equal(documents.length, 4);
      for (const document of documents) {
        assert.equal((await ask((await document.getAttribute('href')) ?? '')).status, 200);
      }
      await page.close();
    });

    it('have their style, fit a phone and follow a dark mode', async () => {
      await publish();
      const look = `({
        background: getComputedStyle(document.body).backgroundColor,
        isTooWide: document.documentElement.scrollWidth > innerWidth,
      })`;
      for (const path of ['/', '/sets/maps/']) {
        const light = await show(path, { viewport: { width: 360, height: 700 } });
        const dark = await show(path, { colorScheme: 'dark' });
        assert.deepEqual(await light.evaluate(look), { background: 'rgb(245, 248, 248)', isTooWide: false });
        assert.deepEqual(await dark.evaluate(look), { background: 'rgb(16, 25, 29)', isTooWide: false });
        await light.close();
        await dark.close();
      }
    });
  });
});
