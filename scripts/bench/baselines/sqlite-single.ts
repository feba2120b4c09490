import { DatabaseSync } from 'node:sqlite';
import { setTimeout as wait } from 'node:timers/promises';
import { eventLine } from '../support/events.ts';

/**
 * Bare SQLite: one transaction of the two rows of one event, after a pause, again and again. Prints the milliseconds of
 * each.
 */
const {
  database: file,
  resources,
  events,
  pause,
} = JSON.parse(process.argv[2]!) as {
  database: string;
  resources: number;
  events: number;
  pause: number;
};

const database = new DatabaseSync(file);
database.exec(`
  PRAGMA page_size = 8192; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -32000;
  CREATE TABLE log (stamp INTEGER PRIMARY KEY, key TEXT NOT NULL, state TEXT);
  CREATE TABLE states (key TEXT NOT NULL, stamp INTEGER NOT NULL, state TEXT);
  CREATE UNIQUE INDEX state_by_key ON states (key);`);
const log = database.prepare('INSERT INTO log VALUES (?,?,?)');
const create = database.prepare('INSERT INTO states VALUES (?,?,?)');
const update = database.prepare('UPDATE states SET stamp = ?, state = ? WHERE key = ?');

database.exec('BEGIN');
for (let number = 0; number < resources; number++) {
  const state = eventLine(number);
  log.run(number, String(number), state);
  create.run(String(number), number, state);
}
database.exec('COMMIT');

const milliseconds: number[] = [];
for (let number = 0; number < events; number++) {
  await wait(pause);
  const state = eventLine(number, { revision: 1 });
  const start = performance.now();
  database.exec('BEGIN IMMEDIATE');
  log.run(resources + number, String(number), state);
  update.run(resources + number, state, String(number));
  database.exec('COMMIT');
  milliseconds.push(performance.now() - start);
}
database.close();
console.log(JSON.stringify(milliseconds));
