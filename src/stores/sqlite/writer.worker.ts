import { workerData } from 'node:worker_threads';
import { armFailpoint } from '../../lib/failpoint.ts';
import { serveCalls } from '../../lib/workers/rpc.ts';
import { JumpCheck } from '../store-clock.ts';
import { putDocuments } from './catalog-writer.ts';
import { Committer } from './committer.ts';
import { ask, connect } from './connection.ts';
import { FenceRow } from './fence-row.ts';
import { JobWriter } from './job-writer.ts';
import type { EventColumns, FenceWrite, JobWrite, PutRequest, WriterData } from './wire.ts';

/** The thread that writes to the store: a commit may take long, and wait for another process's lock. */
const { failpoint, file, startOfMachine } = workerData as WriterData;
armFailpoint(failpoint);
const database = connect(file);
// Kilobytes. Writes with random keys use the whole index; readers read in order, and need almost no cache.
database.exec('PRAGMA cache_size = -16000');
const fence = new FenceRow(database);
const committer = new Committer({ database, fence, jumps: new JumpCheck(startOfMachine) });
const jobs = new JobWriter(database, fence);

const functions = {
  commit: (events: EventColumns) => ask(file, () => committer.commit(events)),
  mark: () => ask(file, () => committer.mark()),
  put: (requests: readonly PutRequest[]) => ask(file, () => putDocuments({ database, fence }, requests)),
  job: (write: JobWrite) => ask(file, () => jobs.write(write)),
  fence: (write: FenceWrite) => ask(file, () => fence.write(write)),
};
export type Writes = typeof functions;

serveCalls(functions, () => database.close());
