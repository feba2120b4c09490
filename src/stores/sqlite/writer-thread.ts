import { workerData } from 'node:worker_threads';
import { armFailpoint } from '../../lib/failpoint.ts';
import { answerQuestions } from '../../lib/workers/questions.ts';
import { JumpCheck } from '../clock.ts';
import { putDocument } from './catalog-writer.ts';
import { Committer } from './committer.ts';
import { ask, connect } from './connection.ts';
import type { WriterData, WriteTask } from './wire.ts';

/** The one thread of a process that writes to the store: a commit may take long, and wait for another process's lock. */
const { file, failpoint, startOfMachine } = workerData as WriterData;
armFailpoint(failpoint);
const database = connect(file);
// Kilobytes. Keys in random order touch the whole index; whoever reads goes through it in order, and needs next to nothing.
database.exec('PRAGMA cache_size = -16000');
const committer = new Committer(database, new JumpCheck(startOfMachine));

answerQuestions(
  (task: WriteTask) => ask(file, () => perform(task)),
  () => database.close(),
);

function perform(task: WriteTask) {
  switch (task.task) {
    case 'commit':
      return committer.commit(task.events);
    case 'mark':
      return committer.mark();
    case 'put':
      return putDocument(database, task.put);
  }
}
