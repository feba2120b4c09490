import assert from 'node:assert/strict';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pino } from 'pino';
import { originOfRoot } from '../../src/core/stored-set.ts';
import { ask, askJson } from '../support/ask.ts';
import { SQLITE } from '../support/each-store.ts';
import { closeApps, makeFolder, type StartedApp, startApp } from '../support/start-app.ts';

const CHANGES = { changes: [{ location: { value: 'a', type: 'rel_path' }, change: 'created' }] };

describe('An answer to a request that failed', () => {
  let started: StartedApp;
  let log: PassThrough;

  beforeEach(async () => {
    log = new PassThrough();
    started = await startApp(SQLITE, {}, { logger: pino(log) });
    await started.app.sets.add({ slug: 'files', origin: originOfRoot(await makeFolder(started, 'files')) });
    await started.app.sets.markReady('files');
    await writeFile(join(started.folder, 'files/a'), 'a');
    assert.equal((await askJson(`${started.url}/api/sets/files/changes`, CHANGES)).status, 200);
  });
  afterEach(closeApps);

  /** The answer names no path of this machine; the log does. */
  async function assertSilent({ status, text: answer }: { readonly status: number; readonly text: string }) {
    assert.equal(status, 503, answer);
    assert.doesNotMatch(answer, /\/tmp|tidemark\.db|\/files/);
    assert.match(answer, /"message":"the (?:root|store|[a-z ]+) /);
    log.end();
    assert.ok((await text(log)).includes(started.folder));
  }

  it('names no folder of files that is not there', async () => {
    await rename(join(started.folder, 'files'), join(started.folder, 'away'));
    await assertSilent(await ask(`${started.url}/sets/files/resources/a`));
  });

  it('names no store that was removed', async () => {
    await rename(join(started.folder, 'tidemark.db'), join(started.folder, 'away.db'));
    const { status, body } = await askJson(`${started.url}/api/sets/files/changes`, CHANGES);
    await assertSilent({ status, text: JSON.stringify(body) });
  });

  it('names no folder of documents that cannot be written', async () => {
    await rm(join(started.folder, 'documents'), { recursive: true, force: true });
    await writeFile(join(started.folder, 'documents'), 'no folder');
    await assertSilent(await ask(`${started.url}/sets/files/capabilitylist.xml`));
    await rm(join(started.folder, 'documents'));
    await mkdir(join(started.folder, 'documents'));
  });
});
