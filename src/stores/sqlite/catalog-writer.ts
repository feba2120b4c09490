import type { DatabaseSync } from 'node:sqlite';
import { transaction } from '../../lib/sqlite/sqlite-transaction.ts';
import { Settings } from './database-settings.ts';
import type { FenceRow } from './fence-row.ts';
import type { PutRequest } from './wire.ts';

/**
 * Puts documents in one transaction, since each waits for the disk. Returns their versions in the same order; undefined
 * for a document that has another version than the one to replace.
 */
export function putDocuments(
  { database, fence }: { readonly database: DatabaseSync; readonly fence: FenceRow },
  requests: readonly PutRequest[],
): readonly (number | undefined)[] {
  return transaction(database, () => {
    fence.require();
    return requests.map((request) => putDocument(database, request));
  });
}

function putDocument(database: DatabaseSync, { kind, id, body, replaces }: PutRequest): number | undefined {
  const found = database.prepare('SELECT version FROM catalog WHERE kind = ? AND id = ?').get(kind, id);
  if (found?.version !== replaces) return undefined;
  const version = new Settings(database).nextVersion();
  database.prepare('INSERT OR REPLACE INTO catalog VALUES (?, ?, ?, ?)').run(kind, id, version, body);
  return version;
}
