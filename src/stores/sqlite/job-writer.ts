import type { DatabaseSync } from 'node:sqlite';
import { transaction } from '../../lib/sqlite/sqlite-transaction.ts';
import type { FenceRow } from './fence-row.ts';
import type { JobRow, JobWrite } from './wire.ts';

/** Jobs that are removed in one transaction, so that no other write waits for long. */
const REMOVED_AT_ONCE = 1_000;

/** Writes jobs on one connection. Synchronous. */
export class JobWriter {
  readonly #database: DatabaseSync;
  readonly #fence: FenceRow;
  readonly #statements;

  constructor(database: DatabaseSync, fence: FenceRow) {
    this.#database = database;
    this.#fence = fence;
    this.#statements = {
      create: database.prepare(
        'INSERT INTO jobs (name, kind, state, added, not_before, finished, version, body) VALUES (?,?,?,?,?,?,1,?) ON CONFLICT DO NOTHING',
      ),
      replace: database.prepare(
        'UPDATE jobs SET state = ?, not_before = ?, finished = ?, body = ?, version = version + 1 WHERE name = ? AND version = ?',
      ),
      log: database.prepare('INSERT OR REPLACE INTO job_logs VALUES (?, ?)'),
      ended: database.prepare('SELECT name FROM jobs WHERE state = ? AND finished < ? LIMIT ?'),
      remove: database.prepare('DELETE FROM jobs WHERE name = ?'),
      removeLog: database.prepare('DELETE FROM job_logs WHERE name = ?'),
    };
  }

  /** Returns the number of jobs that were created, replaced or removed. */
  write(write: JobWrite): number {
    if (isDurable(write)) return this.#write(write);
    this.#database.exec('PRAGMA synchronous = NORMAL');
    try {
      return this.#write(write);
    } finally {
      this.#database.exec('PRAGMA synchronous = FULL');
    }
  }

  #write(write: JobWrite): number {
    return transaction(this.#database, () => {
      this.#fence.require();
      switch (write.kind) {
        case 'create':
          return write.rows.reduce((created, row) => created + this.#create(row), 0);
        case 'replace':
          return this.#replace(write.row, write.version);
        case 'log':
          return Number(this.#statements.log.run(write.name, write.lines).changes);
        case 'remove':
          return this.#remove(write.state, write.finishedBefore);
      }
    });
  }

  #create({ name, kind, state, added, notBefore, finished, body }: JobRow): number {
    return Number(this.#statements.create.run(name, kind, state, added, notBefore, finished, body).changes);
  }

  #replace({ name, state, notBefore, finished, body }: JobRow, version: string): number {
    const { changes } = this.#statements.replace.run(state, notBefore, finished, body, name, Number(version));
    return Number(changes);
  }

  #remove(state: string, finishedBefore: number): number {
    const ended = this.#statements.ended.all(state, finishedBefore, REMOVED_AT_ONCE);
    for (const { name } of ended) {
      this.#statements.remove.run(name!);
      this.#statements.removeLog.run(name!);
    }
    return ended.length;
  }
}

/** Whether a write must survive a power failure. A claim and a heartbeat need not: neither does the worker. */
function isDurable(write: JobWrite): boolean {
  return write.kind !== 'log' && !(write.kind === 'replace' && write.row.state === 'running');
}
