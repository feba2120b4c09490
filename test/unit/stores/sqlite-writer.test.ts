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
});
