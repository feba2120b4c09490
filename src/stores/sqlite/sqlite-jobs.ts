import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { parseStored } from '../../core/errors.ts';
import { type Job, type JobState, jobName, LONGEST_PAUSE_MS } from '../job.ts';
import type { DueJobs, JobCount, JobFilter, JobRecords, OpenJobs, StoredJob } from '../job-records.ts';
import type { ReadBatch } from './read-batch.ts';
import type { JobRow } from './wire.ts';
import type { Writer } from './writer.ts';

interface JobsParts {
  readonly database: DatabaseSync;
  readonly writer: Writer;
  readonly reads: ReadBatch;
}

type Row = Record<string, unknown>;

/** Lists of kinds and states are passed as JSON, so that each statement is prepared only once. */
const AMONG = 'IN (SELECT value FROM json_each(?))';

/** @param ofStates whether a job has one of the states ?1 */
const listOf = (jobs: string, ofStates: string) =>
  `SELECT body FROM ${jobs} WHERE ${ofStates} AND (?2 IS NULL OR kind IN (SELECT value FROM json_each(?2)))
    AND (?3 IS NULL OR (added, name) < (?3, ?4)) ORDER BY added DESC, name DESC LIMIT ?5`;

export class SqliteJobs implements JobRecords {
  readonly #writer: Writer;
  readonly #reads: ReadBatch;
  readonly #statements;

  constructor({ database, writer, reads }: JobsParts) {
    this.#writer = writer;
    this.#reads = reads;
    this.#statements = {
      get: database.prepare('SELECT version, body FROM jobs WHERE name = ?'),
      due: database.prepare(
        `SELECT version, body FROM jobs WHERE state = 'queued' AND not_before NOT BETWEEN ? AND ? AND kind ${AMONG}
          AND substr(name, 1, instr(name, '~')) NOT IN (SELECT value FROM json_each(?))
          ORDER BY number LIMIT ?`,
      ),
      running: database.prepare(`SELECT version, body FROM jobs WHERE state = 'running' AND kind ${AMONG}`),
      list: database.prepare(listOf('jobs', '(?1 IS NULL OR state IN (SELECT value FROM json_each(?1)))')),
      // Few of all jobs: most have ended.
      listOpen: database.prepare(listOf('jobs INDEXED BY jobs_by_state', 'state IN (SELECT value FROM json_each(?1))')),
      counts: database.prepare('SELECT kind, state, count(*) AS count FROM jobs GROUP BY kind, state'),
      log: database.prepare('SELECT lines FROM job_logs WHERE name = ?'),
    };
  }

  create(jobs: readonly Job[]): Promise<number> {
    return this.#writer.job({ kind: 'create', rows: jobs.map(toRow) });
  }

  async get(name: string): Promise<StoredJob | undefined> {
    const row = await this.#reads.run(() => this.#statements.get.get(name));
    return row && toStored(row);
  }

  async replace(job: Job, version: string): Promise<string | undefined> {
    const replaced = await this.#writer.job({ kind: 'replace', row: toRow(job), version });
    return replaced === 0 ? undefined : String(Number(version) + 1);
  }

  open(kinds: readonly string[], { now, limit, except = [] }: DueJobs): Promise<OpenJobs> {
    const { due, running } = this.#statements;
    const among = JSON.stringify(kinds);
    const values = [now + 1, now + LONGEST_PAUSE_MS, among, JSON.stringify(except), limit];
    return this.#reads.run(() => ({
      due: limit === 0 ? [] : due.all(...values).map(toStored),
      running: running.all(among).map(toStored),
    }));
  }

  async list({ states, kinds, after, limit }: JobFilter): Promise<readonly Job[]> {
    const values: SQLInputValue[] = [
      states === undefined ? null : JSON.stringify(states),
      kinds === undefined ? null : JSON.stringify(kinds),
      after?.added ?? null,
      after === undefined ? null : jobName(after),
      limit,
    ];
    const { list, listOpen } = this.#statements;
    const isOpen = states?.every((state) => state === 'queued' || state === 'running') === true;
    return (await this.#reads.run(() => (isOpen ? listOpen : list).all(...values))).map(toJob);
  }

  async counts(): Promise<readonly JobCount[]> {
    const rows = await this.#reads.run(() => this.#statements.counts.all());
    return rows.map(({ kind, state, count }) => ({
      kind: kind as string,
      state: state as JobState,
      count: count as number,
    }));
  }

  async log(name: string): Promise<readonly string[]> {
    const row = await this.#reads.run(() => this.#statements.log.get(name));
    return row === undefined ? [] : parseStored(row.lines as string, `the log of the job ${name}`);
  }

  async putLog(name: string, lines: readonly string[]): Promise<void> {
    await this.#writer.job({ kind: 'log', name, lines: JSON.stringify(lines) });
  }

  async remove(state: JobState, finishedBefore: number): Promise<number> {
    let removed = 0;
    for (;;) {
      const more = await this.#writer.job({ kind: 'remove', state, finishedBefore });
      if (more === 0) return removed;
      removed += more;
    }
  }
}

function toRow(job: Job): JobRow {
  const { kind, state, added, notBefore, finished = null } = job;
  return { name: jobName(job), kind, state, added, notBefore, finished, body: JSON.stringify(job) };
}

function toJob({ name, body }: Row): Job {
  return parseStored(body as string, `the job ${name}`);
}

function toStored(row: Row): StoredJob {
  return { job: toJob(row), version: String(row.version) };
}
