import { existsSync } from 'node:fs';
import { joinPorts } from '../resource-index.ts';
import { ask, connect } from './connection.ts';
import { ReadBatch } from './read-batch.ts';
import { ReadConnection } from './read-connection.ts';
import { Reader } from './reader.ts';
import { migrate, requireSchema, SCHEMA_VERSION } from './schema.ts';
import { SqliteCatalog } from './sqlite-catalog.ts';
import { SqliteChangeLog } from './sqlite-change-log.ts';
import { SqliteFence } from './sqlite-fence.ts';
import { SqliteGauge } from './sqlite-gauge.ts';
import { SqliteJobs } from './sqlite-jobs.ts';
import { SqliteStates } from './sqlite-states.ts';
import { SqliteStatistics } from './sqlite-statistics.ts';
import { type LockMode, lockFileOf, lockStore, requireAllCommits, StoreIdentity } from './store-lock.ts';
import { Writer } from './writer.ts';

interface OpenSqliteOptions {
  readonly failpoint?: string | undefined;
  readonly lock?: LockMode | undefined;
}

/** @throws TidemarkError `unavailable` or `incompatible` */
export async function openSqlite(file: string, { failpoint, lock = 'shared' }: OpenSqliteOptions) {
  const { release } = lockOwn(file, lock);
  try {
    const { close, ...stores } = connectStores(file, failpoint);
    return { ...stores, close: () => close().finally(release) };
  } catch (error) {
    release();
    throw error;
  }
}

/**
 * Locks a store of this program, or one that does not exist yet. Never writes a file beside the database of another
 * program.
 */
function lockOwn(file: string, mode: LockMode) {
  requireAllCommits(file);
  if (existsSync(file) && !existsSync(lockFileOf(file))) connect(file).close();
  return lockStore(file, mode);
}

function connectStores(file: string, failpoint: string | undefined) {
  const database = connect(file);
  try {
    ask(file, () => requireSchema(database));
    const identity = new StoreIdentity(file);
    const writer = new Writer(file, { failpoint, identity });
    const reader = new Reader(file);
    const reads = new ReadBatch({ database, file, identity });
    const connection = new ReadConnection({ database, file, writer, reader, reads });
    return {
      index: joinPorts({
        log: new SqliteChangeLog(connection),
        states: new SqliteStates(connection),
        statistics: new SqliteStatistics(connection),
      }),
      catalog: new SqliteCatalog({ database, writer, reads }),
      jobs: new SqliteJobs({ database, writer, reads }),
      fence: new SqliteFence({ database, writer, reads }),
      gauge: new SqliteGauge(database, file),
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

/** @throws TidemarkError `unavailable` while another process has the store open */
export function migrateSqlite(file: string): { readonly from: number; readonly to: number } {
  const { release } = lockOwn(file, 'exclusive');
  try {
    const database = connect(file);
    try {
      return { from: ask(file, () => migrate(database)), to: SCHEMA_VERSION };
    } finally {
      database.close();
    }
  } finally {
    release();
  }
}
