import type { DatabaseSync } from 'node:sqlite';
import { TidemarkError } from '../../core/errors.ts';
import { transaction } from '../../lib/sqlite/sqlite-transaction.ts';
import { Settings } from './database-settings.ts';
import type { PutRequest } from './wire.ts';

/** @throws TidemarkError `conflict` when the document has another version than the one to replace */
export function putDocument(database: DatabaseSync, { kind, id, body, replaces }: PutRequest): number {
  return transaction(database, () => {
    const found = database.prepare('SELECT version FROM catalog WHERE kind = ? AND id = ?').get(kind, id);
    if (found?.version !== replaces) {
      throw new TidemarkError('conflict', `the ${kind} ${id} was changed meanwhile: read it again`, {
        kind,
        id,
      });
    }
    const version = new Settings(database).nextVersion();
    database.prepare('INSERT OR REPLACE INTO catalog VALUES (?, ?, ?, ?)').run(kind, id, version, body);
    return version;
  });
}
