import assert from 'node:assert/strict';
import { linkSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { askJson } from '../support/ask.ts';
import { SQLITE } from '../support/each-store.ts';
import { findFreePort } from '../support/free-port.ts';
import type { RunningTidemark } from '../support/run-tidemark.ts';
import { until } from '../support/until.ts';
import { Workplace } from '../support/workplace.ts';

const QUEUE = Number(readFileSync('/proc/sys/fs/inotify/max_queued_events', 'utf8'));

describe('A change that the system does not report', () => {
  let place: Workplace;
  let published: RunningTidemark;
  let api: string;

  beforeEach(async () => {
    place = await Workplace.make(SQLITE);
    for (const folder of ['files', 'files/busy', 'files/quiet']) mkdirSync(join(place.folder, folder));
    for (const path of ['busy/a', 'busy/b', 'quiet/c']) write(path, 'x');
  });
  afterEach(() => place.close());

  const at = (path: string) => join(place.folder, 'files', path);
  const write = (path: string, content: string) => writeFileSync(at(path), content);
  const count = async () => (await askJson(api)).body.resources;
  const lengthOf = async (key: string) => (await askJson(`${api}/resource?key=${encodeURIComponent(key)}`)).body.length;

  async function publish(...options: string[]): Promise<void> {
    const port = String(await findFreePort());
    published = place.startProcess(['publish', 'files', '--port', port, ...options]);
    await published.says(/Published .*: 3 files/);
    api = `http://127.0.0.1:${port}/api/sets/files`;
  }

  it('because its queue was full while the process was stopped is published', async () => {
    await publish();
    published.signal('SIGSTOP');
    // Two of a kind that follow each other are one event.
    for (let time = 1; time <= QUEUE + 1_000; time++) utimesSync(at(time % 2 ? 'busy/a' : 'busy/b'), time, time);
    write('quiet/new', 'new');
    mkdirSync(at('quiet/folder'));
    published.signal('SIGCONT');
    await until('the new file', async () => (await count()) === 4);
    // The folder that is new is watched as well.
    write('quiet/folder/d', 'd');
    await until('the file in the new folder', async () => (await count()) === 5);
  });

  it('is published by the next full scan', async () => {
    // What is written by a name outside of the folder is not reported for the name inside.
    linkSync(at('quiet/c'), join(place.folder, 'outside'));
    await publish('--folder-scan-interval', '200ms');
    writeFileSync(join(place.folder, 'outside'), 'longer');
    await until('the new length', async () => (await lengthOf('/quiet/c')) === 6);
    assert.equal(await count(), 3);
  });
});
