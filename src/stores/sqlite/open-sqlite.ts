import { ask, connect } from './connection.ts';
import { Reader } from './reader.ts';
import { migrate, requireSchema, SCHEMA_VERSION } from './schema.ts';
import { SqliteCatalog } from './sqlite-catalog.ts';
import { SqliteGauge } from './sqlite-gauge.ts';
import { SqliteIndex } from './sqlite-index.ts';
import { Writer } from './writer.ts';

/** @throws TidemarkError `unavailable` or `incompatible` */
export async function openSqlite(file: string, failpoint: string | undefined) {
  const database = connect(file);
  try {
    ask(file, () => requireSchema(database));
    const writer = new Writer(file, failpoint);
    const reader = new Reader(file);
    // Another number after every commit of another connection; and this one only reads.
    const dataVersion = database.prepare('PRAGMA data_version');
    dataVersion.setReturnArrays(true);
    return {
      index: new SqliteIndex({ database, file, writer, reader }),
      catalog: new SqliteCatalog(database, file, writer),
      gauge: new SqliteGauge(database, file),
      async moment() {
        return String(ask(file, () => dataVersion.get()));
      },
      async close() {
        await reader.close();
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
