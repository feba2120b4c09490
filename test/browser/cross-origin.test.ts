import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Secret } from '../../src/config/secret.ts';
import { originOfRoot } from '../../src/core/stored-set.ts';
import { sync } from '../../src/sources/sync/sync.ts';
import { ask } from '../support/ask.ts';
import { useBrowser } from '../support/browser.ts';
import { SQLITE } from '../support/each-store.ts';
import { ServedSource } from '../support/served-source.ts';
import { closeApps, makeFolder, type StartedApp, startApp } from '../support/start-app.ts';

const ELSEWHERE = 'http://elsewhere.example.org/';
const PUBLIC = [
  '/.well-known/resourcesync',
  '/sets/files/capabilitylist.xml',
  '/sets/files/resourcelist.xml',
  '/sets/files/changelist.xml?from=2020-01-01T00:00:00Z',
  '/sets/files/resourcedump.xml',
  '/sets/files/resources/a.txt',
  '/sets/files/timegate/a.txt',
  '/sets/files/timemap/a.txt',
  '/sets/files/dumps/NAME.zip',
  '/sets/files/dumps/NAME.xml',
];

describe('Scripts of pages of other sites', () => {
  const browser = useBrowser();
  let started: StartedApp;
  let name: string;
  afterEach(closeApps);

  async function start(token?: Secret): Promise<void> {
    started = await startApp(SQLITE, { token });
    const { dumps } = started.app.publishing;
    const { sourceOf } = started.app.sources;
    const { sets, updater } = started.app;
    const root = await makeFolder(started, 'files');
    await writeFile(join(root, 'a.txt'), 'a');
    for (const slug of ['files', 'sealed']) {
      const set = await sets.add({ slug, origin: originOfRoot(root), keepVersions: true, private: slug === 'sealed' });
      await sync({ set, source: sourceOf(set), updater });
      await sets.markReady(slug);
    }
    name = (await dumps.build('files', {})).packages[0]!.name;
  }
  const at = (path: string) => started.url + path.replace('NAME', name);
  const allowed = async (path: string, headers: Record<string, string> = {}) => {
    return (await ask(at(path), { headers: { Origin: ELSEWHERE.slice(0, -1), ...headers } })).headers[
      'access-control-allow-origin'
    ];
  };

  it('may read what is public, also when they have a version of it, but nothing private and not the API', async () => {
    await start(new Secret('open-sesame'));
    for (const path of PUBLIC) assert.equal(await allowed(path), '*', path);
    const { headers } = await ask(at('/sets/files/resourcelist.xml'));
    assert.equal(await allowed('/sets/files/resourcelist.xml', { 'If-None-Match': headers.etag! }), '*');
    const Authorization = 'Bearer open-sesame';
    for (const path of PUBLIC.filter((path) => path !== PUBLIC[0] && !path.includes('dump')).map((path) =>
      path.replace('files', 'sealed'),
    )) {
      assert.equal(await allowed(path, { Authorization }), undefined, path);
    }
    for (const path of ['/', '/sets/files/', '/api/sets', '/api/tokens', '/status', '/.well-known/resourcesync']) {
      assert.equal(await allowed(path, { Authorization }), undefined, path);
    }
    const preflight = { method: 'OPTIONS', headers: { Origin: ELSEWHERE, 'Access-Control-Request-Method': 'DELETE' } };
    assert.equal((await ask(at('/api/sets/files'), preflight)).headers['access-control-allow-origin'], undefined);

    // Of this machine, too: a browser lets no page from the Internet ask a server of its own machine.
    const elsewhere = await ServedSource.start();
    elsewhere.answers.set('/', '<p>elsewhere</p>').set('/favicon.ico', '');
    const page = await browser.open(elsewhere.baseUrl);
    const read = (path: string, options = '{}') =>
      page.evaluate<string>(`fetch('${at(path)}', ${options}).then((answer) => answer.text(), () => 'refused')`);
    assert.match(await read('/sets/files/resourcelist.xml'), /<urlset/);
    assert.equal(await read('/sets/files/resources/a.txt'), 'a');
    page.removeAllListeners('console');
    assert.equal(await read('/sets/files/resources/a.txt', '{ credentials: "include" }'), 'refused');
    assert.equal(await read('/api/sets'), 'refused');
    await elsewhere.close();
  });

  it('may read nothing of a source that only its own machine reaches', async () => {
    await start();
    for (const path of PUBLIC) assert.equal(await allowed(path), undefined, path);
  });

  it('leave XML readable in a browser', async () => {
    await start();
    for (const path of ['/sets/files/changelist.xml?format=xml', '/sets/files/dumps/NAME.xml']) {
      const page = await browser.open(at(path));
      const font = `getComputedStyle(document.querySelector('.folder .line')).fontFamily`;
      assert.match(await page.evaluate<string>(font), /monospace/, path);
    }
  });
});
