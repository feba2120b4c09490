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
  /**
   * Opens a page without cookies; what the browser complains of fails the test. The tests of a suite use the same page
   * one after the other, if their options are the same: it takes a second of the processor to start one. A test may
   * close it.
   */
  open(url: string, options?: BrowserContextOptions): Promise<Page>;
}

/** A real browser for the tests of a suite. Where there is none, they are skipped. */
export function useBrowser(): TestBrowser {
  let browser: Browser | undefined;
  const pages = new Map<string, Page>();
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
    for (const page of pages.values()) await leave(page);
    assert.deepEqual(complaints.splice(0), [], 'the browser complains');
  });

  async function makeContext(options?: BrowserContextOptions): Promise<BrowserContext> {
    const context = await browser!.newContext(options);
    context.setDefaultTimeout(TIMEOUTS_MS.action);
    return context;
  }

  async function makePage(options: BrowserContextOptions): Promise<Page> {
    const context = await makeContext(options);
    const page = await context.newPage();
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(error.message));
    return page;
  }

  return {
    context: makeContext,
    async open(url, options = {}) {
      const key = JSON.stringify(options);
      const known = pages.get(key);
      const page = known === undefined || known.isClosed() ? await makePage(options) : known;
      pages.set(key, page);
      await page.goto(url);
      return page;
    },
  };
}

/** Tables whose rows are blocks on a phone, and are wider than it all the same. */
const CUT = `[...document.querySelectorAll('.scroll:has(.stacks)')]
  .filter((place) => place.scrollWidth > place.clientWidth).map((place) => place.ariaLabel)`;

/** Fails when a page is wider than the window. */
export async function requireFits(page: Page): Promise<void> {
  const isTooWide = await page.evaluate<boolean>('document.documentElement.scrollWidth > innerWidth');
  assert.equal(isTooWide, false, 'it is too wide');
  assert.deepEqual(await page.evaluate<string[]>(CUT), [], 'rows are cut');
}

async function leave(page: Page): Promise<void> {
  if (page.isClosed()) return;
  await page.goto('about:blank');
  await page.context().clearCookies();
}
