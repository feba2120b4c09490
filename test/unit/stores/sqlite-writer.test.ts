import assert from 'node:assert/strict';
import { copyFileSync, renameSync } from 'node:fs';
import { isTidemarkError } from '../../../src/core/errors.ts';
import { openSqlite } from '../../../src/stores/sqlite/open-sqlite.ts';
import { StoreIdentity } from '../../../src/stores/sqlite/store-lock.ts';
import { toColumns } from '../../../src/stores/sqlite/wire.ts';
import { Writer } from '../../../src/stores/sqlite/writer.ts';
import { upsert } from '../../support/builders.ts';
import { useTempFolder } from '../../support/temp-folder.ts';

describe('The writer of a store on SQLite', () => {
  const folder = useTempFolder();

  it('acknowledges no write to a file that was replaced meanwhile', async () => {
    const file = folder.at('tidemark.db');
    await (await openSqlite(file, {})).close();
    copyFileSync(file, folder.at('other.db'));
    const writer = new Writer(file, { failpoint: undefined, identity: new StoreIdentity(file) });
    try {
      // More than a small commit: its thread makes it, after the first check.
      const events = Array.from({ length: 200 }, (_, at) => upsert(1, `a${at}`));
      const committed = writer.commit(toColumns(events));
      renameSync(folder.at('other.db'), file);
      await assert.rejects(
        committed,
        (error) => isTidemarkError(error, 'unavailable') && /was replaced or removed/.test(error.message),
      );
    } finally {
      await writer.close();
    }
  });

  it('puts documents that wait together, refuses only the one that another has made, and closes after all', async () => {
    const file = folder.at('tidemark.db');
    await (await openSqlite(file, {})).close();
    const writer = new Writer(file, { failpoint: undefined, identity: new StoreIdentity(file) });
    const puts = ['a', 'b', 'a', 'c'].map((id) =>
      writer.put({ kind: 'set', id, body: `"${id}"`, replaces: undefined }),
    );
    const closed = writer.close();
    const ended = await Promise.allSettled(puts);
    await closed;
    assert.deepEqual(
      ended.map(({ status }) => status),
      ['fulfilled', 'fulfilled', 'rejected', 'fulfilled'],
    );
    const [, , third] = ended;
    assert.ok(third?.status === 'rejected' && isTidemarkError(third.reason, 'conflict'));
    const { catalog, close } = await openSqlite(file, {});
    const listed = await catalog.list('set', 0);
    await close();
    assert.deepEqual(listed.map(({ id }) => id).toSorted(), ['a', 'b', 'c']);
  });

  it('commits after the documents that were put before, also while they wait for others', async () => {
    const file = folder.at('tidemark.db');
    await (await openSqlite(file, {})).close();
    const writer = new Writer(file, { failpoint: undefined, identity: new StoreIdentity(file) });
    try {
      const ended: string[] = [];
      const note = (name: string) => () => void ended.push(name);
      const puts = ['a', 'b'].map((id) =>
        writer.put({ kind: 'set', id, body: '{}', replaces: undefined }).then(note(id)),
      );
      await Promise.all([...puts, writer.mark().then(note('mark'))]);
      assert.deepEqual(ended, ['a', 'b', 'mark']);
    } finally {
      await writer.close();
    }
  });
});
