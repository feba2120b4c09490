import type { DatabaseSync } from 'node:sqlite';
import { TidemarkError } from '../../core/errors.ts';
import { transaction } from '../../lib/sqlite/sqlite-transaction.ts';
import { APPLICATION_ID } from './connection.ts';

/** A migration from one schema version to the next, in one transaction. The first one creates the schema. */
type Migration = (database: DatabaseSync) => void;

/** A release whose stores an earlier one must not open adds a migration, be it empty. */
export const MIGRATIONS: readonly Migration[] = [
  (database) =>
    database.exec(`
      PRAGMA application_id = ${APPLICATION_ID};

      CREATE TABLE settings (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
      INSERT INTO settings VALUES ('last_stamp', 0), ('last_version', 0);

      CREATE TABLE catalog (kind TEXT, id TEXT, version INTEGER NOT NULL, body TEXT NOT NULL, PRIMARY KEY (kind, id)) WITHOUT ROWID;
      CREATE INDEX catalog_version ON catalog (kind, version);

      -- The log. kind: 1 created, 2 updated, 3 deleted. weight: bytes of the entry in a document, at most.
      CREATE TABLE changes (
        stamp INTEGER PRIMARY KEY, set_id INTEGER NOT NULL, window INTEGER NOT NULL, kind INTEGER NOT NULL,
        key TEXT NOT NULL, weight INTEGER NOT NULL, state TEXT);
      CREATE INDEX changes_of_set ON changes (set_id, stamp);

      -- The fold of the log; state is null in a tombstone. Rows are in the order of their creation, and only the small index is
      -- written at random: with the rows in the order of their keys, posting keys in random order was half as fast.
      CREATE TABLE resources (
        set_id INTEGER NOT NULL, key TEXT NOT NULL, stamp INTEGER NOT NULL, created INTEGER NOT NULL,
        weight INTEGER NOT NULL, state TEXT);
      CREATE UNIQUE INDEX resource_by_key ON resources (set_id, key);

      CREATE TABLE windows (
        set_id INTEGER, number INTEGER, first_stamp INTEGER NOT NULL, changes INTEGER NOT NULL, weight INTEGER NOT NULL,
        PRIMARY KEY (set_id, number)) WITHOUT ROWID;
      CREATE TABLE summaries (
        set_id INTEGER PRIMARY KEY, resources INTEGER NOT NULL, changes INTEGER NOT NULL, last_change INTEGER NOT NULL);
      CREATE TABLE positions (set_id INTEGER, source TEXT, position INTEGER NOT NULL, PRIMARY KEY (set_id, source)) WITHOUT ROWID;
    `),
  (database) =>
    database.exec(`
      -- The stamp of the change of the same key before this one, 0 for its first: the history of one resource is a chain from its newest
      -- change on. An index of the keys would be written at random places, by every change.
      ALTER TABLE changes ADD COLUMN previous INTEGER NOT NULL DEFAULT 0;
      UPDATE changes SET previous = found.previous
        FROM (SELECT stamp, lag(stamp, 1, 0) OVER (PARTITION BY set_id, key ORDER BY stamp) AS previous FROM changes) AS found
        WHERE found.stamp = changes.stamp AND found.previous > 0;

      -- With the kind, so that changes are counted without being read.
      DROP INDEX changes_of_set;
      CREATE INDEX changes_of_set ON changes (set_id, stamp, kind);
    `),
  (database) =>
    database.exec(`
      -- The order of a key after a change, and now. A row of resources with stamp 0 has nothing but an order: the key was never there.
      ALTER TABLE changes ADD COLUMN event_order INTEGER;
      ALTER TABLE resources ADD COLUMN event_order INTEGER;

      -- The stamp at which the order rose without a change; null when it is that of the last change.
      ALTER TABLE resources ADD COLUMN raised INTEGER;
      CREATE INDEX resources_raised ON resources (raised) WHERE raised IS NOT NULL;
    `),
  (database) =>
    database.exec(`
      -- What is searched is in columns; body has all of the job (stores/job.ts). Times are in milliseconds since 1970.
      CREATE TABLE jobs (
        number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, state TEXT NOT NULL, added INTEGER NOT NULL,
        not_before INTEGER NOT NULL, finished INTEGER, version INTEGER NOT NULL, body TEXT NOT NULL);
      CREATE INDEX jobs_by_state ON jobs (state, number, kind, not_before);
      CREATE INDEX jobs_by_time ON jobs (added, name);
      CREATE TABLE job_logs (name TEXT PRIMARY KEY, lines TEXT NOT NULL) WITHOUT ROWID;
    `),
  // No table differs. The catalog has sets that earlier servers would fill with other files: the version keeps those
  // servers out.
  () => {},
  (database) =>
    database.exec(`
      -- Whether the store takes changes while it moves to another one, and where it has moved: see fence-row.ts.
      CREATE TABLE fence (id INTEGER PRIMARY KEY CHECK (id = 1), body TEXT NOT NULL);
    `),
];

export const SCHEMA_VERSION = MIGRATIONS.length;

export function schemaVersion(database: DatabaseSync): number {
  return database.prepare('PRAGMA user_version').get()!.user_version as number;
}

/**
 * Migrates a store to the newest schema, and returns its previous version. Several processes may do so
 * concurrently.
 */
export function migrate(database: DatabaseSync, migrations: readonly Migration[] = MIGRATIONS): number {
  return transaction(database, () => {
    const before = schemaVersion(database);
    if (before > migrations.length) throw newerSchema(database, migrations.length);
    for (const step of migrations.slice(before)) step(database);
    database.exec(`PRAGMA user_version = ${migrations.length}`);
    return before;
  });
}

/**
 * Creates the schema in an empty store.
 * @throws TidemarkError `incompatible` when the store has an older or newer schema
 */
export function requireSchema(database: DatabaseSync): void {
  const version = schemaVersion(database);
  if (version === SCHEMA_VERSION) return;
  if (version > SCHEMA_VERSION) throw newerSchema(database, SCHEMA_VERSION);
  if (version === 0) {
    migrate(database);
    return;
  }
  throw new TidemarkError(
    'incompatible',
    `the store ${database.location()} has schema version ${version}, this program needs ${SCHEMA_VERSION}: stop all processes that use it, make a backup, and run "tidemark migrate"`,
    { version, needed: SCHEMA_VERSION },
  );
}

function newerSchema(database: DatabaseSync, known: number): TidemarkError {
  const version = schemaVersion(database);
  return new TidemarkError(
    'incompatible',
    `the store ${database.location()} has schema version ${version}, this program knows versions up to ${known}: use a newer Tidemark`,
    { version, needed: known },
  );
}
