import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ElasticsearchLocation, SqliteLocation } from '../../src/stores/locations.ts';
import { onElasticsearch, SQLITE } from '../support/each-store.ts';
import { useElasticsearch } from '../support/elasticsearch.ts';
import { askElasticsearch } from '../support/elasticsearch-indices.ts';
import { closeFaultSources, FaultSource, SLUG } from '../support/fault-source.ts';
import { type DiskCall, diskCallsOf, itWithStrace } from '../support/strace.ts';
import { LONG_AGO } from '../support/temp-folder.ts';

const MAIN = fileURLToPath(new URL('../../src/main.js', import.meta.url));
const LIMITS = { pageEntries: 100, windowChanges: 100 };
/** More than one commit takes. */
const EVENTS = 25_000;

describe('what is acknowledged (on SQLite)', () => {
  afterEach(closeFaultSources);

  itWithStrace('is on the disk: a store that is a file syncs its log at each commit', async () => {
    const source = await FaultSource.make(SQLITE, LIMITS);
    const events = Array.from({ length: EVENTS }, (_, at) =>
      JSON.stringify({ change: 'created', location: { type: 'rel_path', value: `k${at}` } }),
    );
    // A process that has it open keeps the last one from syncing it when it closes.
    const open = await source.open();
    const synced = traced(source, ['changes', 'post', SLUG, '-'], events.join('\n'));
    await open.close();
    const commits = Math.ceil(EVENTS / 10_000);
    const ofLog = synced.filter(({ path }) => path.endsWith('tidemark.db-wal'));
    assert.ok(ofLog.length >= commits, `${ofLog.length} syncs of the log`);
  });

  itWithStrace('is on the disk: what a person asks of a job', async () => {
    const source = await FaultSource.make(SQLITE, LIMITS);
    const open = await source.open();
    await open.jobs.queue.add('archive-log', 'a', {});
    const calls = traced(source, ['jobs', 'cancel', 'archive-log/a']);
    await open.close();
    assert.ok(calls.some(({ path }) => path.endsWith('tidemark.db-wal')));
  });

  itWithStrace(
    'is on the disk: each artifact is synced before it gets its name, and its folder afterwards',
    async () => {
      const source = await FaultSource.makeWithPages(SQLITE);
      const { files, calls } = tracedArtifacts(source, ['archive']);
      assert.ok(files.length >= 3);
      for (const file of files) requireDurable(file, calls);
    },
  );

  itWithStrace('is on the disk: so are the versions of small files and of large ones', async () => {
    const source = await FaultSource.makeEmpty(SQLITE);
    mkdirSync(join(source.folder, 'files'));
    for (const [name, bytes] of [
      ['small', 10],
      ['other', 20],
      ['large', 3_000_000],
    ] as const) {
      const file = join(source.folder, 'files', name);
      writeFileSync(file, name.padEnd(bytes));
      utimesSync(file, LONG_AGO, LONG_AGO);
    }
    const added = await source.run(['sets', 'add', SLUG, '--root', 'files', '--keep-versions']);
    assert.equal(added.exitCode, 0, added.stderr);
    const { files, calls } = tracedArtifacts(source, ['scan', SLUG]);
    assert.ok(files.length >= 2, files.join());
    for (const file of files) requireDurable(file, calls);
  });

  itWithStrace('is on the disk: so are records, their provenance and the plan', async () => {
    const source = await FaultSource.makeEmpty(SQLITE);
    const record = { id: 'r1', document: '<record/>', mimetype: 'application/xml' };
    const harvest = ['activity', 'run', 'harvest', 'cdl', '--from', '-', '--write-plan'];
    const { files, calls } = tracedArtifacts(source, harvest, JSON.stringify(record));
    assert.equal(files.filter((file) => file.endsWith('-prov.json')).length, 1, files.join());
    for (const file of files) requireDurable(file, calls);
  });

  itWithStrace('is copied and restored into folders that are synced', async () => {
    const source = await FaultSource.makeWithPages(SQLITE);
    const folder = join(source.folder, 'backups');
    mkdirSync(folder);
    const copied = traced(source, ['backup', 'backups/copy.db']);
    assert.deepEqual(copied.at(-1), { call: 'fsync', path: folder });
    const { file } = source.store.location as SqliteLocation;
    const restored = traced(source, ['restore', 'backups/copy.db', '--confirm']);
    assert.deepEqual(restored.at(-1), { call: 'fsync', path: dirname(file) });
  });
});

describe('what is acknowledged (on Elasticsearch)', () => {
  const elasticsearch = onElasticsearch(useElasticsearch());
  afterEach(closeFaultSources);

  it('is on the disks of Elasticsearch: no index has an asynchronous log of its own', async () => {
    const source = await FaultSource.make(elasticsearch, LIMITS);
    const { nodes, prefix } = source.store.location as ElasticsearchLocation;
    const path = `${prefix}-*/_settings/index.translog.durability?include_defaults=true&flat_settings=true`;
    const found = (await askElasticsearch(nodes[0]!, 'GET', path)) as Record<string, Record<string, object>>;
    assert.equal(Object.keys(found).length, 6);
    for (const [index, { settings, defaults }] of Object.entries(found)) {
      const durability = { ...defaults, ...settings } as Record<string, string>;
      assert.equal(durability['index.translog.durability']?.toLowerCase(), 'request', index);
    }
  });
});

function traced(source: FaultSource, args: readonly string[], input = ''): readonly DiskCall[] {
  const program = [MAIN, ...args];
  const { status, stderr, calls } = diskCallsOf(program, { cwd: source.folder, env: source.environment(), input });
  assert.equal(status, 0, stderr);
  // Not those of the cache of compiled code.
  return calls.filter(({ path }) => path.startsWith(source.folder));
}

function tracedArtifacts(source: FaultSource, args: readonly string[], input = '') {
  const calls = traced(source, args, input);
  const entries = readdirSync(join(source.folder, 'artifacts'), { recursive: true, withFileTypes: true });
  return {
    calls,
    files: entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name)),
  };
}

/** The bytes of a file are on the disk before it has its name, and its name is before the command ends. */
function requireDurable(file: string, calls: readonly DiskCall[]): void {
  const named = calls.findLastIndex((call) => 'to' in call && call.to === file);
  const naming = calls[named] ?? assert.fail(`${file} was written under its own name`);
  const isSynced = (path: string, some: readonly DiskCall[]) =>
    some.some((call) => call.call === 'syncfs' || (call.call === 'fsync' && call.path === path));
  assert.ok(isSynced(naming.path, calls.slice(0, named)), `${file} got its name before its bytes were synced`);
  assert.ok(isSynced(dirname(file), calls.slice(named)), `the name of ${file} was not synced`);
}
