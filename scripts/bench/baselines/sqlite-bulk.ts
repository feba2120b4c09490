import { readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

/**
 * Bare SQLite: writes the two rows of each event, one of the log and one of the state, as durably as we do; no HTTP, no
 * decisions, and the rows are in memory. Prints `{seconds}`.
 */
const {
  events,
  database: file,
  batch,
  sorted,
  layout,
  pageSize,
} = JSON.parse(process.argv[2]!) as {
  events: string;
  database: string;
  batch: number;
  sorted: boolean;
  layout: 'rowid' | 'by-key';
  pageSize: number;
};

const rows = rowsOf(readFileSync(events));
const database = new DatabaseSync(file);
const byKey = layout === 'by-key';
database.exec(`
  PRAGMA page_size = ${pageSize}; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
  PRAGMA cache_size = -32000; PRAGMA wal_autocheckpoint = ${Math.floor((16_000 * 8192) / pageSize)};
  CREATE TABLE log (stamp INTEGER PRIMARY KEY, key TEXT NOT NULL, state TEXT);
  CREATE TABLE states (key TEXT ${byKey ? 'PRIMARY KEY' : 'NOT NULL'}, stamp INTEGER NOT NULL, state TEXT)${byKey ? ' WITHOUT ROWID' : ''};
  ${byKey ? '' : 'CREATE UNIQUE INDEX state_by_key ON states (key);'}`);
const log = database.prepare('INSERT INTO log VALUES (?,?,?)');
const state = database.prepare('INSERT INTO states VALUES (?,?,?)');

const start = performance.now();
let stamp = 0;
for (let at = 0; at < rows.length; at += batch) {
  const part = rows.slice(at, at + batch);
  database.exec('BEGIN IMMEDIATE');
  for (const row of part) {
    row.stamp = ++stamp;
    log.run(row.stamp, row.key, row.state);
  }
  if (sorted) part.sort((a, b) => (a.key < b.key ? -1 : 1));
  for (const row of part) state.run(row.key, row.stamp, row.state);
  database.exec('COMMIT');
}
const seconds = (performance.now() - start) / 1000;
database.close();
console.log(JSON.stringify({ seconds }));

function rowsOf(bytes: Buffer): { key: string; state: string; stamp: number }[] {
  const rows = [];
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(0x0a, start);
    const { location, change: _, ...state } = JSON.parse(bytes.toString('utf8', start, end));
    rows.push({ key: `/${location.value}`, state: JSON.stringify(state), stamp: 0 });
    start = end + 1;
  }
  return rows;
}
