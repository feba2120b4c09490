import assert from 'node:assert/strict';
import { mkdirSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ElasticsearchLocation, SqliteLocation } from '../../src/config/configuration.ts';
import { onElasticsearch, SQLITE } from '../support/each-store.ts';
import { useElasticsearch } from '../support/elasticsearch.ts';
import { askElasticsearch } from '../support/elasticsearch-indices.ts';
import { closeFaultSources, FaultSource, SLUG } from '../support/fault-source.ts';
import { itWithStrace, type Sync, syncsOf } from '../support/strace.ts';

const MAIN = fileURLToPath(new URL('../../src/main.js', import.meta.url));
const LIMITS = { pageEntries: 100, windowChanges: 100 };
/** More than one commit takes. */
const EVENTS = 25_000;

describe('what is acknowledged', () => {
  const elasticsearch = onElasticsearch(useElasticsearch());
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

  itWithStrace('is on the disk: an artifact and its folder are synced', async () => {
    const source = await FaultSource.makeWithPages(SQLITE);
    const synced = traced(source, ['archive']);
    const root = join(source.folder, 'artifacts');
    const files = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    assert.ok(files.length >= 3);
    const written = synced.filter(({ call, path }) => call === 'fsync' && basename(dirname(path)) === '.unfinished');
    assert.equal(written.length, files.length);
    const folders = new Set(synced.map(({ path }) => path));
    for (const { parentPath } of files) assert.ok(folders.has(parentPath), `${parentPath} was not synced`);
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

function traced(source: FaultSource, args: readonly string[], input = ''): readonly Sync[] {
  const { status, stderr, syncs } = syncsOf([MAIN, ...args], { cwd: source.folder, env: source.environment(), input });
  assert.equal(status, 0, stderr);
  return syncs;
}
