import assert from 'node:assert/strict';
import { readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { SqliteLocation } from '../../src/stores/locations.ts';
import { ask, askJson } from '../support/ask.ts';
import { SQLITE } from '../support/each-store.ts';
import { closeFaultSources, FaultSource, SET_URL, SLUG } from '../support/fault-source.ts';
import { SetReader } from '../support/set-reader.ts';
import { itOnSmallDisk } from '../support/small-disk.ts';

const LIMITS = { pageEntries: 20, windowChanges: 50 };
const COMMANDS = [
  ['serve', '--port', '0'],
  ['migrate'],
  ['sets', 'add', 'more', '--url-prefix', 'http://example.org/'],
];
const EVENT = { location: { type: 'rel_path', value: 'a' }, change: 'created', length: 1 };

describe('a store that cannot be used', () => {
  afterEach(closeFaultSources);

  for (const version of [0, 1]) {
    it(`is refused and left as it is when it is another program's, of version ${version}`, async () => {
      const source = await FaultSource.makeEmpty(SQLITE);
      const foreign = new DatabaseSync(fileOf(source));
      foreign.exec(
        `CREATE TABLE recipes (name TEXT); INSERT INTO recipes VALUES ('soup'); PRAGMA user_version = ${version}`,
      );
      foreign.close();
      await refusesAndLeaves(source, /is a database of another program \(it holds "recipes"\).*TIDEMARK_STORE/);
    });
  }

  it('is refused and left as it is when it is not a database', async () => {
    const source = await FaultSource.makeEmpty(SQLITE);
    writeFileSync(fileOf(source), 'Once upon a time there was a text file that was not expected here.\n'.repeat(100));
    await refusesAndLeaves(source, /is not an SQLite database: check the setting TIDEMARK_STORE/);
  });

  it('is refused and left as it is when it was cut short', async () => {
    const source = await FaultSource.makeWithPages(SQLITE);
    truncateSync(fileOf(source), 40_000);
    await refusesAndLeaves(source, /is damaged: restore it from a backup/);
  });

  it('is refused and left as it is when it has a newer schema', async () => {
    const source = await FaultSource.makeWithPages(SQLITE);
    const newer = new DatabaseSync(fileOf(source));
    newer.exec('PRAGMA user_version = 99');
    newer.close();
    await refusesAndLeaves(source, /schema version 99.*use a newer Tidemark/);
  });

  it('is not changed by a migration to the schema that it has', async () => {
    const source = await FaultSource.makeWithPages(SQLITE);
    const before = readFileSync(fileOf(source));
    const { exitCode, stdout } = await source.run(['migrate', '--json']);
    assert.equal(exitCode, 0);
    const { from, to } = JSON.parse(stdout);
    assert.equal(from, to);
    // Bytes 24 to 27 and 92 to 99 of the header count transactions (sqlite.org/fileformat.html).
    assert.ok(readFileSync(fileOf(source)).subarray(100).equals(before.subarray(100)));
  });

  itOnSmallDisk('is refused when its file system is read-only', 4, async (disk) => {
    const source = await FaultSource.make(SQLITE, LIMITS, disk.folder);
    await disk.makeReadOnly();
    await refusesAndLeaves(source, /cannot be (written|opened): check .*(read-only|may be written)/);
  });

  it('answers 503 while another process holds its lock, goes on publishing, and recovers', async () => {
    const source = await FaultSource.makeWithPages(SQLITE);
    const { url } = await source.serve();
    const post = () => askJson(`${url}/api/sets/${SLUG}/changes`, { changes: [EVENT] });
    const other = new DatabaseSync(fileOf(source));
    other.exec('BEGIN EXCLUSIVE');
    try {
      const posting = post();
      const reader = new SetReader(SET_URL, url);
      assert.equal((await reader.resourceList()).resources.size, 100);
      assert.equal((await ask(`${url}/readyz`)).status, 200);
      const { status, headers, body } = await posting;
      assert.equal(status, 503);
      assert.ok(Number(headers['retry-after']) > 0);
      assert.match(body.error.message, /is locked by another process/);
    } finally {
      other.close();
    }
    const { body } = await post();
    assert.equal(body.results[0].status, 'applied');
  });
});

function fileOf({ store }: FaultSource): string {
  return (store.location as SqliteLocation).file;
}

/** Every command says what is wrong, with exit code 3, and nothing in the store's folder is other than before. */
async function refusesAndLeaves(source: FaultSource, message: RegExp): Promise<void> {
  const before = contentsBeside(fileOf(source));
  for (const command of COMMANDS) {
    const { exitCode, stdout, stderr } = await source.run(command);
    assert.match(stderr, message);
    assert.match(stderr, /^tidemark: .*tidemark\.db/);
    assert.equal(stdout, '');
    assert.equal(exitCode, 3);
  }
  assert.deepEqual(contentsBeside(fileOf(source)), before);
}

function contentsBeside(store: string): ReadonlyMap<string, string> {
  const folder = dirname(store);
  const files = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile());
  return new Map(files.map(({ name }) => [name, readFileSync(join(folder, name), 'base64')]));
}
