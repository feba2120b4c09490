import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';
import { isTidemarkError } from '../../../src/core/errors.ts';
import type { RememberedFile } from '../../../src/sources/files/file-memory.ts';
import { ScanMemory } from '../../../src/sources/files/scan-memory.ts';
import { useTempFolder } from '../../support/temp-folder.ts';

/** Another writer, which holds the lock for a tenth of a second. */
const WRITE_FOR_A_WHILE = `
  const { workerData: { path, isLocked } } = require('node:worker_threads');
  const database = new (require('node:sqlite').DatabaseSync)(path);
  database.exec("BEGIN IMMEDIATE; INSERT INTO files VALUES ('/b', 1, 1, 1, NULL, NULL)");
  Atomics.store(isLocked, 0, 1);
  Atomics.notify(isLocked, 0);
  Atomics.wait(isLocked, 0, 1, 100);
  database.exec('COMMIT');
  database.close();
`;

/** Bytes. */
const PAGE = 4_096;

describe('what scans remember', () => {
  const folder = useTempFolder();
  const open: ScanMemory[] = [];

  afterEach(() => {
    for (const memory of open.splice(0)) memory.close();
  });

  function openMemory(root = '/data', earlier?: { readonly root: string; readonly since: bigint }): ScanMemory {
    const memory = new ScanMemory({ file: folder.at('roots/1.db'), root, ...(earlier && { earlier }) });
    open.push(memory);
    return memory;
  }

  const file = (key: string, length = 1): RememberedFile => ({
    key,
    length,
    mtime: 1_600_000_000_123_456_789n,
    scanned: 1_700_000_000_987_654_321n,
  });
  const deletedOpenFiles = () =>
    openFiles().filter((path) => path.startsWith(folder.path) && path.includes('(deleted)'));
  const keysOf = (memory: ScanMemory, range = {}): string[] => [...memory.read(range)].flat().map(({ key }) => key);

  it('is kept to the nanosecond, also when it is closed and opened again', () => {
    const files = [file('/a', 2 ** 40), file('/b')];
    openMemory().update({ remember: files, forget: [] });
    assert.deepEqual([...openMemory().read({})].flat(), files);
  });

  it('is changed by all of an update or by nothing, and goes on after one that failed', () => {
    const memory = openMemory();
    memory.update({ remember: [file('/a')], forget: [] });
    memory.update({ remember: [], forget: [] });
    const broken = { ...file('/c'), length: 0.5 };
    assert.throws(() => memory.update({ remember: [file('/b'), broken], forget: ['/a'] }));
    assert.deepEqual(keysOf(memory), ['/a']);
    memory.update({ remember: [file('/b')], forget: [] });
    memory.update({ remember: [], forget: ['/a'] });
    assert.deepEqual(keysOf(memory), ['/b']);
  });

  it('is read as batches that are not empty', () => {
    const memory = openMemory();
    assert.deepEqual([...memory.read({})], []);
    memory.update({ remember: Array.from({ length: 1_000 }, (_, at) => file(`/${at}`)), forget: [] });
    assert.ok([...memory.read({})].every((batch) => batch.length > 0));
    assert.equal(keysOf(memory).length, 1_000);
  });

  it('has few files open, and keeps what it knows while others are used', () => {
    const memories = Array.from({ length: 50 }, (_, at) => {
      const memory = new ScanMemory({ file: folder.at(`roots/${at}.db`), root: '/data' });
      open.push(memory);
      memory.update({ remember: [file(`/${at}`)], forget: [] });
      return memory;
    });
    // A database, its log, and the index of the log.
    const files = openFiles().filter((path) => path.startsWith(folder.path));
    assert.ok(files.length <= 3 * 32, `${files.length} files are open`);
    for (const [at, memory] of memories.entries()) assert.deepEqual(keysOf(memory), [`/${at}`]);
  });

  it('can be closed for others while it is read', () => {
    const memory = openMemory();
    memory.update({ remember: Array.from({ length: 1_000 }, (_, at) => file(`/${at}`)), forget: [] });
    const batches = memory.read({});
    const first = batches.next().value!;
    for (let at = 2; at < 36; at++) {
      const other = new ScanMemory({ file: folder.at(`roots/${at}.db`), root: '/data' });
      open.push(other);
      keysOf(other);
    }
    assert.equal([...first, ...[...batches].flat()].length, 1_000);
  });

  it('is closed once, however often that is asked for', () => {
    const memory = openMemory();
    memory.close();
    memory.close();
    assert.throws(() => keysOf(memory));
  });

  it('holds what distinguishes versions of a file, where a root has it', () => {
    const files = [{ ...file('/a'), tag: 'v1' }, file('/b')];
    openMemory().update({ remember: files, forget: [] });
    assert.deepEqual([...openMemory().read({})].flat(), files);
    openMemory().update({ remember: [file('/a')], forget: [] });
    assert.deepEqual([...openMemory().read({})].flat(), [file('/a'), file('/b')]);
  });

  it('is kept when it was made before files had versions', () => {
    mkdirSync(folder.at('roots'));
    const database = new DatabaseSync(folder.at('roots/1.db'));
    database.exec(`
      CREATE TABLE root (path TEXT NOT NULL);
      CREATE TABLE files (
        key TEXT PRIMARY KEY, length INTEGER NOT NULL, mtime INTEGER NOT NULL, scanned INTEGER NOT NULL
      ) WITHOUT ROWID, STRICT;
      INSERT INTO root VALUES ('/data');
      INSERT INTO files VALUES ('/a', 1, 1600000000123456789, 1700000000987654321);
    `);
    database.close();

    const memory = openMemory();
    assert.deepEqual([...memory.read({})].flat(), [file('/a')]);
    memory.update({ remember: [{ ...file('/b'), tag: 'v1' }], forget: [] });
    assert.deepEqual([...openMemory().read({})].flat(), [file('/a'), { ...file('/b'), tag: 'v1' }]);
  });

  it('is kept when an earlier version named its root otherwise, unless it was scanned before the epoch (108)', () => {
    const { scanned } = file('/a');
    for (const [since, keys] of [
      [scanned, ['/a']],
      [scanned + 1n, []],
    ] as const) {
      openMemory('/data in epoch 1').update({ remember: [file('/a')], forget: [] });
      const earlier = { root: '/data in epoch 1', since };
      const memory = () => openMemory('/data in epoch 1 since 7', earlier);
      assert.deepEqual(keysOf(memory()), keys);
      assert.deepEqual(keysOf(memory()), keys);
    }
  });

  it('is read ascending by key, in a range, over several batches', () => {
    const keys = Array.from({ length: 1_700 }, (_, at) => `/${String(at).padStart(4, '0')}`);
    const memory = openMemory();
    memory.update({ remember: keys.toReversed().map((key) => file(key)), forget: [] });

    assert.deepEqual(keysOf(memory), keys);
    assert.deepEqual(keysOf(memory, { from: '/0500', to: '/1600' }), keys.slice(500, 1_600));
    assert.deepEqual(keysOf(memory, { from: '/2', to: '/3' }), []);
  });

  it('may be changed while it is read', () => {
    const keys = Array.from({ length: 1_200 }, (_, at) => `/${String(at).padStart(4, '0')}`);
    const memory = openMemory();
    memory.update({ remember: keys.map((key) => file(key)), forget: [] });
    const seen: string[] = [];
    for (const batch of memory.read({})) {
      seen.push(...batch.map(({ key }) => key));
      memory.update({ remember: batch.map(({ key }) => file(key, 2)), forget: [] });
    }
    assert.deepEqual(seen, keys);
  });

  it('takes the newest of a file, and forgets', () => {
    const memory = openMemory();
    memory.update({ remember: [file('/a'), file('/b')], forget: [] });
    memory.update({ remember: [file('/a', 5)], forget: ['/b', '/never'] });
    assert.deepEqual([...memory.read({})].flat(), [file('/a', 5)]);
  });

  it('begins anew for another root', () => {
    openMemory().update({ remember: [file('/a')], forget: [] });
    assert.deepEqual(keysOf(openMemory('/elsewhere')), []);
    assert.deepEqual(keysOf(openMemory()), []);
  });

  it('begins anew when its file is damaged, which costs nothing but time', () => {
    mkdirSync(folder.at('roots'));
    writeFileSync(folder.at('roots/1.db'), 'this is not a database, but long enough to be taken for one'.repeat(100));
    const memory = openMemory();
    memory.update({ remember: [file('/a')], forget: [] });
    assert.deepEqual(keysOf(memory), ['/a']);
  });

  /** Makes a memory, and overwrites pages of its file. */
  function damage(from: number, to: number): void {
    const memory = openMemory();
    memory.update({ remember: [file('/a')], forget: [] });
    memory.close();
    const bytes = readFileSync(folder.at('roots/1.db'));
    writeFileSync(folder.at('roots/1.db'), bytes.fill(0xff, from, to));
  }

  // The header of the file remains; the page that lists the tables does not, or that of the table of the root.
  for (const [from, to] of [
    [100, PAGE],
    [PAGE, 2 * PAGE],
  ] as const) {
    it(`begins anew when its file is damaged from byte ${from}, and closes the damaged file`, () => {
      damage(from, to);
      assert.deepEqual(keysOf(openMemory()), []);
      assert.deepEqual(deletedOpenFiles(), []);
    });
  }

  for (const [name, use] of [
    ['read', (memory: ScanMemory) => keysOf(memory)],
    ['changed', (memory: ScanMemory) => memory.update({ remember: [file('/b')], forget: [] })],
  ] as const) {
    it(`says so once, and begins anew, when damage shows as it is ${name}`, () => {
      damage(2 * PAGE, 3 * PAGE);
      const memory = openMemory();
      assert.throws(() => use(memory), {
        code: 'unavailable',
        message: `the memory of scans ${folder.at('roots/1.db')} is damaged: it was emptied, and the next scan reads every file`,
      });
      assert.deepEqual(keysOf(memory), []);
      memory.update({ remember: [file('/c')], forget: [] });
      assert.deepEqual(keysOf(memory), ['/c']);
      assert.deepEqual(deletedOpenFiles(), []);
    });
  }

  it('is unavailable, and says which file, when a damaged one cannot be removed', () => {
    folder.write('roots/1.db', 'this is not a database, but long enough to be taken for one'.repeat(100));
    mkdirSync(folder.at('roots/1.db-shm'));
    assert.throws(
      () => keysOf(openMemory()),
      (error) => isTidemarkError(error, 'unavailable') && error.message.includes('roots/1.db'),
    );
  });

  it('is kept when it cannot be opened for another reason than damage', () => {
    const memory = openMemory();
    memory.update({ remember: [file('/a')], forget: [] });
    memory.close();
    mkdirSync(folder.at('roots/1.db-wal'));
    assert.throws(
      () => keysOf(openMemory()),
      (error) => isTidemarkError(error, 'unavailable'),
    );
    folder.remove('roots/1.db-wal');
    assert.deepEqual(keysOf(openMemory()), ['/a']);
  });

  it('waits for another process that writes to it', async () => {
    const memory = openMemory();
    // Makes the table.
    keysOf(memory);
    const isLocked = new Int32Array(new SharedArrayBuffer(4));
    const writer = new Worker(WRITE_FOR_A_WHILE, {
      eval: true,
      workerData: { path: folder.at('roots/1.db'), isLocked },
    });
    const ended = once(writer, 'exit');
    await Atomics.waitAsync(isLocked, 0, 0).value;
    memory.update({ remember: [file('/a')], forget: [] });
    assert.deepEqual(keysOf(memory), ['/a', '/b']);
    await ended;
  });

  it('is unavailable, and says which file, when it cannot be opened', () => {
    mkdirSync(folder.at('roots/1.db'), { recursive: true });
    assert.throws(
      () => keysOf(openMemory()),
      (error) => isTidemarkError(error, 'unavailable') && error.message.includes('roots/1.db'),
    );
  });
});

/** The paths of the files that this process has open. */
function openFiles(): string[] {
  return readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      return [readlinkSync(`/proc/self/fd/${fd}`)];
    } catch {
      // It was closed meanwhile.
      return [];
    }
  });
}
