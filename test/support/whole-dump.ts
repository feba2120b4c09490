import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Dump } from '../../src/publish/dumps/stored-dump.ts';
import { sync } from '../../src/sources/sync/sync.ts';
import { ask } from './ask.ts';
import type { StartedApp } from './start-app.ts';
import { testWithUnzip } from './zip-programs.ts';

/** Records what the files of the set `maps` are now. */
export async function scan({ app }: StartedApp): Promise<void> {
  const set = await app.sets.bySlug('maps');
  await sync({ set, source: app.sources.sourceOf(set), updater: app.updater });
  await app.sets.markReady('maps');
}

/** Requires that each package of the published dump can be fetched, and is whole. Returns the dump. */
export async function requireWholeDump({ app, url, folder }: StartedApp): Promise<Dump> {
  const dump = await app.publishing.dumps.known.dumpOf(await app.sets.bySlug('maps'));
  const { text } = await ask(`${url}/sets/maps/resourcedump.xml`);
  for (const { name, resources } of dump.packages) {
    assert.ok(text.includes(`/${name}.zip<`), name);
    const file = join(folder, `${name}.zip`);
    await writeFile(file, (await ask(`${url}/sets/maps/dumps/${name}.zip`)).bytes);
    await testWithUnzip(file);
    const manifest = (await ask(`${url}/sets/maps/dumps/${name}.xml`)).text;
    assert.equal(manifest.split('<loc>').length - 1, resources);
  }
  return dump;
}
