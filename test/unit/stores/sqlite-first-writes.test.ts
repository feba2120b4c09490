import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import { openSqlite } from '../../../src/stores/sqlite/open-sqlite.ts';
import { useTempFolder } from '../../support/temp-folder.ts';

describe('The first writes of a process, on SQLite', () => {
  const folder = useTempFolder();
  let stores: Awaited<ReturnType<typeof openSqlite>>;
  beforeEach(async () => {
    stores = await openSqlite(folder.at('tidemark.db'), {});
  });
  afterEach(() => stores.close());

  const put = (id: string) => stores.catalog.put('clock', id, { id }, undefined);
  const threads = () => process.getActiveResourcesInfo().filter((resource) => resource === 'MessagePort').length;

  it('start no thread, until there are many', async () => {
    const before = threads();
    await put('first');
    assert.equal(threads(), before);
    for (let at = 0; threads() === before; at += 1) await put(`later-${at}`);
    const last = await put('last');
    assert.equal((await stores.catalog.get('clock', 'last'))?.version, last);
  });

  it('do not block this thread while another process has the lock', async () => {
    const other = new DatabaseSync(folder.at('tidemark.db'));
    other.exec('BEGIN IMMEDIATE');
    const written = put('waits');
    await setImmediate();
    other.exec('COMMIT');
    other.close();
    await written;
    assert.deepEqual((await stores.catalog.get('clock', 'waits'))?.body, { id: 'waits' });
  });
});
