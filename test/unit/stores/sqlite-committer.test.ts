import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import type { ChangeEvent, ReplayedChange } from '../../../src/core/change.ts';
import { MOST_SOURCES } from '../../../src/core/decide-batch.ts';
import { isTidemarkError } from '../../../src/core/errors.ts';
import { keyOfPath } from '../../../src/core/key.ts';
import { clockStamp } from '../../../src/core/stamp.ts';
import type { CommitResult } from '../../../src/stores/commit-result.ts';
import { putDocuments } from '../../../src/stores/sqlite/catalog-writer.ts';
import { Committer } from '../../../src/stores/sqlite/committer.ts';
import { Settings } from '../../../src/stores/sqlite/database-settings.ts';
import { FenceRow } from '../../../src/stores/sqlite/fence-row.ts';
import { requireSchema } from '../../../src/stores/sqlite/schema.ts';
import { toColumns, toResults } from '../../../src/stores/sqlite/wire.ts';
import { JumpCheck, startOfMachine } from '../../../src/stores/store-clock.ts';

const PREFIX = 'http://example.org/set/';
const MAPS = 1;
const TEXTS = 2;
const WEIGHT = 100;
/** Microseconds since 1970 of a time long ago. */
const LONG_AGO = 1_000_000_000;
const HOUR_MS = 3_600_000;

