import assert from 'node:assert/strict';
import { originOfRoot } from '../../src/core/stored-set.ts';
import { ask, askJson } from './ask.ts';
import type { StartedApp } from './start-app.ts';

/** What browsers send. */
export const BROWSER = { Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };

export const HOSTILE = `<script>alert("1")</script>&'`;

/** A page as text; fails unless it is one. */
export async function pageAt(url: string, headers: Record<string, string> = {}): Promise<string> {
  const { status, text, headers: answered } = await ask(url, { headers: { ...BROWSER, ...headers } });
  assert.equal(status, 200, `${url}: ${text.slice(0, 500)}`);
  assert.equal(answered['content-type'], 'text/html; charset=utf-8', url);
  return text;
}

export function event(value: string, fields: object = {}) {
  return { location: { value, type: 'rel_path' }, change: 'created', ...fields };
}

export async function post({ url }: StartedApp, slug: string, changes: readonly object[]): Promise<void> {
  assert.equal((await askJson(`${url}/api/sets/${slug}/changes`, { changes })).status, 200);
}

/**
 * A source with a set of resources with states, histories and links, one that is being read, and one with hostile texts
 * wherever a client may have put one.
 */
export async function publishSets(started: StartedApp): Promise<void> {
  const { sets } = started.app;
  await sets.add({ slug: 'maps', title: 'Old maps', urlPrefix: `${started.url}/sets/maps/resources/`, pageEntries: 4 });
  await sets.add({ slug: 'scans', origin: originOfRoot(started.folder) });
  const hostile = await sets.add({ slug: 'hostile', title: HOSTILE, urlPrefix: 'https://data.example.org/' });
  const names = Array.from({ length: 12 }, (_, at) => `north/sheet ${at + 1}.tiff`);
  await post(started, 'maps', [
    ...names.map((name) => event(name, { length: 2_500_000, mime: 'image/tiff', lastmod: '2026-02-03T12:25:00Z' })),
    event(`${'a long name '.repeat(20)}.tiff`),
  ]);
  await post(started, 'maps', [
    event('north/sheet 1.tiff', {
      change: 'updated',
      length: 3_000_000,
      md5: 'd41d8cd98f00b204e9800998ecf8427e',
      ln: [{ rel: 'describedby', href: { value: 'https://example.org/about', type: 'url' } }],
    }),
    event('north/sheet 2.tiff', { change: 'deleted' }),
    event('../outside.tiff'),
  ]);
  await post(started, 'hostile', [
    event(HOSTILE, { source: HOSTILE, position: 1 }),
    event('a', { ln: [{ rel: 'describedby', href: { value: `"'><script>`, type: 'rel_path' } }] }),
    event('b', { mime: `text/x;a="<b>'"` }),
    event('c', { ln: [{ rel: HOSTILE, href: { value: 'd', type: 'rel_path' } }] }),
    event(`../${HOSTILE}`),
  ]);
  // Posting does not accept it, but a store may have it from an earlier version.
  await started.app.updater.post([{ set: hostile.id, key: 'javascript:alert(1)', state: {}, weight: 500 }]);
}

/** A page of every kind, of the source that `publishSets` makes. */
export const PAGES: readonly string[] = [
  '/',
  '/?q=nothing-like-this',
  '/status',
  '/sets/maps/',
  '/sets/maps/changes',
  '/sets/maps/find',
  '/sets/maps/find?q=sheet%201',
  '/sets/maps/resource?key=%2Fnorth%2Fsheet%25201.tiff',
  '/sets/maps/resource?key=%2Fnorth%2Fsheet%25202.tiff',
  '/sets/maps/pages',
  '/sets/maps/postings',
  '/sets/scans/',
  '/sets/scans/pages',
  '/sets/hostile/',
  '/sets/hostile/find?q=%3Cscript%3E',
  '/sets/hostile/postings',
  `/sets/hostile/resource?uri=${encodeURIComponent('javascript:alert(1)')}`,
  '/.well-known/resourcesync',
  '/sets/maps/capabilitylist.xml',
  '/sets/maps/resourcelist.xml',
  '/sets/maps/resourcelist-1-00000001.xml',
  '/sets/maps/changelist.xml',
  '/sets/maps/changelist-recent.xml',
  '/sets/hostile/resourcelist.xml',
  '/sets/hostile/changelist.xml',
];

/** Those that say what could not be shown, with their status. */
export const FAILING_PAGES: readonly (readonly [path: string, status: number])[] = [
  ['/nothing', 404],
  ['/sets/none/', 404],
  ['/sets/maps/resource?key=%2Fnone', 404],
  ['/sets/maps/resourcelist-1-00009999.xml', 404],
  ['/sets/scans/resourcelist.xml', 503],
];
