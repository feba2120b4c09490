import { parentPort, workerData } from 'node:worker_threads';
import { isTidemarkError } from '../../domain/errors.ts';
import { armFailpoint } from '../../domain/failpoint.ts';
import { putDocument } from './catalog-writer.ts';
import { Committer } from './committer.ts';
import { ask, connect } from './connection.ts';
import type { WriteAnswer, WriteRequest } from './wire.ts';

/** The one thread of a process that writes to the store: a commit may take long, and wait for another process's lock. */
const { file, failpoint } = workerData as { file: string; failpoint: string | undefined };
armFailpoint(failpoint);
const database = connect(file);
// Kilobytes. Keys in random order touch the whole index; whoever reads goes through it in order, and needs next to nothing.
database.exec('PRAGMA cache_size = -32000');
const committer = new Committer(database);

parentPort!.on('message', (request: WriteRequest | 'close') => {
  if (request === 'close') {
    database.close();
    parentPort!.close();
    return;
  }
  parentPort!.postMessage(answer(request));
});

function answer(request: WriteRequest): WriteAnswer {
  const { id } = request;
  try {
    return { id, result: ask(file, () => perform(request)) };
  } catch (error) {
    const { message } = error as Error;
    if (isTidemarkError(error)) return { id, error: { code: error.code, message, details: error.details } };
    return { id, error: { message: (error as Error).stack ?? message, details: {} } };
  }
}

function perform(request: WriteRequest) {
  switch (request.task) {
    case 'commit':
      return committer.commit(request.events);
    case 'mark':
      return committer.mark();
    case 'put':
      return putDocument(database, request.put);
  }
}
