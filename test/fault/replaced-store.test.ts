import assert from 'node:assert/strict';
import { existsSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { Cluster } from '../../src/lib/elasticsearch/cluster.ts';
import type { ElasticsearchLocation, SqliteLocation } from '../../src/stores/locations.ts';
import { lockStore } from '../../src/stores/sqlite/store-lock.ts';
import { ask, askJson } from '../support/ask.ts';
import { describeOnEachStore, onElasticsearch, SQLITE } from '../support/each-store.ts';
import { useElasticsearch } from '../support/elasticsearch.ts';
import { readLog } from '../support/fault-checks.ts';
import { addSet, closeFaultSources, FaultSource, type ServingProcess, SLUG } from '../support/fault-source.ts';
import { until } from '../support/until.ts';

const LIMITS = { pageEntries: 100, windowChanges: 100 };
const IS_OPEN = /tidemark\.db is open in another process: stop all servers and commands that use it/;

describeOnEachStore('a server whose store is replaced', (store) => {
  afterEach(closeFaultSources);

  it('acknowledges nothing that the new store does not have, is not ready, and serves it when it is started again', async () => {
    const source = await FaultSource.make(store, LIMITS);
    const server = await source.serve();
    await post(server, 'before');
    // What is applied late would make an index again.
    assert.equal((await ask(`${server.url}/sets/${SLUG}/resourcelist.xml`)).status, 200);
    if (store === SQLITE) renameParts(source);
    else await source.store.dispose();
    await addSet(await source.open(), LIMITS);

    const { status, body } = await post(server, 'after');
    assert.match(body.error?.message ?? JSON.stringify(body), /replaced .*until the process is started again/);
    assert.equal(status, 503);
    assert.equal((await ask(`${server.url}/readyz`)).status, 503);
    assert.equal((await ask(`${server.url}/sets/${SLUG}/resourcelist.xml`)).status, 503);
    assert.equal((await ask(`${server.url}/healthz`)).status, 200);
    server.process.signal('SIGTERM');
    await server.process.exit();
    const app = await source.open();
    assert.deepEqual(await readLog(app), []);
    await app.close();
    assert.equal((await post(await source.serve({ here: true }), 'now')).body.results[0].status, 'applied');
  });
});

describe('a server whose indices another version has migrated', () => {
  const elasticsearch = onElasticsearch(useElasticsearch());
  afterEach(closeFaultSources);

  it('refuses to write what that one may not understand', async () => {
    const source = await FaultSource.make(elasticsearch, LIMITS);
    const server = await source.serve({ here: true });
    await migrateLog(source.store.location as ElasticsearchLocation);
    // A check counts for 250 ms, so the first posts may be acknowledged.
    let posted = 0;
    await until('posts are refused', async () => (await post(server, `late-${posted++}`)).status === 503);
    const { status, body } = await post(server, 'late');
    assert.match(body.error?.message ?? JSON.stringify(body), /migrated while this process had them open/);
    assert.equal(status, 503);
  });

  it('does not call unchanged what may have changed in that one', async () => {
    const source = await FaultSource.make(elasticsearch, LIMITS);
    const server = await source.serve({ here: true });
    const isUnchanged = async () => (await post(server, 'same')).body.results?.[0].status === 'unchanged';
    await until('the post changes nothing', isUnchanged);
    await migrateLog(source.store.location as ElasticsearchLocation);
    await until('posts that change nothing are refused', async () => (await post(server, 'same')).status === 503);
  });
});

describe('the file of a store that is in use', () => {
  afterEach(closeFaultSources);

  it('is neither restored nor migrated while a server has it open, and is when that was killed', async () => {
    const source = await FaultSource.make(SQLITE, LIMITS);
    await done(source, 'backup', 'copy.db');
    const server = await source.serve();
    for (const command of [['restore', 'copy.db', '--confirm'], ['migrate']]) await refused(source, command, IS_OPEN);
    assert.equal((await post(server, 'kept')).body.results[0].status, 'applied');
    server.process.signal('SIGKILL');
    await server.process.exit();
    await done(source, 'verify', SLUG);
    await done(source, 'migrate');
    await done(source, 'restore', 'copy.db', '--confirm');
  });

  it('is not restored while a command reads it', async () => {
    const source = await FaultSource.make(SQLITE, LIMITS);
    await done(source, 'backup', 'copy.db');
    const app = await source.open();
    const { exitCode, stderr } = await source.runProcess(['restore', 'copy.db', '--confirm']);
    assert.match(stderr, IS_OPEN);
    assert.equal(exitCode, 3);
    await app.close();
    await done(source, 'restore', 'copy.db', '--confirm');
  });

  it('is opened by no process while another one restores it', async () => {
    const source = await FaultSource.make(SQLITE, LIMITS);
    const { release } = lockStore(fileOf(source), 'exclusive');
    await refused(source, ['sets', 'list'], /is being restored, rebuilt or migrated by another process/);
    release();
    await done(source, 'sets', 'list');
  });

  it('is not rebuilt while it is open, though it is empty', async () => {
    const source = await FaultSource.make(SQLITE, LIMITS);
    await done(source, 'archive');
    renameParts(source);
    const server = await source.serve();
    await refused(source, ['rebuild'], IS_OPEN);
    server.process.signal('SIGTERM');
    await server.process.exit();
  });
});

async function migrateLog(location: ElasticsearchLocation): Promise<void> {
  const cluster = new Cluster(location);
  const mapping = { index: `${location.prefix}-log`, _meta: { schema_version: 99 } };
  await cluster.ask((client) => client.indices.putMapping(mapping)).finally(() => cluster.close());
}

function fileOf({ store }: FaultSource): string {
  return (store.location as SqliteLocation).file;
}

function renameParts(source: FaultSource): void {
  for (const part of ['', '-wal', '-shm']) {
    const file = fileOf(source) + part;
    if (existsSync(file)) renameSync(file, join(source.folder, `away.db${part}`));
  }
}

function post({ url }: ServingProcess, key: string) {
  return askJson(`${url}/api/sets/${SLUG}/changes`, {
    changes: [{ change: 'created', location: { type: 'rel_path', value: key }, length: 1 }],
  });
}

async function done(source: FaultSource, ...command: readonly string[]): Promise<void> {
  const { exitCode, stderr } = await source.run(command);
  assert.equal(exitCode, 0, stderr);
}

async function refused(source: FaultSource, command: readonly string[], message: RegExp): Promise<void> {
  const { exitCode, stderr } = await source.run(command);
  assert.match(stderr, message);
  assert.equal(exitCode, 3);
}
