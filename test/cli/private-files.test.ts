import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ask } from '../support/ask.ts';
import { SQLITE } from '../support/each-store.ts';
import type { RunningTidemark } from '../support/run-tidemark.ts';
import { Workplace } from '../support/workplace.ts';

const PUBLISH = ['publish', 'files', '--port', '0', '--json'];

describe('the data folder', () => {
  let place: Workplace;
  beforeEach(async () => {
    place = await Workplace.make(SQLITE);
    mkdirSync(join(place.folder, 'files'));
    writeFileSync(join(place.folder, 'files', 'a.txt'), 'a');
  });
  afterEach(() => place.close());

  const modeOf = (path: string) => (statSync(join(place.folder, path)).mode & 0o777).toString(8);

  async function publish(server: RunningTidemark): Promise<void> {
    const [, url] = await server.says(/"home":"(http[^"]+)"/);
    assert.equal((await ask(`${url}sets/files/resourcelist.xml`)).status, 200);
  }

  it('and all that holds what was published, tokens or private sets is its owner’s alone', async () => {
    await publish(place.start(PUBLISH));
    assert.equal((await place.run(['backup', 'copy.db'])).exitCode, 0);
    const names = readdirSync(join(place.folder, 'data'), { withFileTypes: true });
    const folders = names.filter((entry) => entry.isDirectory()).map(({ name }) => `data/${name}`);
    const files = names.filter((entry) => entry.isFile()).map(({ name }) => `data/${name}`);
    assert.ok(files.includes('data/tidemark.db-wal') && files.includes('data/tidemark.db.lock'), String(files));
    for (const file of [...files, 'copy.db']) assert.equal(modeOf(file), '600', file);
    assert.ok(folders.includes('data/roots'), String(folders));
    for (const folder of ['data', 'data/roots', 'data/documents/1']) assert.equal(modeOf(folder), '700', folder);
  });

  it('is its owner’s alone when an activity makes it', async () => {
    const input = '{"id":"a","mimetype":"application/xml","document":"<a/>"}\n';
    const { exitCode, stderr } = await place.run(['activity', 'run', 'harvest', 'cdl', '--from', '-'], { input });
    assert.equal(exitCode, 0, stderr);
    assert.equal(modeOf('data'), '700');
  });

  it('that every account may read stays as it is, with a warning', async () => {
    mkdirSync(join(place.folder, 'data'));
    chmodSync(join(place.folder, 'data'), 0o755);
    // The log of a process is in its output.
    const server = place.startProcess(PUBLISH);
    await publish(server);
    await server.says(/every account of this machine may read the data folder .*chmod 700/);
    assert.equal(modeOf('data'), '755');
    assert.equal(modeOf('data/tidemark.db'), '600');
  });
});
