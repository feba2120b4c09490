import { connect } from '../../src/stores/sqlite/connection.ts';
import { MIGRATIONS, migrate } from '../../src/stores/sqlite/schema.ts';

const TABLES_AS_TODAY = ['settings', 'catalog', 'windows', 'summaries', 'positions'];

/** Copies the rows of a closed SQLite store of today into a new file, in the tables of the first version. */
export function copyToFirstSchema(today: string, file: string): void {
  const database = connect(file);
  migrate(database, MIGRATIONS.slice(0, 1));
  database.exec(`ATTACH '${today}' AS today; DELETE FROM settings`);
  for (const table of TABLES_AS_TODAY) database.exec(`INSERT INTO ${table} SELECT * FROM today.${table}`);
  database.exec('INSERT INTO resources SELECT set_id, key, stamp, created, weight, state FROM today.resources');
  database.exec(
    'INSERT INTO changes SELECT stamp, set_id, window, kind, key, weight, state FROM today.changes; DETACH today',
  );
  database.close();
}
