import assert from 'node:assert/strict';
import { readdirSync, readlinkSync } from 'node:fs';
import fc from 'fast-check';
import { isTidemarkError } from '../../src/core/errors.ts';
import { ScratchDatabase } from '../../src/lib/sqlite/scratch-database.ts';
import { itOnSmallDisk } from '../support/small-disk.ts';
import { useTempFolder } from '../support/temp-folder.ts';

const SCHEMA = 'CREATE TABLE texts (text TEXT PRIMARY KEY) WITHOUT ROWID';

describe('A scratch database', () => {
  const folder = useTempFolder();
  const open = (at = folder.path) => new ScratchDatabase({ folder: at, schema: SCHEMA, cacheBytes: 100_000 });
  const textsOf = (database: ScratchDatabase) =>
    [...database.prepare('SELECT text FROM texts ORDER BY text').iterate()].map(([text]) => text);

  it('returns what was added, in the order of its bytes @long', () => {
    const byBytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));
    const text = fc.string({ unit: 'binary', maxLength: 20 }).filter((one) => !one.includes('\0'));
    fc.assert(
      fc.property(fc.uniqueArray(text), (texts) => {
        const database = open();
        const insert = database.prepare('INSERT INTO texts VALUES (?)');
        for (const text of texts) assert.equal(insert.run(text), 1);
        assert.deepEqual(textsOf(database), texts.toSorted(byBytes));
        database.close();
      }),
      { numRuns: 20 },
    );
  });

  it('has no name in its folder, which it makes, and leaves nothing behind', () => {
    const database = open(folder.at('some/spool'));
    const insert = database.prepare('INSERT INTO texts VALUES (?)');
    for (let number = 0; number < 5_000; number++) insert.run(`${'x'.repeat(200)}${number}`);
    if (process.platform === 'linux') {
      assert.deepEqual(readdirSync(folder.at('some/spool')), []);
      assert.equal(openFilesBelow(folder.path).length, 1, 'what is larger than the cache is in one file');
    }
    assert.equal(textsOf(database).length, 5_000);
    database.close();
    database.close();
    assert.deepEqual(readdirSync(folder.at('some/spool')), []);
    assert.deepEqual(openFilesBelow(folder.path), []);
  });

  it('stops reading where the caller stops', () => {
    const database = open();
    const insert = database.prepare('INSERT INTO texts VALUES (?)');
    for (const text of ['a', 'b', 'c']) insert.run(text);
    for (const [text] of database.prepare('SELECT text FROM texts').iterate()) if (text === 'b') break;
    database.exec('DELETE FROM texts');
    assert.equal(database.prepare('SELECT text FROM texts').get(), undefined);
    database.close();
  });

  it('refuses a folder that cannot be made', () => {
    const message = /cannot be made/;
    assert.throws(
      () => open('/proc/none'),
      (error) => isTidemarkError(error, 'unavailable') && message.test(error.message),
    );
  });

  itOnSmallDisk('reports a full disk, and leaves no file', 2, async (disk) => {
    const database = open(disk.folder);
    const insert = database.prepare('INSERT INTO texts VALUES (?)');
    const fill = () => {
      for (let number = 0; number < 50_000; number++) insert.run(`${number} ${'x'.repeat(200)}`);
    };
    const message = /^the temporary database in the folder "tidemark-disk-.*" cannot grow: the disk is full$/;
    assert.throws(fill, (error) => isTidemarkError(error, 'unavailable') && message.test(error.message));
    database.close();
    await disk.fill();
    await disk.empty();
    const other = open(disk.folder);
    other.prepare('INSERT INTO texts VALUES (?)').run('a');
    assert.deepEqual(textsOf(other), ['a']);
    other.close();
  });

  itOnSmallDisk('reports a file system that cannot be written', 2, async (disk) => {
    await disk.makeReadOnly();
    const message = /cannot be made: the file system is read-only/;
    assert.throws(
      () => open(disk.folder),
      (error) => isTidemarkError(error, 'unavailable') && message.test(error.message),
    );
  });
});

/** Open files of this process, with or without a name. Linux alone lists them. */
function openFilesBelow(folder: string): readonly string[] {
  if (process.platform !== 'linux') return [];
  const targets = readdirSync('/proc/self/fd').map((descriptor) => {
    try {
      return readlinkSync(`/proc/self/fd/${descriptor}`);
    } catch {
      // The one that lists them is closed by now.
      return '';
    }
  });
  return targets.filter((target) => target.startsWith(folder));
}
