import assert from 'node:assert/strict';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Secret } from '../../src/config/secret.ts';
import { originOfRoot } from '../../src/core/stored-set.ts';
import { SyncLoop } from '../../src/sources/sync/sync-loop.ts';
import { SQLITE } from '../support/each-store.ts';
import { closeApps, makeFolder, startApp } from '../support/start-app.ts';
import { until } from '../support/until.ts';
import { pageAt } from '../support/web-source.ts';

const ADMINISTRATOR = { Authorization: 'Bearer the-administrator' };

describe('Entries of a source that cannot be read', () => {
  let loop: SyncLoop | undefined;
  afterEach(async () => {
    await loop?.stop();
    await closeApps();
  });

  it('are named on the page of the set, for administrators, until they are read', async () => {
    const { app, url, ...started } = await startApp(SQLITE, { token: new Secret('the-administrator') });
    const root = await makeFolder({ app, url, ...started }, 'files');
    await writeFile(join(root, 'good.txt'), 'good');
    const bad = join(root, 'bad\nname.txt');
    await writeFile(bad, 'bad');
    const set = await app.sets.add({ slug: 'files', origin: originOfRoot(root) });
    const events = app.metrics.scans.around(set, {});
    loop = new SyncLoop({ set, source: app.sources.sourceOf(set), updater: app.updater, events });
    loop.start();
    await loop.firstSync;
    await app.sets.markReady('files');
    const notice = /1 entry of its source could not be read/;
    for (const path of ['', 'settings']) {
      const text = await pageAt(`${url}/sets/files/${path}`, ADMINISTRATOR);
      assert.match(text, notice);
      assert.match(text, /<li>.*name\.txt.*control character/s);
    }
    assert.doesNotMatch(await pageAt(`${url}/sets/files/`), notice, 'to a reader');
    assert.match(await pageAt(`${url}/`), />incomplete</);

    // A change elsewhere says nothing of it.
    await writeFile(join(root, 'other\tname.txt'), 'bad');
    const isNamed = async (text: RegExp) => text.test(await pageAt(`${url}/sets/files/`, ADMINISTRATOR));
    await until('both are named', () => isNamed(/2 entries of its source could not be read/));
    await rm(join(root, 'other\tname.txt'));
    await until('the first is named', () => isNamed(notice));

    await rm(bad);
    await until('all is read', async () => />in sync</.test(await pageAt(`${url}/`)));
    assert.equal(await isNamed(/could not be read/), false);
  });
});
