// Writes docs/images/: the pages of a source with sample collections, as Chromium shows them.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { type Browser, chromium } from 'playwright-core';
import { type App, openApp } from '../src/app.ts';
import { Secret } from '../src/config/secret.ts';
import { startServer } from '../src/http/server/server.ts';
import { testConfiguration } from '../test/support/start-app.ts';
import { fillSampleCollections, HARVEST_WITH_ERRORS } from './sample-collections.ts';
import { fillSampleDatasets } from './sample-datasets.ts';
import { fillSampleNeighbours } from './sample-neighbours.ts';
import { fillSampleOrganizations, SHOWN } from './sample-organizations.ts';
import { fillSampleSource } from './sample-source.ts';

const FOLDER = process.argv[2] ?? join(import.meta.dirname, '../docs/images');
const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';
const ARGUMENTS = ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--hide-scrollbars'];
const ADMINISTRATOR = 'a-token-for-screenshots-only';

interface Shot {
  readonly name: string;
  readonly path: string;
  readonly dark?: boolean;
  readonly width?: number;
  readonly height?: number;
  /** As a visitor without a token sees it. */
  readonly anonymous?: boolean;
  /** Opened before the picture is taken. */
  readonly open?: string;
  /** What is scrolled to. */
  readonly at?: string;
}

const RESOURCE = encodeURIComponent('/alps/1550/sheet-00000.tif');
const SHOTS: readonly Shot[] = [
  { name: 'home', path: '/', height: 700, anonymous: true },
  { name: 'set', path: '/sets/newspapers/', height: 1180 },
  { name: 'set-dark', path: '/sets/maps/', dark: true, height: 860 },
  { name: 'set-phone', path: '/sets/newspapers/', width: 390, height: 1280, anonymous: true },
  { name: 'resource', path: `/sets/maps/resource?key=${RESOURCE}`, height: 800 },
  { name: 'document', path: '/sets/maps/changelist-recent.xml', height: 860 },
  { name: 'pages', path: '/sets/newspapers/pages', height: 800 },
  { name: 'postings', path: '/sets/maps/postings', height: 800, open: 'summary' },
];
/** Taken when there are organizations, too: other pages show them as well. */
const SHOTS_OF_ORGANIZATIONS: readonly Shot[] = [
  { name: 'organization', path: '/organizations/lane/', height: 1240 },
  { name: 'organization-dumps', path: '/organizations/lane/', height: 1068, at: '#errors' },
  { name: 'upload', path: `/organizations/lane/streams/full-2026/uploads/${SHOWN.withErrata}/`, height: 1300 },
  { name: 'upload-form', path: '/organizations/lane/upload', height: 860 },
];
/** Taken last, for the same reason. */
const SHOTS_OF_COLLECTIONS: readonly Shot[] = [
  { name: 'collection', path: '/collections/preprints/', height: 1080 },
  { name: 'harvest', path: `/collections/preprints/harvests/${HARVEST_WITH_ERRORS}/`, height: 1120 },
];
/** With more organizations, which no other page shows. */
const OVERVIEW: Shot = { name: 'organizations', path: '/organizations/?sort=failures&order=desc', height: 700 };
const SHOTS_OF_DATASETS: readonly Shot[] = [{ name: 'datasets', path: '/datasets/', height: 1180 }];

const folder = await mkdtemp(join(tmpdir(), 'tidemark-screenshots-'));
const configuration = testConfiguration(folder, {
  baseUrl: 'https://sync.example.org',
  token: new Secret(ADMINISTRATOR),
  harvestNetworks: ['127.0.0.1'],
});
const app = await openApp(configuration);
const browser = await chromium.launch({ executablePath: CHROMIUM, args: ARGUMENTS });
try {
  await app.sets.useBaseUrl(configuration.baseUrl, true);
  await fillSampleSource(app, Date.now());
  const server = await startServer(app, { host: '127.0.0.1', port: 0 });
  try {
    await postSome(app, server.url);
    for (const path of ['/sets/newspapers/resourcelist.xml', '/sets/newspapers/resourcelist-1-00000001.xml'])
      await fetch(server.url + path);
    // Sparklines are shown when they were counted in time: the second time at the latest.
    while (!(await (await fetch(server.url)).text()).includes('class="sparkline"')) await setTimeout(500);
    const wanted = process.argv.slice(3);
    const takeWanted = async (shots: readonly Shot[]) => {
      for (const shot of shots)
        if (wanted.length === 0 || wanted.includes(shot.name)) await take(browser, server.url, shot);
    };
    await takeWanted(SHOTS);
    await fillSampleOrganizations(app, Date.now());
    await takeWanted(SHOTS_OF_ORGANIZATIONS);
    await fillSampleCollections(app, Date.now());
    await takeWanted(SHOTS_OF_COLLECTIONS);
    const failed = await fillSampleDatasets(app, Date.now());
    await takeWanted([...SHOTS_OF_DATASETS, { name: 'dataset', path: `/datasets/${failed}/`, height: 1180 }]);
    await fillSampleNeighbours(app, Date.now());
    await takeWanted([OVERVIEW]);
  } finally {
    await server.close();
  }
} finally {
  await browser.close();
  await app.close();
  await rm(folder, { recursive: true });
}

async function take(
  browser: Browser,
  url: string,
  { name, path, dark = false, width = 1180, height = 800, anonymous = false, open, at }: Shot,
): Promise<void> {
  const page = await browser.newPage({
    viewport: { width, height },
    colorScheme: dark ? 'dark' : 'light',
    deviceScaleFactor: 1.25,
    ...(!anonymous && { extraHTTPHeaders: { Authorization: `Bearer ${ADMINISTRATOR}` } }),
  });
  await page.goto(url + path);
  if (open !== undefined) await page.locator(open).first().click();
  if (at !== undefined) await page.locator(at).evaluate((element) => element.scrollIntoView());
  await page.screenshot({ path: join(FOLDER, `${name}.png`) });
  await page.close();
}

/** Postings of today, as harvesting components send them; some of the events are wrong. */
async function postSome({ access: { tokens } }: App, url: string): Promise<void> {
  const catalogue = await tokens.create({ name: 'Catalogue export', scopes: ['post:maps'] });
  const scanners = await tokens.create({ name: 'Scanning workshop', scopes: ['post:maps'] });
  const event = (value: string, fields: object = {}) => ({
    location: { value, type: 'rel_path' },
    change: 'updated',
    mime: 'image/tiff',
    length: 61_447_120,
    ...fields,
  });
  const post = (token: string, changes: readonly object[]) =>
    fetch(`${url}/api/sets/maps/changes`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ changes }),
    });
  const sheets = Array.from({ length: 140 }, (_, at) => event(`rhine/1712/plate-${at + 1}.tif`));
  await post(scanners.token, sheets);
  await post(catalogue.token, [
    event('alps/1550/sheet-00000.tif', {
      lastmod: new Date(Date.now() - 90_000).toISOString(),
      hash: 'sha-256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
      ln: [{ rel: 'describedby', href: { value: 'https://maps.example.org/catalogue/ALP-1550', type: 'url' } }],
    }),
    event('alps/1551/sheet-00350.tif', { lastmod: '2026-11-20 14:02' }),
    event('../private/register.tif'),
    event('danube/1604/sheet-00054.tif', { md5: 'c0ffee' }),
  ]);
  await post(catalogue.token, sheets.slice(0, 120));
}
