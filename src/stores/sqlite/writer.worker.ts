import { workerData } from 'node:worker_threads';
import { armFailpoint } from '../../lib/failpoint.ts';
import { serveCalls } from '../../lib/workers/rpc.ts';
import { connect } from './connection.ts';
import type { WriterData } from './wire.ts';
import { createWrites } from './writes.ts';

/**
 * The thread that writes to the store, all but the first few writes of a process: a commit may take long, and wait for
 * another process's lock.
 */
const { failpoint, ...data } = workerData as WriterData;
armFailpoint(failpoint);
const database = connect(data.file);
// Kilobytes. Writes with random keys use the whole index; readers read in order, and need almost no cache.
database.exec('PRAGMA cache_size = -16000');

serveCalls(createWrites(database, data), () => database.close());