/** The committer itself, on a database in memory: the contract suite runs it in its thread. */
describe('the committer of SQLite', () => {
  let database: DatabaseSync;
  let committer: Committer;

  const putSet = (id: number, fields: object = {}, replaces?: number) => {
    const set = { id, urlPrefix: PREFIX, windowChanges: 3, epochStart: 1, ...fields };
    const put = { kind: 'set', id: String(id).padStart(10, '0'), body: JSON.stringify(set), replaces };
    return putDocuments({ database, fence: new FenceRow(database) }, [put])[0];
  };
  const accept = (through: number) =>
    putDocuments({ database, fence: new FenceRow(database) }, [
      { kind: 'clock', id: 'clock', body: JSON.stringify({ through }), replaces: undefined },
    ]);

  beforeEach(() => {
    database = new DatabaseSync(':memory:');
    requireSchema(database);
    committer = new Committer({ database, fence: new FenceRow(database), jumps: new JumpCheck(startOfMachine()) });
    putSet(MAPS);
    putSet(TEXTS);
  });
  afterEach(() => database.close());

  const commit = (...events: readonly (ChangeEvent | ReplayedChange)[]) =>
    toResults(committer.commit(toColumns(events)), events);
  const short = (...events: readonly (ChangeEvent | ReplayedChange)[]) => commit(...events).map(describeResult);
  const rows = (sql: string, ...values: number[]) => {
    const statement = database.prepare(sql);
    statement.setReturnArrays(true);
    return statement.all(...values) as unknown as unknown[][];
  };
  const resources = () => rows('SELECT set_id, key, weight, state FROM resources ORDER BY set_id, key');
  const windows = (set = MAPS) =>
    rows('SELECT number, changes, weight FROM windows WHERE set_id = ? ORDER BY number', set);
  const summary = (set = MAPS) => rows('SELECT resources, changes FROM summaries WHERE set_id = ?', set)[0];
  const positions = () => rows('SELECT set_id, source, position FROM positions ORDER BY set_id, source');
  const lastStamp = () => new Settings(database).lastStamp();

  it('writes each change, and the last state of each key', () => {
    const results = commit(put('b', 1), put('a', 1), put('b', 2), remove('a'), { ...put('a', 3), set: TEXTS });
    assert.deepEqual(results.map(describeResult), ['created', 'created', 'updated', 'deleted', 'created']);
    const [b, a, b2, a2, other] = results.map(stampOf) as [number, number, number, number, number];
    assert.deepEqual([a, b2, a2, other], [b + 2, b + 4, b + 6, b + 8]);
    assert.equal(lastStamp(), other);
    assert.deepEqual(rows('SELECT stamp, set_id, window, kind, key, weight, state, previous FROM changes'), [
      [b, MAPS, 1, 1, '/b', WEIGHT + 1, '{"length":1}', 0],
      [a, MAPS, 1, 1, '/a', WEIGHT + 1, '{"length":1}', 0],
      [b2, MAPS, 1, 2, '/b', WEIGHT + 2, '{"length":2}', b],
      [a2, MAPS, 2, 3, '/a', WEIGHT, null, a],
      [other, TEXTS, 1, 1, '/a', WEIGHT + 3, '{"length":3}', 0],
    ]);
    assert.deepEqual(resources(), [
      [MAPS, '/a', WEIGHT, null],
      [MAPS, '/b', WEIGHT + 2, '{"length":2}'],
      [TEXTS, '/a', WEIGHT + 3, '{"length":3}'],
    ]);
    assert.deepEqual(rows('SELECT stamp, created FROM resources WHERE set_id = 1 ORDER BY key'), [
      [a2, a],
      [b2, b],
    ]);
  });

  it('keeps the same key of two sets apart', () => {
    assert.deepEqual(short(put('a', 1), { ...put('a', 1), set: TEXTS }), ['created', 'created']);
    assert.deepEqual(short(remove('a'), { ...put('a', 2), set: TEXTS }), ['deleted', 'updated']);
    assert.deepEqual(
      resources().map(([set, , , state]) => [set, state]),
      [
        [MAPS, null],
        [TEXTS, '{"length":2}'],
      ],
    );
  });

  it('writes new resources in the order of set and key, whatever the order of the events', () => {
    const names = ['d', 'b', 'e', 'a', 'c'];
    commit(...names.flatMap((name) => [{ ...put(name, 1), set: TEXTS }, put(name, 1)]));
    const written = rows('SELECT set_id, key FROM resources ORDER BY rowid').map(([set, key]) => `${set}${key}`);
    assert.deepEqual(written, ['1/a', '1/b', '1/c', '1/d', '1/e', '2/a', '2/b', '2/c', '2/d', '2/e']);
  });

  it('decides against what an earlier commit wrote, and keeps when a resource was created', () => {
    const [first] = commit(put('a', 1)).map(stampOf) as [number];
    const [second] = commit(put('a', 2)).map(stampOf) as [number];
    assert.deepEqual(rows('SELECT stamp, created FROM resources'), [[second, first]]);
    assert.deepEqual(rows('SELECT previous FROM changes ORDER BY stamp'), [[0], [first]]);
    assert.deepEqual(short(put('a', 2), remove('b'), remove('a'), remove('a')), [
      'same-state',
      'not-there',
      'deleted',
      'not-there',
    ]);
    const [again] = commit(put('a', 2)).map(stampOf) as [number];
    assert.deepEqual(rows('SELECT stamp, created FROM resources'), [[again, again]]);
  });

  it('writes nothing for an event that changes nothing', () => {
    commit(put('a', 1));
    const before = [resources(), windows(), summary(), lastStamp()];
    assert.deepEqual(short(put('a', 1), remove('b')), ['same-state', 'not-there']);
    assert.deepEqual([resources(), windows(), summary(), lastStamp()], before);
    assert.deepEqual(rows('SELECT count(*) FROM resources'), [[1]]);
  });

  it('does not write a row again that did not change', () => {
    commit(put('a', 1));
    database.exec(`CREATE TRIGGER no BEFORE UPDATE ON resources BEGIN SELECT RAISE(ABORT, 'written again'); END`);
    assert.deepEqual(short(put('a', 1), put('b', 1)), ['same-state', 'created']);
  });

  it('keeps over commits which order a key has, and when that rose without a change', () => {
    commit({ ...put('a', 1), order: 3 }, { ...put('a', 1), order: 5 });
    const stored = rows('SELECT event_order, raised FROM resources');
    assert.deepEqual(stored, [[5, lastStamp()]]);
    assert.deepEqual(short({ ...put('a', 2), order: 4 }, { ...put('a', 1), order: 5 }), ['superseded', 'same-state']);
    assert.deepEqual(rows('SELECT event_order, raised FROM resources'), stored);
    assert.deepEqual(short({ ...put('a', 2), order: 6 }), ['updated']);
    assert.deepEqual(rows('SELECT event_order, raised FROM resources'), [[6, null]]);
    assert.deepEqual(rows('SELECT event_order FROM changes ORDER BY stamp'), [[3], [6]]);
  });

  it('counts resources and changes over commits, and fills windows', () => {
    commit(put('a', 1), put('b', 1));
    assert.deepEqual(windows(), [[1, 2, 2 * WEIGHT + 2]]);
    const results = commit(put('a', 2), remove('b'), put('c', 5));
    assert.deepEqual(windows(), [
      [1, 3, 3 * WEIGHT + 4],
      [2, 2, 2 * WEIGHT + 5],
    ]);
    assert.deepEqual(summary(), [2, 5]);
    assert.deepEqual(rows('SELECT first_stamp FROM windows WHERE number = 2'), [[stampOf(results[1]!)]]);
    assert.deepEqual(rows('SELECT last_change FROM summaries'), [[lastStamp()]]);
    assert.deepEqual(summary(TEXTS), undefined);
  });

  it('ends a window before the weight of its entries is too large for a document', () => {
    const most = 45 * 1024 * 1024;
    commit({ ...put('a', 1), weight: most - 7 }, { ...put('b', 1), weight: 7 }, { ...put('c', 1), weight: 1 });
    assert.deepEqual(windows(), [
      [1, 2, most],
      [2, 1, 1],
    ]);
  });

  it('begins a window in a new epoch', () => {
    const [stamp] = commit(put('a', 1)).map(stampOf) as [number];
    putSet(MAPS, { epochStart: stamp }, 1);
    commit(put('b', 1));
    assert.deepEqual(windows(), [[1, 2, 2 * WEIGHT + 2]], 'the epoch that begins with the window is its own');
    putSet(MAPS, { epochStart: stamp + 1 }, 3);
    commit(put('c', 1));
    assert.deepEqual(
      windows().map(([number]) => number),
      [1, 2],
    );
  });

  it('takes the windows of a log that is made again as they were, and knows what it has of it', () => {
    const log = [1, 1, 2, 3].map((window, at) => {
      return { ...put(`file-${at}`, at), time: LONG_AGO + at * 100, window };
    });
    assert.deepEqual(
      commit(...log).map(stampOf),
      log.map(({ time }) => time),
    );
    assert.deepEqual(
      windows().map(([number, changes]) => [number, changes]),
      [
        [1, 2],
        [2, 1],
        [3, 1],
      ],
    );
    const more = { ...put('file-9', 9), time: LONG_AGO + 302, window: 3 };
    assert.deepEqual(short(...log, more), ['repeated', 'repeated', 'repeated', 'repeated', 'created']);
    assert.equal(lastStamp(), LONG_AGO + 302);
  });

  it('gives history the stamps of its times, unless the log has come further', () => {
    const results = commit({ ...put('a', 1), time: LONG_AGO }, { ...put('b', 1), time: LONG_AGO - 8 }, put('c', 1));
    const [a, b, now] = results.map(stampOf) as [number, number, number];
    assert.deepEqual([a, b], [LONG_AGO, LONG_AGO + 2]);
    assert.ok(now > clockStamp() - 60_000_000 && now % 2 === 0);
    const [late] = commit({ ...put('d', 1), time: LONG_AGO }).map(stampOf);
    assert.equal(late, now + 2);
  });

  it('rejects events of sets that are unknown or removed, and applies the others', () => {
    putSet(TEXTS, { removed: 5 }, 2);
    const elsewhere = { ...put('a', 1), set: 999, source: 's', position: 1 };
    assert.deepEqual(short(put('a', 1), { ...put('a', 1), set: TEXTS }, elsewhere, put('b', 1)), [
      'created',
      'unknown-set',
      'unknown-set',
      'created',
    ]);
    assert.deepEqual(positions(), []);
  });

  it('reads a set again when the catalog has changed', () => {
    assert.deepEqual(short({ ...put('a', 1), set: 3 }), ['unknown-set']);
    putSet(3);
    assert.deepEqual(short({ ...put('a', 1), set: 3 }), ['created']);
  });

  it('rejects only the events whose prefix is not the one of their set', () => {
    const under = (name: string, urlPrefix?: string) => ({ ...put(name, 1), ...(urlPrefix && { urlPrefix }) });
    const other = 'http://example.org/other/';
    const events = [
      under('a', PREFIX),
      under('b', PREFIX),
      under('c', other),
      under('d', other),
      under('e'),
      under('f', PREFIX),
    ];
    assert.deepEqual(short(...events), ['created', 'created', 'moved', 'moved', 'created', 'created']);
    // The first event of a batch may have none.
    assert.deepEqual(short(under('g'), under('h', other), under('i')), ['created', 'moved', 'created']);
  });

  describe('positions of a source', () => {
    const at = (name: string, position: number, more: object = {}) => {
      return { ...put(name, position), source: 'harvester', position, ...more };
    };

    it('count an event at or below the last one as known, also over commits', () => {
      assert.deepEqual(short(at('a', 0), at('a', 0), at('b', 5), at('c', 4)), [
        'created',
        'repeated',
        'created',
        'repeated',
      ]);
      assert.deepEqual(positions(), [[MAPS, 'harvester', 5]]);
      assert.deepEqual(short(at('c', 5), at('d', 6)), ['repeated', 'created']);
      assert.deepEqual(positions(), [[MAPS, 'harvester', 6]]);
    });

    it('move with an event that changes nothing, and then nothing else is written', () => {
      assert.deepEqual(short({ ...remove('none'), source: 'harvester', position: 7 }), ['not-there']);
      assert.deepEqual(positions(), [[MAPS, 'harvester', 7]]);
      assert.deepEqual([windows(), summary()], [[], undefined]);
    });

    it('move without a change, and an order rises without one: the counts of the set stay as they are', () => {
      const counts = () => rows('SELECT resources, changes, last_change FROM summaries WHERE set_id = ?', MAPS);
      const [stamp] = commit(put('a', 1)).map(stampOf);
      assert.deepEqual(short({ ...remove('none'), source: 'harvester', position: 7 }), ['not-there']);
      assert.deepEqual(counts(), [[1, 1, stamp]]);
      assert.deepEqual(short({ ...put('a', 1), order: 7 }), ['same-state']);
      assert.deepEqual(counts(), [[1, 1, stamp]]);
    });

    it('are those of one source and one set', () => {
      const elsewhere = at('a', 1, { set: TEXTS });
      assert.deepEqual(short(at('a', 9), at('b', 1, { source: 'other' }), elsewhere), [
        'created',
        'created',
        'created',
      ]);
      assert.deepEqual(positions(), [
        [MAPS, 'harvester', 9],
        [MAPS, 'other', 1],
        [TEXTS, 'harvester', 1],
      ]);
    });

    it('that are shared count only what is below them as known', () => {
      const shared = { sharesPosition: true } as const;
      assert.deepEqual(short(at('a', 3, shared), at('b', 3, shared), at('c', 2, shared)), [
        'created',
        'created',
        'repeated',
      ]);
      assert.deepEqual(short(at('d', 3, shared), at('e', 3)), ['created', 'repeated']);
    });

    it('are remembered of so many sources; events of further ones are rejected', () => {
      const fill = database.prepare('INSERT INTO positions (set_id, source, position) VALUES (?, ?, 1)');
      for (let number = 2; number < MOST_SOURCES; number++) fill.run(MAPS, `source-${number}`);
      const from = (source: string, more: object = {}) => at(source, 5, { source, ...more });
      const events = [
        from('b', { set: TEXTS }),
        from('b'),
        from('b'),
        from('source-7'),
        from('c'),
        from('d'),
        put('e', 1),
      ];
      const results = ['created', 'created', 'repeated', 'created', 'created', 'too-many-sources', 'created'];
      assert.deepEqual(short(...events), results);
      assert.deepEqual(short(from('d'), from('c', { position: 6 })), ['too-many-sources', 'same-state']);
      assert.deepEqual(short(from('d', { time: LONG_AGO })), ['created'], 'what is taken over is');
    });

    it('are remembered of sources of history and of new ones in one commit', () => {
      const history = at('a', 1, { source: 'old', time: LONG_AGO });
      assert.deepEqual(short(history, at('b', 1, { source: 'new' })), ['created', 'created']);
      assert.deepEqual(positions(), [
        [MAPS, 'new', 1],
        [MAPS, 'old', 1],
      ]);
    });

    it('count only with both a source and a position', () => {
      const { source: _, ...noSource } = at('a', 1);
      const { position: __, ...noPosition } = at('b', 1);
      assert.deepEqual(short(noSource, noPosition), ['created', 'created']);
      assert.deepEqual(positions(), []);
    });
  });

  it('writes all of a commit or nothing', () => {
    database.exec(`CREATE TRIGGER full BEFORE INSERT ON positions BEGIN SELECT RAISE(ABORT, 'full'); END`);
    assert.throws(() => commit(put('a', 1), { ...put('b', 1), source: 's', position: 1 }), /full/);
    assert.deepEqual([resources(), windows(), lastStamp()], [[], [], 0]);
    database.exec('DROP TRIGGER full');
    assert.deepEqual(short(put('a', 1)), ['created']);
    assert.deepEqual([summary(), windows()], [[1, 1], [[1, 1, WEIGHT + 1]]]);
  });

  it('makes boundaries above all stamps, and gives later changes stamps above them', () => {
    assert.equal(committer.mark() - 1, lastStamp());
    const [before] = commit(put('a', 1)).map(stampOf) as [number];
    const mark = committer.mark();
    assert.ok(mark > before && mark % 2 === 1 && mark <= clockStamp() + 60_000_000);
    assert.equal(lastStamp(), mark - 1, 'a change of the same millisecond is above it');
    const [after] = commit(put('b', 1)).map(stampOf) as [number];
    assert.ok(after > mark);
    const ahead = clockStamp() + 30_000_000;
    new Settings(database).setLastStamp(ahead);
    assert.equal(committer.mark(), ahead + 1, 'never below the last stamp');
  });

  describe('with a clock that is wrong', () => {
    const isUnavailable = (error: unknown) => isTidemarkError(error, 'unavailable');

    it('refuses while the last change is ahead of it, until an operator accepts that', () => {
      const last = clockStamp() + HOUR_MS * 1000;
      new Settings(database).setLastStamp(last);
      assert.throws(() => commit(put('a', 1)), { code: 'unavailable', message: /is (3600|3599) seconds ahead of/ });
      assert.deepEqual([resources(), lastStamp()], [[], last]);
      accept(last);
      assert.deepEqual(commit(put('a', 1)).map(stampOf), [last + 2]);
    });

    it('goes on where an operator has accepted less than a minute of it', () => {
      const last = clockStamp() + HOUR_MS * 1000;
      new Settings(database).setLastStamp(last);
      accept(last - 120_000_000);
      assert.throws(() => commit(put('a', 1)), isUnavailable);
    });

    it('refuses while it has just jumped', () => {
      const jumped = new Committer({
        database,
        fence: new FenceRow(database),
        jumps: new JumpCheck(startOfMachine() - HOUR_MS),
      });
      assert.throws(() => jumped.commit(toColumns([put('a', 1)])), isUnavailable);
      assert.throws(() => jumped.mark(), isUnavailable);
      assert.deepEqual([resources(), lastStamp()], [[], 0]);
    });
  });
});

function put(name: string, length: number): ChangeEvent {
  return { set: MAPS, key: keyOfPath(name), state: { length }, weight: WEIGHT + length };
}

function remove(name: string): ChangeEvent {
  return { set: MAPS, key: keyOfPath(name), state: undefined, weight: WEIGHT };
}

function describeResult(result: CommitResult): string {
  if (result.status === 'applied') return result.kind;
  return result.status === 'unchanged' ? result.reason : result.code;
}

function stampOf(result: CommitResult): number {
  return result.status === 'applied' ? result.stamp : assert.fail(describeResult(result));
}
