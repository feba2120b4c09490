import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';

const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';
/** How long it may take to start, and for one action: a machine that runs tests may be busy. */
const TIMEOUTS_MS = { start: 180_000, action: 120_000 };
const ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
];

export interface TestBrowser {
  /** A context that the caller closes. */
  context(options?: BrowserContextOptions): Promise<BrowserContext>;
  /** Opens a page in a context of its own; what the browser complains of fails the test. */
  open(url: string, options?: BrowserContextOptions): Promise<Page>;
}

/** A real browser for the tests of a suite. Where there is none, they are skipped. */
export function useBrowser(): TestBrowser {
  let browser: Browser | undefined;
  const open: Page[] = [];
  const complaints: string[] = [];

  before(async function () {
    if (!existsSync(CHROMIUM)) {
      assert.notEqual(process.env.CI, 'true', `there is no browser at ${CHROMIUM}`);
      console.log(`      there is no browser at ${CHROMIUM}: set CHROMIUM`);
      this.skip();
    }
    browser = await chromium.launch({ executablePath: CHROMIUM, args: ARGUMENTS, timeout: TIMEOUTS_MS.start });
  });
  after(() => browser?.close());

  afterEach(async () => {
    for (const page of open.splice(0)) await page.context().close();
    assert.deepEqual(complaints.splice(0), [], 'the browser complains');
  });

  async function makeContext(options?: BrowserContextOptions): Promise<BrowserContext> {
    const context = await browser!.newContext(options);
    context.setDefaultTimeout(TIMEOUTS_MS.action);
    return context;
  }

  return {
    context: makeContext,
    async open(url, options = {}) {
      const context = await makeContext(options);
      const page = await context.newPage();
      open.push(page);
      page.on('console', (message) => complaints.push(message.text()));
      page.on('pageerror', (error) => complaints.push(error.message));
      await page.goto(url);
      return page;
    },
  };
}
