import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { openApp } from '../../src/app.ts';
import { originOfRoot } from '../../src/core/stored-set.ts';
import type { SqliteLocation } from '../../src/stores/locations.ts';
import { describeOnEachStore } from '../support/each-store.ts';
import type { FinishedRun } from '../support/run-tidemark.ts';
import { scan } from '../support/scanned-set.ts';
import { testConfiguration } from '../support/start-app.ts';
import { ofKey, type Tampering, tamper } from '../support/tampering.ts';
import { Workplace } from '../support/workplace.ts';

describeOnEachStore('tidemark verify', (store, itOnce) => {
  let place: Workplace;
  let files: string;

  beforeEach(async () => {
    place = await Workplace.make(store, { mayBeMade: true });
    files = join(place.folder, 'files');
    mkdirSync(files);
    for (const name of ['a.txt', 'b.txt', 'c.txt', 'd.txt']) writeFileSync(join(files, name), name);
    await publishFiles(() => rmSync(join(files, 'd.txt')));
  });

  /** Scans the folder, and again when something has happened. */
  async function publishFiles(happens: () => void): Promise<void> {
    const { location } = place.store;
    const app = await openApp(testConfiguration(join(place.folder, 'data'), { store: location }));
    try {
      const { index, updater } = app;
      await app.sets.useBaseUrl('http://localhost:8080', false);
      const set = await app.sets.add({ slug: 'files', origin: originOfRoot(files) });
      await scan({ ...app.sources.rootOf(set), set, index, updater });
      happens();
      await scan({ ...app.sources.rootOf(set), set, index, updater });
    } finally {
      await app.close();
    }
  }

  afterEach(() => place.close());

  it('finds no difference when state, log and folder are the same', async () => {
    const { stdout, exitCode } = await tidemark('verify files --root');

    assert.equal(stdout, 'files: no difference in 5 changes, 3 resources, 1 tombstone, 3 files.\n');
    assert.equal(exitCode, 0);
  });

  it('finds what is missing, extra and differing in the folder', async () => {
    rmSync(join(files, 'a.txt'));
    writeFileSync(join(files, 'b.txt'), 'B.txt');
    writeFileSync(join(files, 'new.txt'), '');

    const { stdout, exitCode } = await tidemark('verify files --root --json');

    const { equal, differences } = JSON.parse(stdout);
    const found = differences.first.map(({ kind, key }: { kind: string; key: string }) => [kind, key]);
    assert.deepEqual(found, [
      ['missing', '/a.txt'],
      ['differing', '/b.txt'],
      ['extra', '/new.txt'],
    ]);
    assert.deepEqual([equal, differences.total, exitCode], [false, 3, 1]);
    assert.equal((await tidemark('verify files')).exitCode, 0);
  });

  // On Elasticsearch a state, a change and a count: how they are compared is the same on each store.
  const TAMPERED: readonly (Tampering & { readonly what: string; readonly found: RegExp })[] = [
    {
      what: 'a state with other contents',
      sql: `UPDATE resources SET state = '{"length":9}' WHERE key = '/a.txt'`,
      documents: { index: 'resources', which: ofKey('/a.txt'), change: (source) => ({ ...source, length: 9 }) },
      found: /^state: \/a\.txt .* says/m,
    },
    {
      what: 'a state that was deleted',
      sql: `DELETE FROM resources WHERE key = '/a.txt'`,
      found: /^state: \/a\.txt .* left no state/m,
    },
    {
      what: 'a state older than its change',
      sql: `UPDATE resources SET stamp = 2 WHERE key = '/a.txt'`,
      found: /^state: \/a\.txt .* is newer than its state/m,
    },
    {
      what: 'a state newer than its change',
      sql: `UPDATE resources SET stamp = stamp + 200 WHERE key = '/a.txt'`,
      found: /^count: last changes in the log/m,
    },
    {
      what: 'a state without a change',
      sql: `INSERT INTO resources (set_id, key, stamp, created, weight, state)
        SELECT set_id, '/x', stamp, created, weight, state FROM resources LIMIT 1`,
      found: /^count: last changes/m,
    },
    {
      what: 'a deleted resource that is back',
      sql: `UPDATE resources SET state = '{}' WHERE key = '/d.txt'`,
      found: /^state: \/d\.txt/m,
    },
    {
      what: 'a change that is lost',
      sql: `DELETE FROM changes WHERE key = '/a.txt'`,
      documents: { index: 'changes', which: ofKey('/a.txt'), change: () => undefined },
      found: /^count: /m,
    },
    {
      what: 'a deletion that has become something else',
      sql: `UPDATE changes SET state = '{}' WHERE kind = 3`,
      found: /^state: \/d\.txt .* (does not fit|says)/m,
    },
    {
      what: 'a summary that counts wrongly',
      sql: 'UPDATE summaries SET resources = 7',
      documents: {
        index: 'ledgers',
        which: ({ doc_type }) => doc_type === 'ledger',
        change: (source) => ({ ...source, resources: 7 }),
      },
      found: /^count: .* by the summary: 3 and 7/m,
    },
  ];
  for (const { what, found, ...tampering } of TAMPERED) {
    const onEachOrOnce = tampering.documents === undefined ? itOnce : it;
    onEachOrOnce(`finds ${what}`, async () => {
      await tamper(place.store.location, tampering);

      const { stdout, exitCode } = await tidemark('verify files');

      assert.match(stdout, found);
      assert.match(stdout, /^files: \d+ differences? in /m);
      assert.equal(exitCode, 1);
    });
  }

  describe('with orders', () => {
    beforeEach(async () => {
      await tidemark('sets add texts --url-prefix https://example.org/texts/');
      const event = (value: string, order: number) => ({
        location: { value, type: 'rel_path' },
        change: 'created',
        order,
      });
      const events = [event('a', 5), event('b', 5), event('c', 5), event('c', 9)];
      const { stdout } = await place.run(['changes', 'post', 'texts', '--json'], {
        input: events.map((event) => JSON.stringify(event)).join('\n'),
      });
      assert.deepEqual([JSON.parse(stdout).applied, JSON.parse(stdout).unchanged], [3, 1]);
    });

    itOnce('finds no difference where an order rose without a change', async () => {
      const { stdout, exitCode } = await tidemark('verify texts');
      assert.equal(stdout, 'texts: no difference in 3 changes, 3 resources, 0 tombstones.\n');
      assert.equal(exitCode, 0);
    });

    for (const [what, order, found] of [
      ['below that of its change', 2, /^state: \/a its change of \S+ has the order 5, its state 2/m],
      ['above that of its change, though it was not raised', 7, /^count: states with a higher order .*: 2 and 1$/m],
    ] as const) {
      itOnce(`finds a state whose order is ${what}`, async () => {
        await tamper(place.store.location, {
          sql: `UPDATE resources SET event_order = ${order} WHERE key = '/a' AND set_id = 2`,
        });
        const { stdout, exitCode } = await tidemark('verify texts');
        assert.match(stdout, found);
        assert.equal(exitCode, 1);
      });
    }
  });

  itOnce('finds one wrong byte in an index of the file of the store, also where it is about another set', async () => {
    await tidemark('sets add texts --url-prefix https://example.org/texts/');
    const event = { location: { value: 'alone', type: 'rel_path' }, change: 'created' };
    await place.run(['changes', 'post', 'texts'], { input: JSON.stringify(event) });
    damageIndex('resource_by_key', (bytes) => {
      const at = bytes.indexOf('/alone');
      bytes[at]! ^= 1;
    });

    const { stdout, exitCode } = await tidemark('verify files --root');

    assert.match(stdout, /^damage: the store's file is damaged, restore it from a backup: .*resource_by_key/);
    assert.match(stdout, /^files: 1 difference in 5 changes, /m);
    assert.equal(exitCode, 1);
  });

  itOnce('ends with exit code 3 where a page cannot be read', async () => {
    damageIndex('resource_by_key', (bytes) => bytes.fill(0xff));

    const { stderr, exitCode } = await tidemark('verify files');

    assert.match(stderr, /tidemark\.db is damaged: restore it from a backup/);
    assert.equal(exitCode, 3);
  });

  /** Does to the first page of an index what a disk may do. */
  function damageIndex(name: string, damage: (page: Buffer) => void): void {
    const { file } = place.store.location as SqliteLocation;
    const database = new DatabaseSync(file);
    const numberOf = (sql: string) => Object.values(database.prepare(sql).get()!)[0] as number;
    const pageSize = numberOf('PRAGMA page_size');
    const page = numberOf(`SELECT rootpage FROM sqlite_schema WHERE name = '${name}'`);
    database.close();
    const bytes = readFileSync(file);
    damage(bytes.subarray((page - 1) * pageSize, page * pageSize));
    writeFileSync(file, bytes);
  }

  itOnce('needs a root to compare with one', async () => {
    await tidemark('sets add records --url-prefix https://example.org/records/');

    const { stderr, exitCode } = await tidemark('verify records --root');
    assert.match(stderr, /has no root and no records/);
    assert.equal(exitCode, 2);
  });

  function tidemark(args: string): Promise<FinishedRun> {
    return place.run(args.split(' '));
  }
});
