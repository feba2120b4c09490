import { ask, connect } from './connection.ts';
import { migrate, requireSchema, SCHEMA_VERSION } from './schema.ts';
import { SqliteCatalog } from './sqlite-catalog.ts';
import { SqliteIndex } from './sqlite-index.ts';
import { Writer } from './writer.ts';

/** @throws TidemarkError `unavailable` or `incompatible` */
export async function openSqlite(file: string, failpoint: string | undefined) {
  const database = connect(file);
  try {
    ask(file, () => requireSchema(database));
    const writer = new Writer(file, failpoint);
    return {
      index: new SqliteIndex(database, file, writer),
      catalog: new SqliteCatalog(database, file, writer),
      async close() {
        await writer.close();
        database.close();
      },
    };
  } catch (error) {
    database.close();
    throw error;
  }
}

export function migrateSqlite(file: string): { readonly from: number; readonly to: number } {
  const database = connect(file);
  try {
    return { from: ask(file, () => migrate(database)), to: SCHEMA_VERSION };
  } finally {
    database.close();
  }
}
