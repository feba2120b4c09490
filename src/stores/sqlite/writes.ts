import type { DatabaseSync } from 'node:sqlite';
import { isTidemarkError } from '../../core/errors.ts';
import { isBusy } from '../../lib/sqlite/sqlite-fault.ts';
import type { Arguments, Result } from '../../lib/workers/rpc.ts';
import { JumpCheck } from '../clock.ts';
import { putDocument } from './catalog-writer.ts';
import { Committer } from './committer.ts';
import { ask, connect } from './connection.ts';
import { JobWriter } from './job-writer.ts';
import type { EventColumns, JobWrite, PutRequest, WriterData } from './wire.ts';

/** Milliseconds that all of them may take: about as long as the writer thread takes to start. */
const BUDGET_MS = 50;

/** The writes to a store, on one connection. Synchronous. */
export function createWrites(
  database: DatabaseSync,
  { file, startOfMachine }: Pick<WriterData, 'file' | 'startOfMachine'>,
) {
  const committer = new Committer(database, new JumpCheck(startOfMachine));
  const jobs = new JobWriter(database);
  return {
    commit: (events: EventColumns) => ask(file, () => committer.commit(events)),
    mark: () => ask(file, () => committer.mark()),
    put: (request: PutRequest) => ask(file, () => putDocument(database, request)),
    job: (write: JobWrite) => ask(file, () => jobs.write(write)),
  };
}

export type Writes = ReturnType<typeof createWrites>;

/**
 * The first writes of a process, which it makes without the writer thread: most commands write a few rows, and then
 * end. They never wait for another process's lock.
 */
export class FirstWrites {
  readonly #data: WriterData;
  #database: DatabaseSync | undefined;
  #writes: Writes | undefined;
  #leftMs = BUDGET_MS;

  constructor(data: WriterData) {
    this.#data = data;
    // A failpoint stops the thread that it is in.
    if (data.failpoint !== undefined) this.#leftMs = 0;
  }

  /**
   * Makes a small write. Undefined when the writer thread has to make this one and all later ones.
   * @throws as the writer thread
   */
  make<Name extends keyof Writes>(
    name: Name,
    values: Arguments<Writes[Name]>,
  ): { readonly result: Result<Writes[Name]> } | undefined {
    if (this.#leftMs <= 0) return undefined;
    const begun = performance.now();
    try {
      const write = this.#open()[name] as (...values: Arguments<Writes[Name]>) => Result<Writes[Name]>;
      return { result: write(...values) };
    } catch (error) {
      if (!isTidemarkError(error) || !isBusy(error.cause)) throw error;
      this.end();
      return undefined;
    } finally {
      this.#leftMs -= performance.now() - begun;
      if (this.#leftMs <= 0) this.end();
    }
  }

  /** From now on the writer thread makes all writes. */
  end(): void {
    this.#leftMs = 0;
    this.#database?.close();
    this.#database = undefined;
  }

  #open(): Writes {
    if (this.#writes !== undefined) return this.#writes;
    if (this.#database === undefined) {
      this.#database = connect(this.#data.file);
      this.#database.exec('PRAGMA busy_timeout = 0');
    }
    this.#writes = createWrites(this.#database, this.#data);
    return this.#writes;
  }
}
