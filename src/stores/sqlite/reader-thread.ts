import { workerData } from 'node:worker_threads';
import { answerQuestions } from '../../lib/workers/questions.ts';
import { ActivityCounter } from './activity-counter.ts';
import { ask, connect } from './connection.ts';
import { KeyFinder } from './key-finder.ts';
import { StateReader } from './state-reader.ts';
import type { ReadTask } from './wire.ts';

/** The thread that looks through many rows, so that the HTTP thread need not. */
const { file } = workerData as { file: string };
const database = connect(file);
const finder = new KeyFinder(database);
const counter = new ActivityCounter(database);
const reader = new StateReader(database);

answerQuestions(
  (task: ReadTask) => ask(file, () => perform(task)),
  () => database.close(),
);

function perform(task: ReadTask) {
  switch (task.task) {
    case 'find':
      return finder.find(task.find);
    case 'count':
      return counter.count(task.count);
    case 'states':
      return reader.next(task.states);
  }
}
