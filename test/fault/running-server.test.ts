import assert from 'node:assert/strict';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import type { SqliteLocation } from '../../src/stores/locations.ts';
import { ask, askJson } from '../support/ask.ts';
import { deletion, upsert } from '../support/builders.ts';
import { SQLITE } from '../support/each-store.ts';
import { requireConsistent } from '../support/fault-checks.ts';
import {
  closeFaultSources,
  FaultSource,
  SET_URL,
  type ServingProcess,
  SLUG,
  URL_PREFIX,
  untilStopped,
} from '../support/fault-source.ts';
import { SetReader } from '../support/set-reader.ts';

const LIST = `/sets/${SLUG}/resourcelist-1-00000001.xml`;

describe('a server on a file', () => {
  afterEach(closeFaultSources);

  it('whose store is damaged while it runs answers 503 and logs what to do; a backup brings all of it back', async () => {
    const source = await FaultSource.makeWithPages(SQLITE);
    assert.equal((await source.run(['backup', 'copy.db'])).exitCode, 0);
    const server = await source.serve();
    damage(source);

    const posted = await post(server, 'k1', 1);
    const listed = await ask(server.url + LIST);
    for (const { status, text } of [posted, listed]) {
      assert.match(text, /the store is damaged: restore it from a backup/);
      assert.equal(status, 503);
    }
    await server.process.says(/tidemark\.db is damaged: restore it from a backup/);
    await stop(server);
    const { exitCode, stderr } = await source.run(['restore', 'copy.db', '--confirm']);
    assert.equal(exitCode, 0, stderr);
    const { url } = await source.serve({ here: true });
    assert.equal((await new SetReader(SET_URL, url).resourceList()).resources.size, 100);
  });

  it('that sleeps while another process posts decides anew when it wakes up, and shows nothing older', async () => {
    const source = await FaultSource.makeWithPages(SQLITE);
    const server = await source.serve();
    const reader = new SetReader(SET_URL, server.url);
    const before = await reader.resourceList();
    server.process.signal('SIGSTOP');
    await untilStopped(server);
    const app = await source.open();
    const { id } = await app.sets.bySlug(SLUG);
    const [updated] = await app.index.commit([upsert(id, 'k8', { length: 77 }), deletion(id, 'k12')]);
    assert.equal(updated!.status, 'applied');
    // What comes while it sleeps is answered when it wakes up.
    const posting = Promise.all([post(server, 'k8', 77), post(server, 'k12', 3)]);
    const reading = reader.resourceList();
    server.process.signal('SIGCONT');

    const [same, again] = (await posting).map(({ text }) => JSON.parse(text).results[0]);
    assert.equal(same.reason, 'same-state');
    assert.equal(again.change, 'created');
    const after = await reading;
    assert.ok(after.at > before.at);
    assert.equal(after.resources.get(`${URL_PREFIX}k8`)?.length, 77);
    await requireConsistent(app, reader);
  });

  it('that sleeps within a commit does not stop others from reading, and ends the commit when it wakes up', async () => {
    const source = await FaultSource.makeWithPages(SQLITE);
    const server = await source.serve({ failpoint: 'commit.decided:stop' });
    const posting = post(server, 'k8', 77);
    await untilStopped(server);
    assert.equal((await source.run(['sets', 'show', SLUG])).exitCode, 0);
    server.process.signal('SIGCONT');
    assert.equal(JSON.parse((await posting).text).results[0].status, 'applied');
    const { stdout } = await source.run(['changes', 'post', SLUG, '--json'], JSON.stringify(event('k8', 77)));
    assert.deepEqual(JSON.parse(stdout), { applied: 0, unchanged: 1, rejected: 0, complete: true });
  });
});

/** All pages of the file but the first, so that it still is a database. */
function damage({ store }: FaultSource): void {
  const { file } = store.location as SqliteLocation;
  const head = readFileSync(file).subarray(0, 8192);
  writeFileSync(file, Buffer.concat([head, Buffer.alloc(statSync(file).size - head.length, 0xff)]), { flag: 'r+' });
}

function event(key: string, length: number) {
  return { change: 'updated', location: { type: 'rel_path', value: key }, length };
}

async function post({ url }: ServingProcess, key: string, length: number) {
  const { status, body } = await askJson(`${url}/api/sets/${SLUG}/changes`, { changes: [event(key, length)] });
  return { status, text: JSON.stringify(body) };
}

async function stop({ process }: ServingProcess): Promise<void> {
  process.signal('SIGTERM');
  await process.exit();
}
